import type { AnyHandler } from '../kernel/handler.js';
import { fetchApiKeyHandler } from './fetch-api-key.js';
import { tokenLoginHandler } from './jwt-login.js';
import type { HandlerParts } from '../handler-parts.js';
import { twoFactorHandlers } from './two-factor.js';

/** Logging in. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  fetchApiKeyHandler(parts),
  ...twoFactorHandlers(parts),
  tokenLoginHandler({
    keys: parts.keys,
    tokens: parts.webTokens,
    closeSockets: (userId) => parts.queues.closeSocketsOf(userId),
  }),
];
