import * as alertWords from './personal/alert-words.js';
import * as avatars from './users/avatars.js';
import * as bots from './users/bots.js';
import * as channelAdministration from './channels/channel-administration.js';
import * as channelFolders from './channels/channel-folders.js';
import * as channels from './channels/channels.js';
import * as customEmoji from './realm/custom-emoji.js';
import * as drafts from './personal/drafts.js';
import type { EndpointDescriptor } from './endpoint.js';
import * as eventsPoll from './queues/events-poll.js';
import * as invites from './invitations/invites.js';
import * as jwtLogin from './accounts/jwt-login.js';
import * as linkifiers from './realm/linkifiers.js';
import * as markAsRead from './messages/mark-as-read.js';
import * as messageDeletion from './messages/message-deletion.js';
import * as messageEditing from './messages/message-editing.js';
import * as messageLookup from './messages/message-lookup.js';
import * as messageReport from './messages/message-report.js';
import * as messages from './messages/messages.js';
import * as mutedUsers from './personal/muted-users.js';
import * as navigationViews from './personal/navigation-views.js';
import * as onboarding from './personal/onboarding.js';
import * as playgrounds from './realm/playgrounds.js';
import * as presence from './presence/presence.js';
import * as profileFields from './users/profile-fields.js';
import * as push from './personal/push.js';
import * as reactions from './messages/reactions.js';
import * as realm from './realm/realm.js';
import * as realmDomains from './realm/realm-domains.js';
import * as realmImages from './realm/realm-images.js';
import * as register from './queues/register.js';
import * as reminders from './scheduling/reminders.js';
import * as savedSnippets from './personal/saved-snippets.js';
import * as scheduledMessages from './scheduling/scheduled-messages.js';
import * as serverSettings from './realm/server-settings.js';
import * as settings from './users/settings.js';
import * as socket from './queues/socket.js';
import * as subscriptionProperties from './channels/subscription-properties.js';
import * as typing from './messages/typing.js';
import * as unoffered from './unoffered.js';
import * as uploads from './uploads/uploads.js';
import * as userAdministration from './users/user-administration.js';
import * as userGroups from './groups/user-groups.js';
import * as userStatus from './personal/user-status.js';
import * as userTopics from './topics/user-topics.js';
import * as users from './users/users.js';

const MODULES: readonly object[] = [
  alertWords,
  avatars,
  bots,
  channelAdministration,
  channelFolders,
  channels,
  customEmoji,
  drafts,
  eventsPoll,
  invites,
  jwtLogin,
  linkifiers,
  markAsRead,
  messageDeletion,
  messageEditing,
  messageLookup,
  messageReport,
  messages,
  mutedUsers,
  navigationViews,
  onboarding,
  playgrounds,
  presence,
  profileFields,
  push,
  reactions,
  realm,
  realmDomains,
  realmImages,
  register,
  reminders,
  savedSnippets,
  scheduledMessages,
  serverSettings,
  settings,
  socket,
  subscriptionProperties,
  typing,
  unoffered,
  uploads,
  userAdministration,
  userGroups,
  userStatus,
  userTopics,
  users,
];

function isEndpoint(value: unknown): value is EndpointDescriptor {
  return typeof value === 'object' && value !== null && 'operation' in value && 'params' in value;
}

/** Every endpoint of the contract, ordered by operation; a test compares it with what is served. */
export const ALL_ENDPOINTS: readonly EndpointDescriptor[] = MODULES.flatMap((module) =>
  Object.values(module).filter(isEndpoint),
).sort((a, b) => (a.operation < b.operation ? -1 : 1));
