import type { AnyHandler } from '../kernel/handler.js';
import { userGroupHandlers } from './user-groups.js';
import type { HandlerParts } from '../handler-parts.js';

/** User groups. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [...userGroupHandlers(parts)];
