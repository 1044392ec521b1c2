import type { TSchema } from 'typebox';
import { channelFolderEvents } from './channels/channel-folder-events.js';
import { channelEvents } from './channels/channel-events.js';
import { customEmojiEvents } from './realm/custom-emoji-events.js';
import { deleteMessageEvents } from './messages/delete-message-events.js';
import { deviceEvents } from './personal/device-events.js';
import { invitesEvents } from './invitations/invitation-events.js';
import { linkifierEvents } from './realm/linkifier-events.js';
import { messageEditingEvents } from './messages/message-editing-events.js';
import { messageEvents } from './messages/message-events.js';
import { navigationViewEvents } from './personal/navigation-view-events.js';
import { personalEvents } from './personal/text-events.js';
import { playgroundEvents } from './realm/playground-events.js';
import { reactionEvents } from './messages/reaction-events.js';
import { realmDomainsEvents } from './realm/realm-domain-events.js';
import { realmImageEvents } from './realm/realm-image-events.js';
import { realmEvents } from './realm/realm-events.js';
import { reminderEvents } from './scheduling/reminder-events.js';
import { scheduledMessageEvents } from './scheduling/scheduled-message-events.js';
import { serverEvents } from './queues/server-events.js';
import { attachmentEvents } from './uploads/upload-events.js';
import { topicEvents } from './topics/topic-events.js';
import { userGroupEvents } from './groups/user-group-events.js';
import { userEvents } from './users/user-events.js';

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
