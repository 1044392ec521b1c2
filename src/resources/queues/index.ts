import type { AnyHandler } from '../kernel/handler.js';
import { consoleHandlers } from './console.js';
import { eventQueueHandlers } from './event-queues.js';
import { registerHandlers } from './register/register.js';
import { socketTicketHandlers } from './socket-tickets.js';
import type { HandlerParts } from '../handler-parts.js';

/** Registering, reading events, tickets for sockets. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...registerHandlers(parts.queues, parts.otherNodes),
  ...eventQueueHandlers(parts.queues, parts.otherNodes),
  ...socketTicketHandlers(parts.tickets),
  ...consoleHandlers(parts.console, parts.queues, parts.otherNodes),
];
