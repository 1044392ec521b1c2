import { DECLARATIONS } from '../declarations.js';
import type { FieldText } from '../field-texts.js';
import { isParameterTexts, type ParameterTexts } from '../parameter-texts.js';

/** Those of all files; a test refuses a name that two of them explain. */
export const ALL_TEXTS: readonly ParameterTexts[] = DECLARATIONS.filter(isParameterTexts);

const TEXTS: ParameterTexts = Object.assign({}, ...ALL_TEXTS) as ParameterTexts;

/** What is said of a parameter of an operation beside its descriptor. */
export function saying(operation: string, name: string): FieldText | undefined {
  return TEXTS[`${operation}.${name}`] ?? TEXTS[name];
}

/**
 * The text about a parameter as it holds of the value: without the forms in which requests send a change, or no limit.
 */
export function ofValue(text: string): string {
  return text
    .replace(/[,;]? (?:sent as|where it changes,) `\{"new", "old"\}`.*$/i, '.')
    .replace(/ Where it changes, `\{"new".*$/, '')
    .replace(', or `unlimited`.', '; null without a limit.');
}
