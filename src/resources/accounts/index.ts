import type { AnyHandler } from '../kernel/handler.js';
import { fetchApiKeyHandler } from './fetch-api-key.js';
import { tokenLoginHandler } from './jwt-login.js';
import type { HandlerParts } from '../handler-parts.js';
import { sessionListHandlers } from './sessions.js';
import { twoFactorHandlers } from './two-factor.js';

/** Logging in. */
export function handlers(parts: HandlerParts): AnyHandler[] {
  const closeSockets = (userId: number): void => parts.queues.closeSocketsOf(userId);
  return [
    fetchApiKeyHandler({ ...parts, closeSockets }),
    ...twoFactorHandlers(parts),
    ...sessionListHandlers(parts),
    tokenLoginHandler({ keys: parts.keys, tokens: parts.webTokens, closeSockets }),
  ];
}
