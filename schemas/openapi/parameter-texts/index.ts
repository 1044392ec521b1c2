import type { Param } from '../../endpoint.js';
import { CHANNEL_TEXTS } from './channels.js';
import { MESSAGE_TEXTS } from './messages.js';
import { ORGANIZATION_TEXTS } from './organization.js';
import { PEOPLE_TEXTS } from './people.js';
import { PERSONAL_TEXTS } from './personal.js';
import { SETTINGS_TEXTS } from './settings.js';
import type { ParameterTexts } from './types.js';

/** All of them; a test refuses a name that two areas explain. */
export const AREAS: readonly ParameterTexts[] = [
  MESSAGE_TEXTS,
  CHANNEL_TEXTS,
  PEOPLE_TEXTS,
  SETTINGS_TEXTS,
  ORGANIZATION_TEXTS,
  PERSONAL_TEXTS,
];

const TEXTS: ParameterTexts = Object.assign({}, ...AREAS) as ParameterTexts;

/** What a parameter of an operation means; its descriptor wins. Undefined where nobody says. */
export function parameterText(operation: string, name: string, param: Param): string | undefined {
  return param.description ?? TEXTS[`${operation}.${name}`] ?? TEXTS[name];
}
