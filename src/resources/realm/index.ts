import type { AnyHandler } from '../kernel/handler.js';
import { auditLogHandler } from './audit-log.js';
import { customEmojiHandlers } from './custom-emoji.js';
import { exportHandlers } from './exports.js';
import { linkifierHandlers } from './linkifiers.js';
import { playgroundHandlers } from './playgrounds.js';
import { realmHandlers } from './realm.js';
import { realmDomainHandlers } from './realm-domains.js';
import { realmImageHandlers } from './realm-images.js';
import { serverSettingsHandler } from './server-settings.js';
import { videoCallHandlers } from './video-calls.js';
import type { HandlerParts } from '../handler-parts.js';

/** The organization and what belongs to it. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...realmHandlers({ ...parts, endQueues: () => parts.queues.revokeAll() }),
  ...realmDomainHandlers(),
  ...realmImageHandlers(parts),
  ...linkifierHandlers(),
  ...playgroundHandlers,
  ...customEmojiHandlers(parts),
  auditLogHandler,
  serverSettingsHandler(parts.directory),
  ...videoCallHandlers(parts),
  ...exportHandlers(parts),
];
