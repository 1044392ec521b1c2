import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import type { Organization } from '../state/organization.js';
import { noticeReason } from './decide.js';
import { MessageFacts } from './facts.js';

/** Receivers to whom a client that is open shows a notice, ascending, by the reason. */
export type Notices = Readonly<Partial<Record<Trigger, readonly number[]>>>;

/**
 * Who among those with queues that take notices is shown one of a message, at this moment; null: nobody.
 * @param readers those for whom the message is read on arrival
 */
export function noticesOf(
  org: Organization,
  message: MessageDocument,
  readers: readonly number[],
): Notices | null {
  const { noticed } = org.watchers;
  if (noticed.size === 0) return null;
  const notices: Partial<Record<Trigger, number[]>> = {};
  const facts = new MessageFacts(org, message);
  let isEmpty = true;
  for (const userId of concernedBy(org, message)) {
    if (!noticed.has(userId)) continue;
    const reason = noticeReason(facts.of(userId, false, readers.includes(userId)));
    if (reason === null) continue;
    (notices[reason] ??= []).push(userId);
    isEmpty = false;
  }
  if (isEmpty) return null;
  for (const users of Object.values(notices)) users.sort((a, b) => a - b);
  return notices;
}

/**
 * Receivers whom the message may concern. In a large channel in which nobody is named these are the few who asked to be
 * shown everything there, or follow the topic.
 */
function concernedBy(org: Organization, message: MessageDocument): Iterable<number> {
  const { stream_id: channelId, topic, mentioned, topic_wildcard, alerted } = message;
  if (channelId === null) return org.conversations.get(message.recipient_id)!.user_ids;
  const { subscriptions, userTopics, settings, watchers } = org;
  const { shownChannels } = settings;
  if (message.channel_wildcard || shownChannels.size > subscriptions.subscriberCount(channelId)) {
    return subscriptions.subscribers(channelId);
  }
  const concerned = new Set<number>();
  for (const some of [
    ...[mentioned, topic_wildcard, alerted, shownChannels],
    ...[userTopics.usersOf(channelId, topic), subscriptions.shownAll(channelId)],
  ]) {
    for (const userId of some) {
      const isThere = watchers.noticed.has(userId) && subscriptions.isSubscribed(userId, channelId);
      if (isThere) concerned.add(userId);
    }
  }
  return concerned;
}
