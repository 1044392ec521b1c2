import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import { CHANNELS } from './channels.js';
import { CONSOLE } from './console.js';
import { derivedCase } from './derived.js';
import { FILES } from './files.js';
import { MESSAGES } from './messages.js';
import { ORGANIZATION } from './organization.js';
import { PEOPLE } from './people.js';
import { PERSONAL } from './personal.js';
import type { Matrix } from './roles.js';
import { rowPlace } from '../row-place.js';
import { UNOFFERED } from './unoffered.js';

/** Rows of endpoints about which more is to be said than their access, or that need more than their example. */
export const WRITTEN: Matrix = {
  ...MESSAGES,
  ...FILES,
  ...PERSONAL,
  ...PEOPLE,
  ...CHANNELS,
  ...ORGANIZATION,
  ...CONSOLE,
  ...UNOFFERED,
};

/** What to add where the case that follows from a descriptor is not so. */
export function placeOf(operation: string): string {
  return rowPlace(operation, 'test/system/harness/permissions', {
    'personal.ts': { PERSONAL },
    'messages.ts': { MESSAGES },
    'files.ts': { FILES },
    'people.ts': { PEOPLE },
    'channels.ts': { CHANNELS },
    'organization.ts': { ORGANIZATION },
    'console.ts': { CONSOLE },
    'unoffered.ts': { UNOFFERED },
  });
}

/**
 * Who may call what, and in which words others are refused (conventions.md#callers,
 * errors.md#permission-messages). Every endpoint has its row, and a row decides for every kind of caller.
 */
export const PERMISSIONS: Matrix = Object.fromEntries(
  ALL_ENDPOINTS.map((one) => [one.operation, WRITTEN[one.operation] ?? [derivedCase(one)]]),
);
