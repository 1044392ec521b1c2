import { DECLARATIONS } from '../areas.js';
import type { Param } from '../endpoint.js';
import { isParameterTexts, type ParameterTexts } from '../parameter-texts.js';

/** Those of each area; a test refuses a name that two areas explain. */
export const ALL_TEXTS: readonly ParameterTexts[] = DECLARATIONS.filter(isParameterTexts);

const TEXTS: ParameterTexts = Object.assign({}, ...ALL_TEXTS) as ParameterTexts;

/** What a parameter of an operation means; its descriptor wins. Undefined where nobody says. */
export function parameterText(operation: string, name: string, param: Param): string | undefined {
  return param.description ?? TEXTS[`${operation}.${name}`] ?? TEXTS[name];
}
