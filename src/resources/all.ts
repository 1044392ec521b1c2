import type { UserDocument } from '../../schemas/documents/user.js';
import type { Queues } from '../journal/queues.js';
import type { PresenceTracker } from '../organization/presence-tracker.js';
import type { TopicDeletions } from '../organization/topic-deletions.js';
import { revokeInvitationsOf } from '../organization/invitations/invite.js';
import { welcomeUser } from '../organization/invitations/welcome.js';
import { moveTopicPolicies } from '../organization/topics/moved-topic.js';
import type { Transaction } from '../organization/transaction.js';
import type { ApiKeys } from '../services/api-keys.js';
import type { Directory } from '../services/directory.js';
import type { LinkKeys } from '../services/link-keys.js';
import type { Markdown } from '../services/markdown/markdown.js';
import type { Passwords } from '../services/passwords.js';
import type { WebTokens } from '../services/web-tokens.js';
import { relinkAttachments } from '../organization/attachment-links.js';
import type { EditHooks } from '../organization/editing/edit-message.js';
import { customEmojiPicture } from '../organization/custom-emoji.js';
import { channelAdministrationHandlers } from './channel-administration.js';
import { channelFolderHandlers } from './channel-folders.js';
import { channelReadingHandlers } from './channel-reading.js';
import { channelHandlers } from './channels.js';
import { customEmojiHandlers } from './custom-emoji.js';
import { eventQueueHandlers } from './event-queues.js';
import { fetchApiKeyHandler } from './fetch-api-key.js';
import type { AnyHandler } from './handler.js';
import { tokenLoginHandler } from './jwt-login.js';
import { inviteHandlers } from './invites.js';
import type { LoginLimiter } from './login-limiter.js';
import type { MailLimiter } from './mail-limiter.js';
import { markAsReadHandlers } from './mark-as-read.js';
import { messageDeletionHandlers } from './message-deletion.js';
import { messageEditTypingHandler } from './message-edit-typing.js';
import { messageEditingHandler } from './message-editing.js';
import { messageHistoryHandler } from './message-history.js';
import { messageLookupHandlers } from './message-lookup.js';
import { messageReportHandler } from './message-report.js';
import { messageHandlers } from './messages.js';
import { peopleHandlers, type PeopleParts } from './people.js';
import { linkifierHandlers } from './linkifiers.js';
import { mutedUserHandlers } from './muted-users.js';
import { personalHandlers } from './personal.js';
import { navigationViewHandlers } from './navigation-views.js';
import { playgroundHandlers } from './playgrounds.js';
import { reactionHandlers } from './reactions.js';
import { pushHandlers } from './push.js';
import { presenceHandlers } from './presence.js';
import { realmImageHandlers } from './realm-images.js';
import { realmHandlers } from './realm.js';
import { realmDomainHandlers } from './realm-domains.js';
import { registerHandlers } from './register/register.js';
import { reminderHandlers } from './reminders.js';
import { scheduledMessageHandlers } from './scheduled-messages.js';
import { serverSettingsHandler } from './server-settings.js';
import { settingsHandlers } from './settings.js';
import { socketTicketHandlers, type SocketTickets } from './socket-tickets.js';
import { subscriptionPropertyHandlers } from './subscription-properties.js';
import { subscriptionHandlers } from './subscriptions.js';
import { typingHandler } from './typing.js';
import { uploadHandlers, type UploadParts } from './uploads.js';
import { unofferedHandlers } from './unoffered.js';
import { userGroupHandlers } from './user-groups.js';
import { userHandlers } from './users.js';
import { userTopicHandlers } from './user-topics.js';

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
