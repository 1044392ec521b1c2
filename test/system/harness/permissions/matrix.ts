import { CHANNELS } from './channels.js';
import { FILES } from './files.js';
import { MESSAGES } from './messages.js';
import { ORGANIZATION } from './organization.js';
import { PEOPLE } from './people.js';
import { PERSONAL } from './personal.js';
import { UNOFFERED } from './unoffered.js';
import type { Matrix } from './roles.js';

/**
 * Who may call what, and in which words others are refused (conventions.md#callers,
 * errors.md#permission-messages). Every endpoint has its row, and a row decides for every kind of caller.
 */
export const PERMISSIONS: Matrix = {
  ...MESSAGES,
  ...FILES,
  ...PERSONAL,
  ...PEOPLE,
  ...CHANNELS,
  ...ORGANIZATION,
  ...UNOFFERED,
};
