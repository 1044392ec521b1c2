import type { UserDocument } from '../../../schemas/users/user-document.js';
import { revokeInvitationsOf } from '../../organization/invitations/invite.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { AnyHandler } from '../kernel/handler.js';
import { avatarHandlers } from './avatars.js';
import { botStorageHandlers } from './bot-storage.js';
import { botHandlers } from './bots.js';
import { profileFieldHandlers } from './profile-fields.js';
import { settingsHandlers } from './settings.js';
import { userAdministrationHandlers } from './user-administration.js';
import { userHandlers } from './users.js';
import type { HandlerParts } from '../handler-parts.js';

/** Accounts, bots, profiles, pictures and settings. */
export const handlers = (parts: HandlerParts): AnyHandler[] => {
  const { queues, presence, markdown, passwords } = parts;
  const allowedDomains = (org: Organization) => org.domains.list();
  const administration = {
    ...parts,
    allowedDomains,
    closeSockets: (userId: number) => queues.closeSocketsOf(userId),
    deactivation: {
      endQueues: (userId: number) => queues.revokeAllOf(userId),
      forgetPresence: (userId: number) => presence.forget(userId),
      revokeInvitations: (tx: Transaction, user: UserDocument) =>
        revokeInvitationsOf(tx, user.user_id),
    },
  };
  return [
    ...userHandlers({
      passwords,
      announce: (tx, user) => welcomeUser(tx, markdown, user),
      allowedDomains,
    }),
    ...userAdministrationHandlers(administration),
    ...botHandlers(administration),
    ...botStorageHandlers(),
    ...profileFieldHandlers(markdown),
    ...avatarHandlers(parts),
    ...settingsHandlers(parts),
  ];
};
