import type { AnyHandler } from '../kernel/handler.js';
import { markAsReadHandlers } from './mark-as-read.js';
import { messageDeletionHandlers } from './message-deletion.js';
import { messageEditTypingHandler } from './message-edit-typing.js';
import { messageEditingHandler } from './message-editing.js';
import { messageHistoryHandler } from './message-history.js';
import { messageLookupHandlers } from './message-lookup.js';
import { messageReportHandler } from './message-report.js';
import { messageHandlers } from './messages.js';
import { reactionHandlers } from './reactions.js';
import { submessageHandler } from './submessages.js';
import { typingHandler } from './typing.js';
import type { HandlerParts } from '../handler-parts.js';

/** Sending, reading, changing and deleting messages; reactions and typing. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...messageHandlers(parts.markdown, parts.queues),
  messageEditingHandler({ markdown: parts.markdown }),
  ...messageDeletionHandlers(parts.topicDeletions),
  ...markAsReadHandlers(),
  messageHistoryHandler,
  ...messageLookupHandlers(parts.markdown),
  messageReportHandler(parts.markdown),
  ...reactionHandlers,
  submessageHandler,
  typingHandler,
  messageEditTypingHandler,
];
