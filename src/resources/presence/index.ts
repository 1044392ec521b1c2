import type { AnyHandler } from '../kernel/handler.js';
import { presenceHandlers } from './presence.js';
import type { HandlerParts } from '../handler-parts.js';

/** Presence of users. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...presenceHandlers(parts.presence),
];
