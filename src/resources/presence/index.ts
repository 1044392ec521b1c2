import type { AnyHandler } from '../kernel/handler.js';
import { presenceHandlers } from './presence.js';
import type { HandlerParts } from '../handler-parts.js';

/** Who is there. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...presenceHandlers(parts.presence),
];
