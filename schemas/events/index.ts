import type { TSchema } from 'typebox';
import { channelFolderEvents } from './channel-folders.js';
import { channelEvents } from './channels.js';
import { customEmojiEvents } from './custom-emoji.js';
import { deleteMessageEvents } from './delete-message.js';
import { deviceEvents } from './device.js';
import { invitesEvents } from './invites.js';
import { linkifierEvents } from './linkifiers.js';
import { messageEditingEvents } from './message-editing.js';
import { messageEvents } from './messages.js';
import { navigationViewEvents } from './navigation-views.js';
import { personalEvents } from './personal.js';
import { playgroundEvents } from './playgrounds.js';
import { reactionEvents } from './reactions.js';
import { realmDomainsEvents } from './realm-domains.js';
import { realmImageEvents } from './realm-images.js';
import { realmEvents } from './realm.js';
import { reminderEvents } from './reminders.js';
import { scheduledMessageEvents } from './scheduled-messages.js';
import { serverEvents } from './server.js';
import { attachmentEvents } from './uploads.js';
import { topicEvents } from './topics.js';
import { userGroupEvents } from './user-groups.js';
import { userEvents } from './users.js';

/** The body of every event a queue can get, without `id`. */
export const ALL_EVENTS: readonly TSchema[] = [
  ...attachmentEvents,
  ...channelEvents,
  ...channelFolderEvents,
  ...customEmojiEvents,
  ...deleteMessageEvents,
  ...deviceEvents,
  ...invitesEvents,
  ...linkifierEvents,
  ...messageEditingEvents,
  ...messageEvents,
  ...navigationViewEvents,
  ...personalEvents,
  ...playgroundEvents,
  ...reactionEvents,
  ...realmDomainsEvents,
  ...realmEvents,
  ...realmImageEvents,
  ...reminderEvents,
  ...scheduledMessageEvents,
  ...serverEvents,
  ...topicEvents,
  ...userGroupEvents,
  ...userEvents,
];
