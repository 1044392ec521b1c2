import type { TSchema } from 'typebox';
import { DECLARATIONS } from './areas.js';
import { isEvents } from './event.js';

/** The body of every event a queue can get, without `id`. */
export const ALL_EVENTS: readonly TSchema[] = DECLARATIONS.filter(isEvents).flat();
