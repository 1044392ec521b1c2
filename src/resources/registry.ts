import type { UserDocument } from '../../schemas/users/user-document.js';
import type { Queues } from '../journal/queues/queues.js';
import type { PresenceTracker } from '../organization/presence/presence-tracker.js';
import type { TopicDeletions } from '../organization/messages/deletion/topic-deletions.js';
import { revokeInvitationsOf } from '../organization/invitations/invite.js';
import { welcomeUser } from '../organization/invitations/welcome.js';
import { moveTopicPolicies } from '../organization/topics/moved-topic.js';
import type { Transaction } from '../organization/state/transaction.js';
import type { ApiKeys } from '../services/auth/api-keys.js';
import type { Directory } from '../services/auth/ldap-directory.js';
import type { LinkKeys } from '../services/auth/link-keys.js';
import type { Markdown } from '../services/markdown/markdown.js';
import type { Passwords } from '../services/auth/passwords.js';
import type { WebTokens } from '../services/auth/web-tokens.js';
import { relinkAttachments } from '../organization/messages/attachment-links.js';
import type { EditHooks } from '../organization/messages/editing/edit-message.js';
import { customEmojiPicture } from '../organization/views/custom-emoji-view.js';
import { channelAdministrationHandlers } from './channels/channel-administration.js';
import { channelFolderHandlers } from './channels/channel-folders.js';
import { channelReadingHandlers } from './channels/channel-reading.js';
import { channelHandlers } from './channels/channels.js';
import { customEmojiHandlers } from './realm/custom-emoji.js';
import { eventQueueHandlers } from './queues/event-queues.js';
import { fetchApiKeyHandler } from './accounts/fetch-api-key.js';
import type { AnyHandler } from './kernel/handler.js';
import { tokenLoginHandler } from './accounts/jwt-login.js';
import { inviteHandlers } from './invitations/invites.js';
import type { LoginLimiter } from './kernel/login-limiter.js';
import type { MailLimiter } from './kernel/mail-limiter.js';
import { markAsReadHandlers } from './messages/mark-as-read.js';
import { messageDeletionHandlers } from './messages/message-deletion.js';
import { messageEditTypingHandler } from './messages/message-edit-typing.js';
import { messageEditingHandler } from './messages/message-editing.js';
import { messageHistoryHandler } from './messages/message-history.js';
import { messageLookupHandlers } from './messages/message-lookup.js';
import { messageReportHandler } from './messages/message-report.js';
import { messageHandlers } from './messages/messages.js';
import { peopleHandlers, type PeopleParts } from './users/user-handlers.js';
import { linkifierHandlers } from './realm/linkifiers.js';
import { mutedUserHandlers } from './personal/muted-users.js';
import { personalHandlers } from './personal/texts.js';
import { navigationViewHandlers } from './personal/navigation-views.js';
import { playgroundHandlers } from './realm/playgrounds.js';
import { reactionHandlers } from './messages/reactions.js';
import { pushHandlers } from './personal/push.js';
import { presenceHandlers } from './presence/presence.js';
import { realmImageHandlers } from './realm/realm-images.js';
import { realmHandlers } from './realm/realm.js';
import { realmDomainHandlers } from './realm/realm-domains.js';
import { registerHandlers } from './queues/register/register.js';
import { reminderHandlers } from './scheduling/reminders.js';
import { scheduledMessageHandlers } from './scheduling/scheduled-messages.js';
import { serverSettingsHandler } from './realm/server-settings.js';
import { settingsHandlers } from './users/settings.js';
import { socketTicketHandlers, type SocketTickets } from './queues/socket-tickets.js';
import { subscriptionPropertyHandlers } from './channels/subscription-properties.js';
import { subscriptionHandlers } from './channels/subscriptions.js';
import { typingHandler } from './messages/typing.js';
import { uploadHandlers, type UploadParts } from './uploads/uploads.js';
import { unofferedHandlers } from './unoffered.js';
import { userGroupHandlers } from './groups/user-groups.js';
import { userHandlers } from './users/users.js';
import { userTopicHandlers } from './topics/user-topics.js';

/** What the handlers of all resources need between them. */
export interface HandlerParts extends PeopleParts, UploadParts {
  readonly queues: Queues;
  readonly presence: PresenceTracker;
  readonly topicDeletions: TopicDeletions;
  readonly markdown: Markdown;
  /** Called when the waiting period of new members was changed. */
  readonly waitingPeriodChanged?: () => void;
  readonly passwords: Passwords;
  readonly keys: ApiKeys;
  readonly limiter: LoginLimiter;
  readonly directory: Directory | null;
  readonly webTokens: WebTokens | null;
  readonly tickets: SocketTickets;
  readonly linkKeys: LinkKeys;
  readonly mailLimiter: MailLimiter;
  readonly invitationValidityMinutes: number;
}

/** The author is who edits: only they may change what a message says. */
const relink: EditHooks['relink'] = (tx, { id, sender_id }, attachments) =>
  relinkAttachments(tx, tx.org.users.get(sender_id)!, id, attachments);

/** Every endpoint there is, but for reading events, which the HTTP layer serves by poll and socket. */
export function allHandlers(parts: HandlerParts): AnyHandler[] {
  const announce = (tx: Transaction, user: UserDocument): void =>
    welcomeUser(tx, parts.markdown, user);
  const revokeInvitations = (tx: Transaction, user: UserDocument): void =>
    revokeInvitationsOf(tx, user.user_id);
  return [
    ...registerHandlers(parts.queues),
    ...eventQueueHandlers(parts.queues),
    ...socketTicketHandlers(parts.tickets),
    serverSettingsHandler(parts.directory),
    fetchApiKeyHandler({ ...parts, announce }),
    tokenLoginHandler({ keys: parts.keys, tokens: parts.webTokens }),
    ...userHandlers({
      passwords: parts.passwords,
      announce,
      allowedDomains: (org) => org.domains.list(),
    }),
    ...peopleHandlers({
      ...parts,
      customEmoji: (org, name) => customEmojiPicture(org, name)?.id,
      revokeInvitations,
      allowedDomains: (org) => org.domains.list(),
    }),
    ...inviteHandlers({ keys: parts.linkKeys, validityMinutes: parts.invitationValidityMinutes }),
    ...realmDomainHandlers(),
    ...settingsHandlers(parts),
    ...presenceHandlers(parts.presence),
    typingHandler,
    ...channelHandlers(),
    ...channelReadingHandlers(),
    ...channelAdministrationHandlers(parts.markdown),
    ...channelFolderHandlers(parts.markdown),
    ...subscriptionHandlers(parts),
    ...subscriptionPropertyHandlers(),
    ...userGroupHandlers(parts),
    ...realmHandlers(parts),
    ...linkifierHandlers(),
    ...customEmojiHandlers(parts),
    ...playgroundHandlers,
    ...realmImageHandlers(parts),
    ...personalHandlers(),
    ...navigationViewHandlers(),
    ...pushHandlers(),
    ...messageHandlers(parts.markdown, parts.queues),
    messageEditingHandler({
      markdown: parts.markdown,
      hooks: { relink, topicMoved: moveTopicPolicies },
    }),
    ...markAsReadHandlers(),
    ...userTopicHandlers(),
    ...mutedUserHandlers(),
    messageHistoryHandler,
    ...reactionHandlers,
    ...uploadHandlers(parts),
    messageEditTypingHandler,
    ...messageLookupHandlers(parts.markdown),
    messageReportHandler(parts.markdown),
    ...scheduledMessageHandlers(parts.markdown),
    ...reminderHandlers(parts.markdown),
    ...messageDeletionHandlers(parts.topicDeletions),
    ...unofferedHandlers(parts.markdown),
  ];
}
