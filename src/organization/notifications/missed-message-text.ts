import type { MissedMessagesMail } from '../../../schemas/mail/outgoing-mail-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { TRIGGERS, type Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Mail } from '../../services/mail.js';
import { html, type Html } from '../../services/text/html.js';
import { mailButton, mailDocument, mailParagraphs } from '../mail/layout.js';
import { MailAddresses, REPLY_DAYS } from '../mail/mail-addresses.js';
import { oneLine, type Envelope } from '../mail/texts.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import { conversationOf } from './conversations.js';
import {
  messageAsHtml,
  messageAsText,
  MessageShower,
  showsContent,
  subjectPrefix,
  unsubscribeHeaders,
  whyHidden,
  type ShownMessage,
} from './shown-messages.js';
import { unsubscribeUrl } from './unsubscribe.js';

/** Messages before a mention that are shown with it, and their greatest age before it, seconds. */
const CONTEXT_MESSAGES = 10;
const CONTEXT_SECONDS = 15 * 60;
/** Length of what a mail shows of messages, UTF-16 units: mail programs cut longer ones off. */
const MAX_SHOWN = 100_000;

/**
 * Makes the mail about messages of one conversation, as they are when it is sent.
 * @returns null where all of them were read, deleted, or are out of the user's reach
 */
export async function composeMissed(
  org: Organization,
  keys: LinkKeys,
  content: MissedMessagesMail,
  envelope: Envelope,
): Promise<Mail | null> {
  const user = org.users.get(content.user_id);
  if (!user?.is_active || org.realm.isDeactivated) return null;
  const found = await messagesOf(org, user, content);
  const [newest] = found.missed.slice(-1);
  if (!newest) return null;
  const shows = showsContent(org, user);
  const { name, url } = conversationOf(org, newest, user);
  const shown = shows ? await shownMessages(org, user, found) : [];
  const omitted = shows ? found.context.length + found.missed.length - shown.length : 0;
  const replyTo = shows ? replyAddress(org, keys, user, newest, envelope) : null;
  const count = found.missed.length + content.more;
  const parts: Parts = {
    subject: oneLine(`${subjectPrefix(org, user)}${shows ? name : 'New messages'}`),
    why: whyOf(found.triggers),
    shown,
    notes: [
      ...(shows ? [] : [hiddenNote(org, count)]),
      ...(omitted > 0 ? [`${omitted} messages before these are not shown.`] : []),
      ...(content.more > 0 ? [`${content.more} further messages are not listed in any mail.`] : []),
    ],
    // The address would reveal the names of channel and topic.
    replyUrl: shows ? url : `${org.site.url}/`,
    realm: org.realm.current.name,
    unsubscribe: unsubscribeUrl(org, keys, 'missed_messages', user.user_id),
    takesReplies: replyTo !== null,
  };
  return {
    ...envelope,
    to: user.email,
    ...(replyTo === null ? {} : { replyTo }),
    subject: parts.subject,
    text: asText(parts),
    html: asHtml(parts).text,
    headers: unsubscribeHeaders(parts.unsubscribe),
  };
}

/** Where the user answers into the conversation by mail; null where this server takes none. */
function replyAddress(
  org: Organization,
  keys: LinkKeys,
  { user_id }: UserDocument,
  { id }: MessageDocument,
  { date }: Envelope,
): string | null {
  const { mailPattern } = org.site;
  return mailPattern ? new MailAddresses(mailPattern, keys).ofReply(user_id, id, date) : null;
}

interface FoundMessages {
  /** Ascending by id. */
  readonly missed: readonly MessageDocument[];
  readonly context: readonly MessageDocument[];
  readonly triggers: ReadonlySet<Trigger>;
}

async function messagesOf(
  org: Organization,
  user: UserDocument,
  { messages }: MissedMessagesMail,
): Promise<FoundMessages> {
  const unread = unreadAmong(org, user, messages);
  const ids = unread.map(({ id }) => id).sort((a, b) => a - b);
  const triggers = new Set(unread.map(({ trigger }) => trigger));
  const contextIds = wantsContext(triggers) && ids.length > 0 ? before(org, user, ids[0]!) : [];
  const documents = await org.messages.fetch([...contextIds, ...ids]);
  // It may have been read while the store was asked.
  const still = new Set(unreadAmong(org, user, messages).map(({ id }) => id));
  const of = (list: readonly number[]): MessageDocument[] =>
    list.flatMap((id) => documents.get(id) ?? []);
  return { missed: of(ids.filter((id) => still.has(id))), context: of(contextIds), triggers };
}

function unreadAmong(
  org: Organization,
  user: UserDocument,
  messages: MissedMessagesMail['messages'],
): MissedMessagesMail['messages'] {
  const access = new MessageAccess(org, user);
  return messages.filter(({ id }) => access.isUnread(id));
}

/** The user who is named wants to know what it is about. */
function wantsContext(triggers: ReadonlySet<Trigger>): boolean {
  return ['mention', 'wildcard', 'followed_topic_wildcard', 'alert_word'].some((trigger) =>
    triggers.has(trigger as Trigger),
  );
}

/** The messages of the topic just before one, ascending. */
function before(org: Organization, user: UserDocument, id: number): number[] {
  const { index } = org.messages;
  const list = index.topicOf(id)?.list;
  const at = index.peek(id)?.timestamp;
  if (!list || at === undefined) return [];
  const access = new MessageAccess(org, user);
  const found: number[] = [];
  const end = list.lowerBound(id);
  for (let i = end - 1; i >= 0 && i >= end - CONTEXT_MESSAGES; i--) {
    const one = index.peek(list.at(i)!)!;
    if (one.timestamp < at - CONTEXT_SECONDS) break;
    const isMuted = org.mutedUsers.mutersOf(one.sender_id).has(user.user_id);
    if (!isMuted && access.canSee(one.id)) found.unshift(one.id);
  }
  return found;
}

function hiddenNote(org: Organization, count: number): string {
  const messages = count === 1 ? 'You have a new message.' : `You have ${count} new messages.`;
  return `${messages} ${whyHidden(org)}`;
}

const REASONS: Readonly<Record<Trigger, string>> = {
  direct_message: 'you were sent a direct message',
  mention: 'you were mentioned',
  followed_topic_wildcard: 'everybody in a topic that you follow was mentioned',
  wildcard: 'everybody in the conversation was mentioned',
  alert_word: 'a message has one of your alert words',
  followed_topic: 'you follow the topic',
  channel: 'you asked for mails about messages to this channel',
};

/** The strongest reason. */
function whyOf(triggers: ReadonlySet<Trigger>): string {
  const strongest = TRIGGERS.find((trigger) => triggers.has(trigger)) ?? 'channel';
  return `You receive this mail because ${REASONS[strongest]} and were away.`;
}

/** The newest messages that the mail has room for, ascending. */
async function shownMessages(
  org: Organization,
  user: UserDocument,
  { missed, context }: FoundMessages,
): Promise<ShownMessage[]> {
  const pause = new EventLoopYield();
  const shower = new MessageShower(org, user);
  const shown: ShownMessage[] = [];
  let room = MAX_SHOWN;
  for (const message of [...context, ...missed].reverse()) {
    room -= message.rendered_content.length;
    if (room < 0 && shown.length > 0) break;
    shown.unshift(shower.show(message));
    if (pause.isDue) await pause.take();
  }
  return shown;
}

/** What a mail is made of. */
interface Parts {
  readonly subject: string;
  readonly why: string;
  readonly shown: readonly ShownMessage[];
  readonly notes: readonly string[];
  readonly replyUrl: string;
  readonly realm: string;
  readonly unsubscribe: string;
  /** Whether an answer to the mail goes to the conversation. */
  readonly takesReplies: boolean;
}

const NO_REPLY = 'Nobody reads replies to this mail.';
const REPLY = `A reply to this mail within ${REPLY_DAYS} days is posted in the conversation, in your name.`;

function replyHint({ takesReplies }: Parts): string {
  return takesReplies ? REPLY : NO_REPLY;
}

function asText(parts: Parts): string {
  const { shown, notes, replyUrl, realm, why, unsubscribe } = parts;
  const messages = shown.map(messageAsText);
  const reply = `Read and reply in ${realm}:\n${replyUrl}\n${replyHint(parts)}`;
  const foot = `--\n${why}\nUnsubscribe from these mails: ${unsubscribe}`;
  return `${[...messages, ...notes, reply, foot].join('\n\n')}\n`;
}

function asHtml(parts: Parts): Html {
  const { subject, shown, notes, replyUrl, realm, why, unsubscribe } = parts;
  return mailDocument({
    organization: realm,
    subject,
    body: html`${shown.map(messageAsHtml)}${mailParagraphs(notes)}${mailButton(replyUrl, `Read and reply in ${realm}`)}
      <p>${replyHint(parts)}</p> `,
    foot: html`${why} <a href="${unsubscribe}">Unsubscribe from these mails</a>.`,
  });
}
