/** `@parley-chat/server/testing`: a server within the process of a test (docs/guides/testing-a-bot.md). */
import { ParleyError } from '../client/index.js';
import type { StartParley } from './api.js';
import { RunningParley } from './parley.js';

export type * from './api.js';
export { ParleyError };

export const startParley: StartParley = (options) => RunningParley.start(options);
