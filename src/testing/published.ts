/** The types of `testing.ts` for users of the package, whose declarations name nothing of the server (scripts/package.js). */
import type { StartParley } from './api.js';

export type * from './api.js';
export { ParleyError, type Client, type Event, type Params } from '../client/index.js';

export declare const startParley: StartParley;
