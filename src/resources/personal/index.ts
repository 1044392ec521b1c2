import type { AnyHandler } from '../kernel/handler.js';
import { alertWordHandlers } from './alert-words.js';
import { draftHandlers } from './drafts.js';
import { mutedUserHandlers } from './muted-users.js';
import { navigationViewHandlers } from './navigation-views.js';
import { onboardingHandler } from './onboarding.js';
import { pushHandlers } from './push.js';
import { snippetHandlers } from './saved-snippets.js';
import { userStatusHandlers } from './user-status.js';
import type { HandlerParts } from '../handler-parts.js';

/** Data that a user keeps for themselves, and their status. */
export const handlers = ({ presence }: HandlerParts): AnyHandler[] => [
  ...draftHandlers,
  ...snippetHandlers,
  ...alertWordHandlers,
  ...navigationViewHandlers(),
  ...pushHandlers(),
  ...mutedUserHandlers(),
  onboardingHandler,
  ...userStatusHandlers({ presence }),
];
