import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import { derivedCall } from './derived.js';
import { HOOK_ROWS } from './hooks.js';
import { MESSAGE_ROWS } from './messages.js';
import { PEOPLE_ROWS } from './people.js';
import { SETTING_ROWS } from './settings.js';
import { rowPlace } from '../row-place.js';
import type { Rows } from './world.js';

/** Requests that are larger than an example with long texts, or answered otherwise than by success. */
export const WRITTEN: Rows = { ...MESSAGE_ROWS, ...PEOPLE_ROWS, ...SETTING_ROWS, ...HOOK_ROWS };

/** What to add where the row that follows from a descriptor is refused. */
export function placeOf(operation: string): string {
  return rowPlace(operation, 'test/system/harness/largest', {
    'settings.ts': { SETTING_ROWS },
    'messages.ts': { MESSAGE_ROWS },
    'people.ts': { PEOPLE_ROWS },
    'hooks.ts': { HOOK_ROWS },
  });
}

/** Operations without a row: why. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  'open-event-socket': 'its parameters are those of register-queue',
  'open-event-stream': 'its parameters are those of register-queue',
};

/** What others need: nobody asks for it afterwards. */
const LAST = ['archive-channel', 'deactivate-user-group'];

const derived = ALL_ENDPOINTS.filter(
  ({ operation }) => !(operation in WRITTEN) && !(operation in ELSEWHERE),
);

function rowsOf(endpoints: typeof derived): Rows {
  return Object.fromEntries(
    endpoints.map((one) => [one.operation, (world) => derivedCall(one, world)]),
  );
}

function pick(isChosen: (operation: string) => boolean): Rows {
  return Object.fromEntries(Object.entries(WRITTEN).filter(([operation]) => isChosen(operation)));
}

/** Of every endpoint, in the order in which they are sent: what makes something before what reads or deletes it. */
export const ROWS: Rows = {
  ...pick((operation) => !LAST.includes(operation)),
  ...rowsOf(derived.filter(({ method }) => method !== 'GET' && method !== 'DELETE')),
  ...rowsOf(derived.filter(({ method }) => method === 'GET')),
  ...rowsOf(derived.filter(({ method }) => method === 'DELETE')),
  ...pick((operation) => LAST.includes(operation)),
};
