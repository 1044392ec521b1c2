import type { MissedMessagesMail } from '../../../schemas/mail/outgoing-mail-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { TRIGGERS, type Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Say } from '../../languages/catalogs.js';
import type { Language } from '../../languages/languages.js';
import { texts } from '../../languages/texts.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Mail } from '../../services/mail.js';
import { html, type Html } from '../../services/text/html.js';
import { mailButton, mailDocument, mailParagraphs } from '../mail/layout.js';
import { MailAddresses, REPLY_DAYS } from '../mail/mail-addresses.js';
import { oneLine, type Envelope } from '../mail/texts.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import { languageOfUser } from '../views/languages.js';
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
  const language = languageOfUser(org, user.user_id);
  const say = texts('mails', language);
  const { name, url } = conversationOf(org, newest, user);
  const shown = shows ? await shownMessages(org, user, found) : [];
  const omitted = shows ? found.context.length + found.missed.length - shown.length : 0;
  const replyTo = shows ? replyAddress(org, keys, user, newest, envelope) : null;
  const count = found.missed.length + content.more;
  const parts: Parts = {
    language,
    subject: oneLine(`${subjectPrefix(org, user)}${shows ? name : say('missed.new-messages')}`),
    why: say(`missed.why.${strongestOf(found.triggers)}`),
    shown,
    notes: [
      ...(shows ? [] : [`${say('missed.count', { count })} ${whyHidden(org, say)}`]),
      ...(omitted > 0 ? [say('missed.omitted', { count: omitted })] : []),
      ...(content.more > 0 ? [say('missed.more', { count: content.more })] : []),
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
    text: asText(parts, say),
    html: asHtml(parts, say).text,
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

/** The strongest reason. */
function strongestOf(triggers: ReadonlySet<Trigger>): Trigger {
  return TRIGGERS.find((trigger) => triggers.has(trigger)) ?? 'channel';
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
  readonly language: Language;
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

function replyHint({ takesReplies }: Parts, say: Say<'mails'>): string {
  return takesReplies ? say('missed.reply', { days: REPLY_DAYS }) : say('missed.no-reply');
}

function asText(parts: Parts, say: Say<'mails'>): string {
  const { shown, notes, replyUrl, realm, why, unsubscribe } = parts;
  const messages = shown.map(messageAsText);
  const read = say('missed.read-and-reply', { organization: realm });
  const reply = `${read}:\n${replyUrl}\n${replyHint(parts, say)}`;
  const foot = `--\n${why}\n${say('missed.unsubscribe')}: ${unsubscribe}`;
  return `${[...messages, ...notes, reply, foot].join('\n\n')}\n`;
}

function asHtml(parts: Parts, say: Say<'mails'>): Html {
  const { language, subject, shown, notes, replyUrl, realm, why, unsubscribe } = parts;
  const read = say('missed.read-and-reply', { organization: realm });
  return mailDocument({
    language,
    organization: realm,
    subject,
    body: html`${shown.map(messageAsHtml)}${mailParagraphs(notes)}${mailButton(replyUrl, read)}
      <p>${replyHint(parts, say)}</p> `,
    foot: html`${why} <a href="${unsubscribe}">${say('missed.unsubscribe')}</a>.`,
  });
}
