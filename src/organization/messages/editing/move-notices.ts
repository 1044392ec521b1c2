import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { encodeHashComponent } from '../../../services/markdown/channel-links.js';
import { markdownLink } from '../../../languages/markdown-link.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import { shownTopic } from '../../../journal/renderers/message.js';
import { mention } from '../message-markup.js';
import { sendNotice } from '../sending/notification-bot.js';
import type { Transaction } from '../../state/transaction.js';
import type { MovePlan, TopicPlace } from '../../topics/moved-topic.js';
import { MAX_NOTICE_READERS } from '../../../../schemas/limits.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import type { Organization } from '../../state/organization.js';
import { noticesToAll } from '../../views/languages.js';

/** Which notices about a move the client requested. */
export interface WantedNotices {
  readonly oldThread: boolean;
  readonly newThread: boolean;
}

/** The result of a move. */
interface MoveOutcome {
  readonly user: UserDocument;
  readonly move: MovePlan;
  /** Number of moved messages. */
  readonly count: number;
  /** Whether no message is left in the old topic. */
  readonly whole: boolean;
}

/** Posts the notification bot's notices about a move (endpoints-messages.md#one-message). */
export function postMoveNotices(
  tx: Transaction,
  markdown: Markdown,
  outcome: MoveOutcome,
  wanted: WantedNotices,
): void {
  const { user, move, count, whole } = outcome;
  const { from, to, resolution } = move;
  const say = noticesToAll(tx.org);
  const actor = mention(user);
  if (resolution !== null) {
    if (whole) {
      const target = { ...to, readBy: resolvedNoticesReadBy(tx.org, to) };
      sendNotice(tx, markdown, target, say(resolution, { actor }));
    }
    return;
  }
  // A topic that only changes its spelling is the same thread.
  if (isSameThread(from, to)) return;
  // Links resolve with the access of the acting user: the bot does not see private channels.
  if (wanted.oldThread) {
    const place = link(to);
    const content = whole
      ? say('moved.topic-to', { place, actor })
      : say('moved.messages-to', { count, place, actor });
    sendNotice(tx, markdown, { ...from, linkAccess: user }, content);
  }
  if (wanted.newThread) {
    const place = link(from);
    const content = whole
      ? say('moved.topic-from', { place, actor })
      : say('moved.messages-from', { count, place, actor });
    sendNotice(tx, markdown, { ...to, linkAccess: user }, content);
  }
}

function isSameThread(from: TopicPlace, to: TopicPlace): boolean {
  return (
    from.channel.stream_id === to.channel.stream_id &&
    from.topic.toLowerCase() === to.topic.toLowerCase()
  );
}

/** Characters that would end the short form of a link, or have another meaning inside. */
const UNLINKABLE = /[`>*&[\]\\]|\$\$|@\d+$/;

/**
 * A link to a topic. Where the short form cannot represent a name, for example because of stars in it, it
 * is an ordinary link to the same address.
 */
function link({ channel, topic }: TopicPlace): string {
  const { name } = channel;
  if (!UNLINKABLE.test(name) && !UNLINKABLE.test(topic)) {
    return `#**${name}>${topic}**`;
  }
  const shown = shownTopic(topic, false);
  return markdownLink(`#${name} > ${shown}`, addressOf(channel, topic));
}

function addressOf({ stream_id, name }: ChannelDocument, topic: string): string {
  const slug = encodeHashComponent(name.replaceAll(' ', '-'));
  return `/#narrow/channel/${stream_id}-${slug}/topic/${encodeHashComponent(topic)}`;
}

/**
 * Users for whom the notice that a topic was resolved or unresolved is read at once, by each subscriber's
 * setting (settings.md#user-settings, `resolved_topic_notice_auto_read_policy`). Each of them costs a
 * document, so in channels with more than `MAX_NOTICE_READERS` subscribers it is unread for all.
 */
function resolvedNoticesReadBy(
  org: Organization,
  { channel, topic }: { readonly channel: ChannelDocument; readonly topic: string },
): number[] {
  const { stream_id } = channel;
  if (org.subscriptions.subscriberCount(stream_id) > MAX_NOTICE_READERS) return [];
  return org.subscriptions.subscribers(stream_id).filter((userId) => {
    const policy = org.settings.value(userId, 'resolved_topic_notice_auto_read_policy');
    if (policy !== 'except_followed') return policy === 'always';
    return org.userTopics.policy(userId, stream_id, topic) !== VISIBILITY.followed;
  });
}
