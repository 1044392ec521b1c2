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
  const administration = {
    ...parts,
    closeSockets: (userId: number) => queues.closeSocketsOf(userId),
    renewPush: (userId: number) => queues.renewPushOf(userId),
    deactivation: {
      endQueues: (userId: number) => queues.revokeAllOf(userId),
      forgetPresence: (userId: number) => presence.forget(userId),
    },
  };
  return [
    ...userHandlers({ passwords, markdown }),
    ...userAdministrationHandlers(administration),
    ...botHandlers(administration),
    ...botStorageHandlers(),
    ...profileFieldHandlers(markdown),
    ...avatarHandlers(parts),
    ...settingsHandlers(administration),
  ];
};
