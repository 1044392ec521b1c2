import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mention } from '../messages/message-markup.js';
import { sendAsSystem, sendNotice, systemBot } from '../messages/sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';
import { noticesTo, noticesToAll } from '../views/languages.js';
import { queueMailIfRoom } from '../mail/delivery.js';
import { closeInvitationsTo } from './invite.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';

/** The inviter of a new user, and their welcome message. */
interface Welcome {
  /** Gets a direct message; absent where the invitation asks for none. */
  readonly referrer?: UserDocument;
  /** Inviter of the accepted invitation, who gets `invites_changed`. */
  readonly invitedBy?: number;
  /** Null or absent means the organization's, empty means none. */
  readonly customText?: string | null;
}

/**
 * Posts the messages about a new account, after its own events (endpoints-invitations.md#sign-up-messages;
 * events.md#order, "create user"): a direct message to the inviter, the Welcome Bot's greeting, and a mail where the
 * organization sends them, the notice in the sign-ups topic. Emits `invites_changed` where that ends invitations of the
 * address.
 */
export function welcomeUser(
  tx: Transaction,
  markdown: Markdown,
  user: UserDocument,
  { referrer, invitedBy, customText }: Welcome = {},
): void {
  const { org } = tx;
  if (referrer?.is_active) {
    const say = noticesTo(org, referrer.user_id);
    const text = say('invitation.accepted', { user: mention(user) });
    sendNotice(tx, markdown, { users: [referrer] }, text);
  }
  closeInvitationsTo(tx, user.email, invitedBy);
  const bot = systemBot(org, 'welcome-bot');
  // Whoever joins is at the page that they joined by.
  const to = { users: [user], unannounced: true } as const;
  const greeting = noticesTo(org, user.user_id)('welcome', {
    organization: org.realm.current.name,
  });
  sendAsSystem(tx, markdown, bot, to, greeting);
  if (org.realm.current.send_welcome_emails) {
    queueMailIfRoom(tx, user.email, { kind: 'welcome', full_name: user.full_name });
  }
  const custom = customText ?? org.realm.current.welcome_message_custom_text;
  if (custom.trim() !== '') sendAsSystem(tx, markdown, bot, to, custom);
  postJoinNotice(tx, (open, place, content) => sendNotice(open, markdown, place, content), user);
}

/** Sends a message of the notification bot to a topic. */
export type SendNotice = (
  tx: Transaction,
  target: { readonly channel: ChannelDocument; readonly topic: string },
  content: string,
) => unknown;

/** Posts in the channel for sign-ups that a user joined (endpoints-invitations.md#sign-up-messages). */
export function postJoinNotice(tx: Transaction, send: SendNotice, user: UserDocument): void {
  const { org } = tx;
  const channel = org.channels.get(org.realm.current.signup_announcements_stream_id);
  if (!channel || channel.is_archived) return;
  const say = noticesToAll(org);
  const topic = channel.topics_policy === 'empty_topic_only' ? '' : say('topic.signups');
  const content = say('joined', { user: mention(user) });
  send(tx, { channel, topic }, content);
}
