import type { DigestRoundDocument } from '../../../schemas/notifications/digest-round-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_DIGEST_CHANNELS, MAX_DIGEST_TOPICS } from '../../../schemas/limits.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { isGuest } from '../access/permissions.js';
import { MessageAccess } from '../messages/message-access.js';
import type { TopicEntry } from '../state/message-index/posting-lists.js';
import type { Organization } from '../state/organization.js';
import { isTopicMuted } from '../topics/topic-policy.js';

/** Messages that are looked at between two looks at the clock. */
const STRIDE = 1000;
/** The busiest topics of a channel that a digest may show. */
const TOPICS_PER_CHANNEL = 500;
/** The busiest topics of all of a user's channels that are asked for something unread: some milliseconds. */
const ASKED_TOPICS = 500;
/** The newest messages of a topic among which something unread is looked for. */
const ASKED_MESSAGES = 20;

/** The messages that the digests of a round may show. */
export type DigestSpan = Pick<DigestRoundDocument, 'first_message' | 'last_message'>;

/** What a digest is made of. */
export interface DigestMatter {
  /** Each topic by some of its messages. */
  readonly topics: number[][];
  readonly channels: number[];
}

/** A topic, and how much was said there. */
interface BusyTopic {
  readonly topic: TopicEntry;
  /** Humans who wrote. */
  readonly people: number;
  readonly messages: number;
}

/** A user's channel whose topics are gone through. */
interface Candidate {
  readonly streamId: number;
  readonly topics: readonly BusyTopic[];
  at: number;
}

/**
 * What was going on within the span of a round: counted once for everybody. It only proposes; what a user may see, and
 * what of it they have read, is asked for each user, and again when their mail is made.
 */
export class DigestWeek {
  private constructor(
    private readonly span: DigestSpan,
    private readonly byChannel: ReadonlyMap<number, readonly BusyTopic[]>,
    private readonly channels: readonly number[],
  ) {}

  /** Counts; in stretches. */
  static async of(org: Organization, round: DigestRoundDocument): Promise<DigestWeek> {
    const busy = await busyTopics(org, round, await topicsWithin(org, round));
    return new DigestWeek(round, busy, newChannels(org, round));
  }

  /** The digest of a user; null where there is too little for a mail. */
  for(org: Organization, user: UserDocument): DigestMatter | null {
    const topics = this.topicsFor(new MessageAccess(org, user));
    const channels = isGuest(user)
      ? []
      : this.channels.filter((id) => org.channels.get(id)?.creator_id !== user.user_id);
    return topics.length + channels.length === 0 ? null : { topics, channels };
  }

  /** The busiest topics of the user's channels in which they have something unread. */
  private topicsFor(access: MessageAccess): number[][] {
    const { org, user } = access;
    const candidates = this.candidates(org, user);
    const found: number[][] = [];
    for (let asked = 0; asked < ASKED_TOPICS && found.length < MAX_DIGEST_TOPICS; asked++) {
      const channel = busiest(candidates);
      if (!channel) break;
      const { topic } = channel.topics[channel.at++]!;
      const document = org.channels.get(channel.streamId);
      if (!document || isTopicMuted(org, user.user_id, document, topic.name)) continue;
      const ids = this.unreadIn(topic, access);
      if (ids.length > 0) found.push(ids);
    }
    return found;
  }

  private candidates(org: Organization, { user_id }: UserDocument): Candidate[] {
    const found: Candidate[] = [];
    const hasPolicies = org.userTopics.countOf(user_id) > 0;
    for (const { stream_id, active, is_muted } of org.subscriptions.ofUser(user_id).values()) {
      const topics = active ? this.byChannel.get(stream_id) : undefined;
      const channel = org.channels.get(stream_id);
      if (!topics || !channel || channel.is_archived) continue;
      // What is unmuted in a muted channel is behind much that is not.
      const shown = !is_muted
        ? topics
        : hasPolicies
          ? topics.filter(({ topic }) => !isTopicMuted(org, user_id, channel, topic.name))
          : [];
      if (shown.length > 0) found.push({ streamId: stream_id, topics: shown, at: 0 });
    }
    return found;
  }

  /** The newest unread message and the oldest of the topic, by which the mail finds it; none where all is read. */
  private unreadIn({ list }: TopicEntry, access: MessageAccess): number[] {
    const { first_message, last_message } = this.span;
    const end = list.lowerBound(last_message + 1);
    for (let i = end - 1; i >= 0 && i >= end - ASKED_MESSAGES; i--) {
      const id = list.at(i)!;
      if (id < first_message) break;
      if (!isNews(access, id)) continue;
      const oldest = list.at(list.lowerBound(first_message))!;
      return oldest === id ? [id] : [id, oldest];
    }
    return [];
  }
}

/**
 * Whether a message is unread for the user, and sent neither by themselves nor by somebody whom they have muted since.
 */
export function isNews(access: MessageAccess, id: number): boolean {
  if (!access.isUnread(id)) return false;
  const { org, user } = access;
  const sender = senderOf(org, id);
  return sender !== user.user_id && !org.mutedUsers.mutersOf(sender).has(user.user_id);
}

/** The sender of a message that exists. */
export function senderOf(org: Organization, id: number): number {
  const { columns } = org.messages.index;
  return columns.senderAt(columns.find(id));
}

/** Takes the channel whose next topic is the busiest. */
function busiest(candidates: readonly Candidate[]): Candidate | undefined {
  let found: Candidate | undefined;
  for (const one of candidates) {
    const next = one.topics[one.at];
    if (next && (!found || byActivity(next, found.topics[found.at]!) < 0)) found = one;
  }
  return found;
}

/** Most people first, then most messages, then the newest topic. */
function byActivity(a: BusyTopic, b: BusyTopic): number {
  return b.people - a.people || b.messages - a.messages || b.topic.number - a.topic.number;
}

/** Topics of channels with messages within the span. */
async function topicsWithin(
  org: Organization,
  { first_message, last_message }: DigestSpan,
): Promise<Set<TopicEntry>> {
  const { index } = org.messages;
  const pause = new EventLoopYield();
  const found = new Set<TopicEntry>();
  let below = last_message + 1;
  while (below > first_message) {
    const ids = index.columns.idsBelow(below, STRIDE);
    if (ids.length === 0) break;
    for (const id of ids) if (id >= first_message) found.add(index.topicOf(id)!);
    below = ids[ids.length - 1]!;
    if (pause.isDue) await pause.take();
  }
  return found;
}

/** By channel, the busiest topics first. */
async function busyTopics(
  org: Organization,
  span: DigestSpan,
  topics: Iterable<TopicEntry>,
): Promise<ReadonlyMap<number, readonly BusyTopic[]>> {
  const pause = new EventLoopYield();
  const byChannel = new Map<number, BusyTopic[]>();
  for (const topic of topics) {
    const channel = org.channels.byRecipient(topic.recipientId);
    if (!channel || channel.is_archived) continue;
    const busy = await counted(org, span, topic, pause);
    // What programs write by themselves is no news.
    if (busy.people === 0) continue;
    const known = byChannel.get(channel.stream_id);
    if (known) known.push(busy);
    else byChannel.set(channel.stream_id, [busy]);
  }
  for (const list of byChannel.values()) {
    list.sort(byActivity).splice(TOPICS_PER_CHANNEL);
    if (pause.isDue) await pause.take();
  }
  return byChannel;
}

async function counted(
  org: Organization,
  { first_message, last_message }: DigestSpan,
  topic: TopicEntry,
  pause: EventLoopYield,
): Promise<BusyTopic> {
  const { columns } = org.messages.index;
  const { list } = topic;
  const people = new Set<number>();
  let messages = 0;
  // By id, since the list may change at each pause.
  let id = list.at(list.lowerBound(first_message));
  while (id !== undefined && id <= last_message) {
    let at = list.lowerBound(id);
    const end = Math.min(list.lowerBound(last_message + 1), at + STRIDE);
    for (; at < end; at++) {
      const row = columns.find(list.at(at)!);
      if (row < 0) continue;
      const sender = columns.senderAt(row);
      if (!people.has(sender) && org.users.get(sender)?.is_bot === false) people.add(sender);
      messages += 1;
    }
    id = list.at(at);
    if (pause.isDue) await pause.take();
  }
  return { topic, people: people.size, messages };
}

/** Public channels that were made since the round before, the newest first. */
function newChannels(org: Organization, { since, at }: DigestRoundDocument): number[] {
  const found: number[] = [];
  for (const { stream_id, date_created, invite_only, is_archived } of org.channels.values()) {
    if (invite_only || is_archived || date_created <= since || date_created > at) continue;
    found.push(stream_id);
  }
  return found.sort((a, b) => b - a).slice(0, MAX_DIGEST_CHANNELS);
}
