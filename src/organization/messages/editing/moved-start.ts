import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { canReadChannel } from '../../access/permissions.js';
import type { PostingList } from '../../state/message-index/posting-lists.js';
import type { Intervals } from '../../state/message-index/intervals.js';
import type { Transaction } from '../../state/transaction.js';
import type { MovePlan } from '../../topics/moved-topic.js';
import { followByAction } from '../../topics/topic-policy.js';
import { MessageAccess } from '../message-access.js';

/**
 * Follows or unmutes a topic for the author of the message that a move made its first one, by the settings for topics
 * that one starts (endpoints-messages.md#one-message): who wrote in the wrong topic has what they would have if they had
 * written in the right one. What other people may see of the topic decides for them alone: to an author who cannot
 * read the earlier messages theirs is the first.
 *
 * @param moved the messages that moved, ascending, before the move
 */
export function followMovedStart(
  tx: Transaction,
  { from, to, resolution }: MovePlan,
  moved: readonly MessageDocument[],
): void {
  const { org } = tx;
  const first = moved[0]!;
  const author = org.users.get(first.sender_id);
  if (!author?.is_active || !canReadChannel(org, author, to.channel)) return;
  const { index } = org.messages;
  const topic = index.topic(to.channel.recipient_id, to.topic);
  if (!topic) return;
  const isWhole = index.topic(from.channel.recipient_id, from.topic) === undefined;
  // A topic that got another name is not started again: what its people chose goes along with it.
  if (resolution !== null || (isWhole && topic.list.length === moved.length)) return;
  const visible = new MessageAccess(org, author).visible(to.channel.recipient_id);
  if (firstIn(topic.list, visible) !== first.id) return;
  followByAction(tx, author, to.channel, to.topic, 'starts');
}

/** The lowest id of the list in the intervals. */
function firstIn(list: PostingList, intervals: Intervals): number | undefined {
  for (const [from, to] of intervals) {
    const next = list.at(list.lowerBound(from));
    if (next !== undefined && next <= to) return next;
  }
  return undefined;
}
