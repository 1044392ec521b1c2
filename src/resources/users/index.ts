import { revokeInvitationsOf } from '../../organization/invitations/invite.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import { customEmojiPicture } from '../../organization/views/custom-emoji-view.js';
import type { AnyHandler } from '../kernel/handler.js';
import { settingsHandlers } from './settings.js';
import { peopleHandlers } from './user-handlers.js';
import { userHandlers } from './users.js';
import type { HandlerParts } from '../handler-parts.js';

/** Accounts, bots, profiles, pictures and settings. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...userHandlers({
    passwords: parts.passwords,
    announce: (tx, user) => welcomeUser(tx, parts.markdown, user),
    allowedDomains: (org) => org.domains.list(),
  }),
  ...peopleHandlers({
    ...parts,
    customEmoji: (org, name) => customEmojiPicture(org, name)?.id,
    revokeInvitations: (tx, user) => revokeInvitationsOf(tx, user.user_id),
    allowedDomains: (org) => org.domains.list(),
  }),
  ...settingsHandlers(parts),
];
