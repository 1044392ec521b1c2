import * as alertWords from './alert-words.js';
import * as avatars from './avatars.js';
import * as bots from './bots.js';
import * as channelAdministration from './channel-administration.js';
import * as channelFolders from './channel-folders.js';
import * as channels from './channels.js';
import * as customEmoji from './custom-emoji.js';
import * as drafts from './drafts.js';
import type { EndpointDescriptor } from './endpoint.js';
import * as eventsPoll from './events-poll.js';
import * as invites from './invites.js';
import * as jwtLogin from './jwt-login.js';
import * as linkifiers from './linkifiers.js';
import * as markAsRead from './mark-as-read.js';
import * as messageDeletion from './message-deletion.js';
import * as messageEditing from './message-editing.js';
import * as messageLookup from './message-lookup.js';
import * as messageReport from './message-report.js';
import * as messages from './messages.js';
import * as mutedUsers from './muted-users.js';
import * as navigationViews from './navigation-views.js';
import * as onboarding from './onboarding.js';
import * as playgrounds from './playgrounds.js';
import * as presence from './presence.js';
import * as profileFields from './profile-fields.js';
import * as push from './push.js';
import * as reactions from './reactions.js';
import * as realm from './realm.js';
import * as realmDomains from './realm-domains.js';
import * as realmImages from './realm-images.js';
import * as register from './register.js';
import * as reminders from './reminders.js';
import * as savedSnippets from './saved-snippets.js';
import * as scheduledMessages from './scheduled-messages.js';
import * as serverSettings from './server-settings.js';
import * as settings from './settings.js';
import * as socket from './socket.js';
import * as subscriptionProperties from './subscription-properties.js';
import * as typing from './typing.js';
import * as unoffered from './unoffered.js';
import * as uploads from './uploads.js';
import * as userAdministration from './user-administration.js';
import * as userGroups from './user-groups.js';
import * as userStatus from './user-status.js';
import * as userTopics from './user-topics.js';
import * as users from './users.js';

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
