import type { AnyHandler } from '../kernel/handler.js';
import { reminderHandlers } from './reminders.js';
import { scheduledMessageHandlers } from './scheduled-messages.js';
import type { HandlerParts } from '../handler-parts.js';

/** Scheduled messages and reminders. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...scheduledMessageHandlers(parts.markdown),
  ...reminderHandlers(parts.markdown),
];
