import type { Queues } from '../journal/queues.js';
import { noticeJoined } from '../organization/join-notices.js';
import type { PresenceTracker } from '../organization/presence-tracker.js';
import { sendNotice } from '../organization/sending/notice.js';
import type { ApiKeys } from '../services/api-keys.js';
import type { Markdown } from '../services/markdown/markdown.js';
import type { Passwords } from '../services/passwords.js';
import { channelHandlers } from './channels.js';
import { eventQueueHandlers } from './event-queues.js';
import { fetchApiKeyHandler } from './fetch-api-key.js';
import type { AnyHandler } from './handler.js';
import type { LoginLimiter } from './login-limiter.js';
import { messageHandlers } from './messages.js';
import { presenceHandlers } from './presence.js';
import { registerHandlers } from './register/register.js';
import { serverSettingsHandler } from './server-settings.js';
import { settingsHandlers } from './settings.js';
import { socketTicketHandlers, type SocketTickets } from './socket-tickets.js';
import { subscriptionPropertyHandlers } from './subscription-properties.js';
import { subscriptionHandlers } from './subscriptions.js';
import { typingHandler } from './typing.js';
import { userHandlers } from './users.js';

/** What the handlers of all resources need between them. */
export interface HandlerParts {
  readonly queues: Queues;
  readonly presence: PresenceTracker;
  readonly markdown: Markdown;
  readonly passwords: Passwords;
  readonly keys: ApiKeys;
  readonly limiter: LoginLimiter;
  readonly tickets: SocketTickets;
}

/** Every endpoint there is, but for reading events, which the HTTP layer serves by poll and socket. */
export function allHandlers(parts: HandlerParts): AnyHandler[] {
  return [
    ...registerHandlers(parts.queues),
    ...eventQueueHandlers(parts.queues),
    ...socketTicketHandlers(parts.tickets),
    serverSettingsHandler,
    fetchApiKeyHandler(parts),
    ...userHandlers({
      passwords: parts.passwords,
      announce: (tx, user) =>
        noticeJoined(
          tx,
          (open, place, content) => sendNotice(open, parts.markdown, place, content),
          user,
        ),
    }),
    ...settingsHandlers(parts),
    ...presenceHandlers(parts.presence),
    typingHandler,
    ...channelHandlers(),
    ...subscriptionHandlers(parts),
    ...subscriptionPropertyHandlers(),
    ...messageHandlers(parts.markdown),
  ];
}
