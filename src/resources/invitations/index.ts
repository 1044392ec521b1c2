import type { AnyHandler } from '../kernel/handler.js';
import { inviteHandlers } from './invites.js';
import type { HandlerParts } from '../handler-parts.js';

/** Inviting people. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...inviteHandlers({ keys: parts.linkKeys, validityMinutes: parts.invitationValidityMinutes }),
];
