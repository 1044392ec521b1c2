import type { Queues } from '../../journal/queues/queues.js';
import type { DeactivationParts } from '../../organization/users/deactivation.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { avatarHandlers } from './avatars.js';
import { botStorageHandlers } from './bot-storage.js';
import { botHandlers } from './bots.js';
import type { AnyHandler } from '../kernel/handler.js';
import type { PictureParts } from './picture-upload.js';
import { profileFieldHandlers } from './profile-fields.js';
import { userAdministrationHandlers, type UserAdministrationParts } from './user-administration.js';
import { userStatusHandlers, type UserStatusParts } from '../personal/user-status.js';

/** What everything about accounts needs between it, beyond reading and creating them. */
export interface PeopleParts
  extends
    PictureParts,
    Pick<UserAdministrationParts, 'allowedDomains'>,
    Pick<UserStatusParts, 'customEmoji'>,
    Pick<DeactivationParts, 'revokeInvitations'> {
  readonly queues: Queues;
  readonly presence: PresenceTracker;
  readonly markdown: Markdown;
  readonly keys: ApiKeys;
}

/** Administration of accounts, bots, profiles, pictures and statuses. */
export function peopleHandlers(parts: PeopleParts): AnyHandler[] {
  const { queues, presence, markdown } = parts;
  const shared = {
    ...parts,
    closeSockets: (userId: number) => queues.closeSocketsOf(userId),
    deactivation: {
      endQueues: (userId: number) => queues.revokeAllOf(userId),
      forgetPresence: (userId: number) => presence.forget(userId),
      revokeInvitations: parts.revokeInvitations,
    },
  };
  return [
    ...userAdministrationHandlers(shared),
    ...botHandlers(shared),
    ...botStorageHandlers(),
    ...userStatusHandlers(parts),
    ...profileFieldHandlers(markdown),
    ...avatarHandlers(parts),
  ];
}
