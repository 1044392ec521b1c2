import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { MAX_DIGEST_TOPICS } from '../../../schemas/limits.js';
import type { DigestMail } from '../../../schemas/mail/outgoing-mail-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Say } from '../../languages/catalogs.js';
import type { Language } from '../../languages/languages.js';
import { texts } from '../../languages/texts.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Mail } from '../../services/mail.js';
import { html, type Html } from '../../services/text/html.js';
import { canSeeChannel } from '../access/permissions.js';
import { dimmed, mailButton, mailDocument, mailParagraphs } from '../mail/layout.js';
import { oneLine, type Envelope } from '../mail/texts.js';
import { MessageAccess } from '../messages/message-access.js';
import type { TopicEntry } from '../state/message-index/posting-lists.js';
import type { Organization } from '../state/organization.js';
import { languageOfUser } from '../views/languages.js';
import { isTopicMuted } from '../topics/topic-policy.js';
import { channelUrl, conversationOf } from './conversations.js';
import { isNews, senderOf } from './digest-topics.js';
import { getsDigest, sendsDigests } from './digests.js';
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

/** Messages of each topic that are shown. */
const SHOWN = 2;
/** Messages of a topic that are counted, the newest. */
const MAX_COUNTED = 1000;
/** Length of all messages that are shown, UTF-16 units of their HTML: longer ones are only counted. */
const MAX_SHOWN = 50_000;
/** New channels that are named. */
const NAMED_CHANNELS = 10;

/** What a user has unread in a topic. */
interface UnreadTopic {
  readonly messages: number;
  /** Whether there are more. */
  readonly isMore: boolean;
  readonly people: number;
  /** The first ones. */
  readonly shown: readonly number[];
}

/** A topic as the mail shows it. */
interface ShownTopic {
  readonly name: string;
  readonly url: string;
  readonly count: string;
  readonly messages: readonly ShownMessage[];
}

/** What a mail is made of. */
interface Parts {
  readonly language: Language;
  readonly subject: string;
  readonly topics: readonly ShownTopic[];
  readonly channels: readonly ChannelDocument[];
  readonly notes: readonly string[];
  readonly realm: string;
  readonly site: string;
  readonly unsubscribe: string;
  readonly urlOf: (channel: ChannelDocument) => string;
}

/**
 * Makes a digest, of what the user may see and has not read when it is sent.
 * @returns null where that is nothing, or the user was here meanwhile, or wants none
 */
export async function composeDigest(
  org: Organization,
  keys: LinkKeys,
  content: DigestMail,
  envelope: Envelope,
): Promise<Mail | null> {
  const user = org.users.get(content.user_id);
  if (!user || !sendsDigests(org) || !getsDigest(org, user)) return null;
  const shows = showsContent(org, user);
  const language = languageOfUser(org, user.user_id);
  const say = texts('mails', language);
  const shownIds = shows ? unreadTopics(org, user, content).flatMap(({ shown }) => shown) : [];
  const documents = await org.messages.fetch(shownIds);
  // What was read, moved or deleted while the store was asked is not in it.
  const unread = unreadTopics(org, user, content);
  const channels = newChannels(org, user, content);
  if (unread.length + channels.length === 0) return null;
  const parts: Parts = {
    language,
    subject: oneLine(`${subjectPrefix(org, user)}${say('digest.subject')}`),
    topics: shows ? shownTopics(org, user, unread, documents) : [],
    channels: shows ? channels : [],
    notes: shows ? [] : [`${countsAlone(say, unread, channels.length)} ${whyHidden(org, say)}`],
    realm: org.realm.current.name,
    site: org.site.url,
    unsubscribe: unsubscribeUrl(org, keys, 'digest', user.user_id),
    urlOf: (channel) => channelUrl(org, channel),
  };
  // Documents of the topics may have gone since they were read.
  if (shows && parts.topics.length + parts.channels.length === 0) return null;
  return {
    ...envelope,
    to: user.email,
    subject: parts.subject,
    text: asText(parts, say),
    html: asHtml(parts, say).text,
    headers: unsubscribeHeaders(parts.unsubscribe),
  };
}

/** The topics of the mail in which the user has something unread, as they are now. */
function unreadTopics(org: Organization, user: UserDocument, content: DigestMail): UnreadTopic[] {
  const access = new MessageAccess(org, user);
  const known = new Set<TopicEntry>();
  const found: UnreadTopic[] = [];
  for (const ids of content.topics) {
    const topic = ids.map((id) => org.messages.index.topicOf(id)).find((one) => one !== undefined);
    // Two may have become one.
    if (!topic || known.has(topic) || found.length === MAX_DIGEST_TOPICS) continue;
    known.add(topic);
    const channel = org.channels.byRecipient(topic.recipientId);
    if (!channel || channel.is_archived || isTopicMuted(org, user.user_id, channel, topic.name)) {
      continue;
    }
    const unread = unreadIn(access, topic, content);
    if (unread.messages > 0) found.push(unread);
  }
  return found;
}

function unreadIn(access: MessageAccess, { list }: TopicEntry, content: DigestMail): UnreadTopic {
  const people = new Set<number>();
  const oldest: number[] = [];
  let messages = 0;
  let i = list.lowerBound(content.last_message + 1) - 1;
  for (let looked = 0; i >= 0 && looked < MAX_COUNTED; i--, looked++) {
    const id = list.at(i)!;
    if (id < content.first_message) break;
    if (!isNews(access, id)) continue;
    messages += 1;
    const sender = senderOf(access.org, id);
    if (!people.has(sender) && access.org.users.get(sender)?.is_bot === false) people.add(sender);
    if (oldest.unshift(id) > SHOWN) oldest.pop();
  }
  const isMore = i >= 0 && list.at(i)! >= content.first_message;
  return { messages, isMore, people: people.size, shown: oldest };
}

/** New channels that the user may see, as they are now. */
function newChannels(
  org: Organization,
  user: UserDocument,
  { channels }: DigestMail,
): ChannelDocument[] {
  return channels.flatMap((id) => {
    const channel = org.channels.get(id);
    if (!channel || channel.is_archived || channel.invite_only) return [];
    return canSeeChannel(org, user, channel) ? [channel] : [];
  });
}

function shownTopics(
  org: Organization,
  user: UserDocument,
  topics: readonly UnreadTopic[],
  documents: ReadonlyMap<number, MessageDocument>,
): ShownTopic[] {
  const say = texts('mails', languageOfUser(org, user.user_id));
  const shower = new MessageShower(org, user);
  let room = MAX_SHOWN;
  return topics.flatMap((topic): ShownTopic[] => {
    const found = topic.shown.flatMap((id) => documents.get(id) ?? []);
    const [first] = found;
    if (!first) return [];
    const fitting = found.filter(({ rendered_content: { length } }) => {
      const fits = length <= room;
      if (fits) room -= length;
      return fits;
    });
    const { name, url } = conversationOf(org, first, user);
    const messages = fitting.map((one) => shower.show(one));
    return [{ name, url, count: countOf(say, topic), messages }];
  });
}

function countOf(say: Say<'mails'>, { messages, isMore, people }: UnreadTopic): string {
  const unread = unreadCount(say, messages, isMore);
  return people === 0 ? unread : say('digest.by', { unread, people });
}

function unreadCount(say: Say<'mails'>, count: number, isMore: boolean): string {
  return say(isMore ? 'digest.unread-more' : 'digest.unread', { count });
}

function countsAlone(say: Say<'mails'>, topics: readonly UnreadTopic[], count: number): string {
  const sum = topics.reduce((before, one) => before + one.messages, 0);
  const isMore = topics.some((one) => one.isMore);
  const unread = unreadCount(say, sum, isMore);
  const messages = say('digest.in-topics', { unread, topics: topics.length });
  const channels = say('digest.channel-count', { count });
  const both = say('digest.both', { messages, channels });
  return say('digest.missed', { what: sum === 0 ? channels : count === 0 ? messages : both });
}

/** How many channels are not named. */
function unnamed(say: Say<'mails'>, channels: readonly ChannelDocument[]): string {
  const count = channels.length - NAMED_CHANNELS;
  return count > 0 ? ` ${say('digest.more-channels', { count })}` : '';
}

function asText(parts: Parts, say: Say<'mails'>): string {
  const { topics, channels, notes, realm, site, unsubscribe, urlOf } = parts;
  const about = topics.map(({ name, url, count, messages }) =>
    [`${name}: ${count}\n${url}`, ...messages.map(messageAsText)].join('\n\n'),
  );
  const named = channels.slice(0, NAMED_CHANNELS);
  const list = named.map((channel) => `#${channel.name}: ${urlOf(channel)}`).join('\n');
  const fresh =
    named.length === 0 ? [] : [`${say('digest.new-channels')}\n${list}${unnamed(say, channels)}`];
  const read = `${say('digest.read', { organization: realm })}:\n${site}/`;
  const foot = `--\n${say('digest.why')}\n${say('digest.unsubscribe')}: ${unsubscribe}`;
  return `${[...about, ...fresh, ...notes, read, foot].join('\n\n')}\n`;
}

function asHtml(parts: Parts, say: Say<'mails'>): Html {
  const { language, subject, topics, channels, notes, realm, site, unsubscribe, urlOf } = parts;
  const named = channels.slice(0, NAMED_CHANNELS);
  return mailDocument({
    language,
    organization: realm,
    subject,
    body: html`${topics.map(
      ({ name, url, count, messages }) =>
        html`<h2 style="margin-bottom: 0; font-size: 16px"><a href="${url}">${name}</a></h2>
          <p style="margin-top: 0">${dimmed(count)}</p>
          ${messages.map(messageAsHtml)}`,
    )}${
      named.length > 0 &&
      html`<p>
        ${say('digest.new-channels')}
        ${named.map(
          (channel, i) =>
            html`${i > 0 ? ', ' : ''}<a href="${urlOf(channel)}">#${channel.name}</a>`,
        )}${unnamed(say, channels)}
      </p> `
    }${mailParagraphs(notes)}${mailButton(`${site}/`, say('digest.read', { organization: realm }))}`,
    foot: html`${say('digest.why')} <a href="${unsubscribe}">${say('digest.unsubscribe')}</a>.`,
  });
}
