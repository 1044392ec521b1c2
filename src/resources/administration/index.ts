import type { AnyHandler } from '../kernel/handler.js';
import type { HandlerParts } from '../handler-parts.js';
import { fileUsageHandlers } from './files.js';
import { waitingMailHandlers } from './mails.js';
import { peopleHandlers } from './people.js';
import { serverDeedHandlers } from './server.js';

/** What administrators do in the console beside what the API has for everybody. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...peopleHandlers(parts),
  ...waitingMailHandlers(parts.mailSender),
  ...fileUsageHandlers(parts),
  ...serverDeedHandlers(parts.serverDeeds, parts.queues),
];
