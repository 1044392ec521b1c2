import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import {
  EMPTY_TOPIC_DISPLAY_NAME,
  MAX_UNREAD_MESSAGES,
  RECENT_CONVERSATION_MESSAGES,
} from '../../../../schemas/limits.js';
import type { Organization } from '../../state/organization.js';
import { isTopicMuted } from '../../topics/topic-policy.js';
import { MessageAccess } from '../message-access.js';
import { unreadPlaces } from './unread-places.js';
import { allAtOnce } from '../../state/snapshot-moment.js';
import { isWithinOne, subtract } from '../../state/message-index/intervals.js';
import type { TopicEntry, PostingList } from '../../state/message-index/posting-lists.js';
import {
  MadeSource,
  MergedCursor,
  whole,
  type Source,
} from '../../state/message-index/merged-cursor.js';

/** Start of a cursor at the newest message. */
const FROM_THE_NEWEST = Number.MAX_SAFE_INTEGER - 1;

interface DirectUnread {
  other_user_id: number;
  /** Older copy of `other_user_id`. */
  sender_id: number;
  unread_message_ids: number[];
}

interface TopicUnread {
  stream_id: number;
  topic: string;
  unread_message_ids: number[];
}

interface GroupUnread {
  user_ids_string: string;
  unread_message_ids: number[];
}

/** `unread_msgs` of a snapshot (register-structures.md#unread-msgs). */
export interface UnreadMessages {
  count: number;
  pms: DirectUnread[];
  streams: TopicUnread[];
  huddles: GroupUnread[];
  mentions: number[];
  old_unreads_missing: boolean;
}

/** A viewer's unread messages by conversation; read ranges are skipped. */
export function unreadSources(access: MessageAccess, recipients: Iterable<number>): Source[] {
  const sources: Source[] = [];
  for (const recipientId of recipients) {
    const source = unreadSource(access, recipientId);
    if (source) sources.push(source);
  }
  return sources;
}

/** Null where there are none, as a look at the list's ends tells; others may turn out to have none either. */
function unreadSource(access: MessageAccess, recipientId: number): Source | null {
  const { org, user } = access;
  const list = org.messages.index.conversation(recipientId);
  const read = org.readState.ranges(user.user_id, recipientId);
  if (list.length === 0 || isWithinOne(read, [list.first!, list.last!])) return null;
  return new MadeSource(list, () => subtract(access.received(recipientId), read));
}

/** Ids per step of what is done for each of many: a step takes some microseconds. */
const IDS_PER_STEP = 32;

interface NewestUnread {
  /** Ascending. */
  readonly ids: number[];
  /** Whether there are older ones. */
  readonly more: boolean;
}

/** The newest unread ids up to `newest`, at most `limit`, in steps. */
function* newestUnread(
  access: MessageAccess,
  newest: number,
  limit: number,
): Generator<void, NewestUnread> {
  const sources: Source[] = [];
  for (const recipientId of yield* unreadPlaces(access)) {
    const source = unreadSource(access, recipientId);
    if (source) sources.push(source);
    yield;
  }
  const cursor = new MergedCursor(sources, 'down', newest);
  const ids: number[] = [];
  let id = cursor.next();
  for (; id !== undefined && ids.length < limit; id = cursor.next()) {
    ids.push(id);
    if (ids.length % IDS_PER_STEP === 0) yield;
  }
  return { ids: ids.reverse(), more: id !== undefined };
}

/** Client choices that the snapshot depends on. */
export interface UnreadOptions {
  /** The queue declared `empty_topic_name`. */
  readonly emptyTopicName: boolean;
}

/** What all unread messages of a topic or direct conversation have in common. */
interface UnreadPlace {
  readonly ids: number[];
  readonly isMuted: boolean;
  /** Whether wildcard mentions there notify the user. */
  readonly wildcardsNotify: boolean;
}

/** UnreadReport collects `unread_msgs` message by message: there may be fifty thousand. */
export class UnreadReport {
  private readonly places = new Map<number, UnreadPlace>();
  /** What has been added, ascending, and how many of these were taken out again. */
  private readonly ids: number[] = [];
  private dropped = 0;
  /** Messages that mention the user, and those with wildcard mentions; no empty lists. */
  private readonly mentions: readonly PostingList[];
  private readonly wildcards: readonly PostingList[];
  readonly result: UnreadMessages;

  constructor(
    private readonly org: Organization,
    private readonly user: UserDocument,
    private readonly options: UnreadOptions,
    more: boolean,
    private readonly limit: number,
  ) {
    const { notified } = org.messages.index;
    const isNotEmpty = ({ length }: PostingList) => length > 0;
    this.mentions = [notified.mentionsOf(user.user_id)].filter(isNotEmpty);
    const wildcards = [notified.channelWildcards, notified.topicWildcardsOf(user.user_id)];
    this.wildcards = wildcards.filter(isNotEmpty);
    this.result = {
      count: 0,
      pms: [],
      streams: [],
      huddles: [],
      mentions: [],
      old_unreads_missing: more,
    };
  }

  /** Adds a message that is newer than all before. */
  add(id: number): void {
    const { index } = this.org.messages;
    const topic = index.topicOf(id);
    if (!topic) return;
    this.ids.push(id);
    let place = this.places.get(topic.number);
    if (!place) this.places.set(topic.number, (place = this.placeOf(topic)));
    place.ids.push(id);
    if (!place.isMuted) this.result.count += 1;
    // Mentions always count, wildcard mentions where the user did not disable them.
    const isMentioned =
      hasAny(this.mentions, id) || (place.wildcardsNotify && hasAny(this.wildcards, id));
    if (isMentioned) this.result.mentions.push(id);
    if (this.ids.length - this.dropped > this.limit) this.dropOldest();
  }

  /** Takes out the oldest message. */
  private dropOldest(): void {
    const { result, places } = this;
    const id = this.ids[this.dropped++]!;
    const { number } = this.org.messages.index.topicOf(id)!;
    const place = places.get(number)!;
    result.old_unreads_missing = true;
    place.ids.shift();
    if (!place.isMuted) result.count -= 1;
    if (result.mentions[0] === id) result.mentions.shift();
    if (place.ids.length > 0) return;
    places.delete(number);
    for (const list of [result.streams, result.pms, result.huddles]) {
      const at = list.findIndex((one) => one.unread_message_ids === place.ids);
      if (at >= 0) list.splice(at, 1);
    }
  }

  private placeOf(topic: TopicEntry): UnreadPlace {
    const channel = this.org.channels.byRecipient(topic.recipientId);
    if (!channel) {
      return { ids: this.directIds(topic.recipientId), isMuted: false, wildcardsNotify: true };
    }
    const isMuted = isTopicMuted(this.org, this.user.user_id, channel, topic.key);
    const wildcardsNotify = !isMuted && this.wildcardsNotify(channel, topic);
    return { ids: this.topicIds(topic, channel), isMuted, wildcardsNotify };
  }

  private topicIds(topic: TopicEntry, { stream_id }: ChannelDocument): number[] {
    const hidden = topic.name === '' && !this.options.emptyTopicName;
    const unread_message_ids: number[] = [];
    this.result.streams.push({
      stream_id,
      topic: hidden ? EMPTY_TOPIC_DISPLAY_NAME : topic.name,
      unread_message_ids,
    });
    return unread_message_ids;
  }

  private directIds(recipientId: number): number[] {
    const userIds = this.org.conversations.get(recipientId)?.user_ids ?? [];
    const unread_message_ids: number[] = [];
    if (userIds.length > 2) {
      this.result.huddles.push({ user_ids_string: userIds.join(), unread_message_ids });
    } else {
      const other = userIds.find((id) => id !== this.user.user_id) ?? this.user.user_id;
      this.result.pms.push({ other_user_id: other, sender_id: other, unread_message_ids });
    }
    return unread_message_ids;
  }

  private wildcardsNotify(channel: ChannelDocument, topic: TopicEntry): boolean {
    const userId = this.user.user_id;
    const own = this.org.subscriptions.of(userId, channel.stream_id)?.wildcard_mentions_notify;
    if (own ?? this.org.settings.value(userId, 'wildcard_mentions_notify')) return true;
    const policy = this.org.userTopics.policy(userId, channel.stream_id, topic.key);
    const name = 'enable_followed_topic_wildcard_mentions_notify';
    return policy === VISIBILITY.followed && this.org.settings.value(userId, name);
  }
}

function hasAny(lists: readonly PostingList[], id: number): boolean {
  for (const list of lists) if (list.has(id)) return true;
  return false;
}

/** The report of the unread messages up to `newest`, in steps. */
export function* unreadReport(
  org: Organization,
  user: UserDocument,
  options: UnreadOptions,
  newest: number,
  limit: number,
): Generator<void, UnreadReport> {
  const { ids, more } = yield* newestUnread(new MessageAccess(org, user), newest, limit);
  const report = new UnreadReport(org, user, options, more, limit);
  for (const [i, id] of ids.entries()) {
    report.add(id);
    if (i % IDS_PER_STEP === 0) yield;
  }
  return report;
}

/**
 * The `unread_msgs` of a snapshot. Costs the number of unread messages and of conversations, not the
 * number of messages.
 */
export function unreadMessages(
  org: Organization,
  user: UserDocument,
  options: UnreadOptions = { emptyTopicName: true },
): UnreadMessages {
  const limit = MAX_UNREAD_MESSAGES;
  return allAtOnce(unreadReport(org, user, options, FROM_THE_NEWEST, limit)).result;
}

/** Starred messages that the user may read, ascending (`starred_messages`), in steps. */
export function* readableStars(org: Organization, user: UserDocument): Generator<void, number[]> {
  const access = new MessageAccess(org, user);
  const found: number[] = [];
  for (const [i, id] of org.messageFlags.starred(user.user_id).toArray().entries()) {
    if (access.canSee(id)) found.push(id);
    if (i % IDS_PER_STEP === 0) yield;
  }
  return found;
}

/**
 * Starred messages, ascending (`starred_messages`). Stars go with access to the message, and events tell of that; one that
 * is left, whichever way access was lost, is not shown.
 */
export function starredMessages(org: Organization, user: UserDocument): number[] {
  return allAtOnce(readableStars(org, user));
}

/**
 * Newest message that the user ever received, or -1 (`max_message_id`). It does not decrease when they lose
 * access, because no event would report that.
 */
export function maxMessageId(org: Organization, user: UserDocument): number {
  return new MessageAccess(org, user).newestEverSent();
}

/** One entry of `recent_private_conversations`. */
interface RecentConversation {
  /** The other participants, ascending; empty for notes to self. */
  user_ids: number[];
  max_message_id: number;
}

/** Direct conversations among about the newest thousand direct messages, newest first. */
export function recentPrivateConversations(
  org: Organization,
  user: UserDocument,
): RecentConversation[] {
  const { index } = org.messages;
  const sources = [...org.conversations.ofUser(user.user_id)].map((recipientId) =>
    whole(index.conversation(recipientId)),
  );
  const cursor = new MergedCursor(sources, 'down', FROM_THE_NEWEST);
  const newest = new Map<number, number>();
  for (let scanned = 0; scanned < RECENT_CONVERSATION_MESSAGES; scanned++) {
    const id = cursor.next();
    if (id === undefined) break;
    const recipientId = index.topicOf(id)!.recipientId;
    if (!newest.has(recipientId)) newest.set(recipientId, id);
  }
  return [...newest].map(([recipientId, id]) => ({
    user_ids: org.conversations
      .get(recipientId)!
      .user_ids.filter((userId) => userId !== user.user_id),
    max_message_id: id,
  }));
}
