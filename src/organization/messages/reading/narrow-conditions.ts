import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { badNarrow } from '../../../errors/index.js';
import { RESOLVED_PREFIX } from '../../../journal/renderers/queue-narrow.js';
import { canSeeChannel } from '../../access/permissions.js';
import { isTopicMuted } from '../../topics/topic-policy.js';
import { userByVisibleEmail } from '../../views/unknown-user.js';
import { MANY_CONVERSATIONS, type MessageAccess } from '../message-access.js';
import { BIT } from '../../state/message-index/message-columns.js';
import type { MessageIndex } from '../../state/message-index/message-index.js';
import { type TopicEntry, PostingList } from '../../state/message-index/posting-lists.js';
import { idOperand, textOperand, usersOperand, type ParsedNarrowTerm } from './narrow-terms.js';
import { storedTopic } from '../../../services/text/stored-text.js';
import { unreadSources } from './unread.js';
import { unreadPlacesNow } from './unread-places.js';
import { MadeSource, whole, type Source } from '../../state/message-index/merged-cursor.js';
import { subtract, type Intervals } from '../../state/message-index/intervals.js';

/** A compiled term that tests messages of the index. */
export interface NarrowCondition {
  /** Whether a message satisfies the term. `row` is its row in the index. */
  test(id: number, row: number, topic: TopicEntry): boolean;
  /**
   * Lists that contain every message that satisfies the term, others too; absent where only testing finds them. A function,
   * because there may be thousands and a negated term offers none. No accessor: see test/literal-accessors.test.ts.
   */
  readonly sources?: () => readonly Source[];
  /** As `sources`, of these conversations alone; absent where it offers none by conversation. */
  readonly sourcesIn?: (recipients: Iterable<number>) => readonly Source[];
  /** What can satisfy the term in a conversation; absent where it does not say. */
  readonly within?: (recipientId: number) => Intervals;
  /** The lists are of all people's messages: those of the viewer may be fewer. */
  readonly isOfAll?: true;
  /** The lists are of many conversations, so that to make them costs more than a look at some messages of everybody. */
  readonly isCostly?: boolean;
  /** The conversations that the term restricts to, perhaps some more; absent where it restricts to none. */
  readonly recipients?: () => ReadonlySet<number>;
  /** The topic that the term restricts to, where it names one of one conversation. */
  readonly topic?: TopicEntry;
  /** The sender that the term restricts to, where it does. */
  readonly sender?: number;
}

const HAS_BITS: ReadonlyMap<string, number> = new Map([
  ['attachment', BIT.attachment],
  ['attachments', BIT.attachment],
  ['image', BIT.image],
  ['images', BIT.image],
  ['link', BIT.link],
  ['links', BIT.link],
  ['reaction', BIT.reaction],
  ['reactions', BIT.reaction],
]);

/** NarrowConditions compiles terms to conditions for one viewer. @throws ApiError `BAD_NARROW` */
export class NarrowConditions {
  /** Cached results per topic, which may have many messages. */
  private readonly mutedTopics = new Map<TopicEntry, boolean>();

  constructor(private readonly access: MessageAccess) {}

  /** The condition of a term that the index can decide, without its negation. */
  of(term: ParsedNarrowTerm): NarrowCondition {
    switch (term.operator) {
      case 'channel':
        return this.within(new Set([this.channel(term).recipient_id]));
      case 'channels':
        return this.channelKind(textOperand(term));
      case 'topic':
        return this.topic(textOperand(term));
      case 'sender':
        return this.sender(term);
      case 'dm':
        return this.direct(term);
      case 'dm-including':
        return this.directIncluding(term);
      case 'is':
        return this.is(textOperand(term));
      case 'has':
        return this.has(textOperand(term));
      case 'in':
        return this.in(textOperand(term));
      case 'id':
        return this.single(idOperand(term));
      case 'mentions':
        return this.listed(
          this.index.notified.mentionsOf(this.user(term.operand, textOperand(term)).user_id),
        );
      case 'near':
      case 'with':
      case 'search':
        return { test: () => true };
    }
  }

  private get org() {
    return this.access.org;
  }

  private get index() {
    return this.access.org.messages.index;
  }

  private get viewerId(): number {
    return this.access.user.user_id;
  }

  private listed(...lists: PostingList[]): NarrowCondition {
    return {
      sources: () => lists.map(whole),
      test: (id) => lists.some((list) => list.has(id)),
    };
  }

  private single(wanted: number): NarrowCondition {
    const known = this.index.has(wanted) ? [wanted] : [];
    return { sources: () => [whole(PostingList.from(known))], test: (id) => id === wanted };
  }

  private within(recipients: ReadonlySet<number>): NarrowCondition {
    const { access, index } = this;
    return {
      recipients: () => recipients,
      isCostly: recipients.size > MANY_CONVERSATIONS,
      sources: () => sourcesOf(access, index, recipients),
      test: (_id, _row, topic) => recipients.has(topic.recipientId),
    };
  }

  private channel(term: ParsedNarrowTerm): ChannelDocument {
    const { channels } = this.org;
    const name = textOperand(term);
    const found =
      typeof term.operand === 'number'
        ? channels.get(term.operand)
        : (channels.byName(name) ?? (/^\d+$/.test(name) ? channels.get(Number(name)) : undefined));
    if (!found || !canSeeChannel(this.org, this.access.user, found)) {
      throw badNarrow(`unknown channel ${name}`);
    }
    return found;
  }

  private channelKind(kind: string): NarrowCondition {
    const wanted = CHANNEL_KINDS.get(kind);
    if (!wanted) throw badNarrow(`unknown channels operand ${kind}`);
    const { access, index } = this;
    const { channels } = this.org;
    const isShown = (channel: ChannelDocument): boolean =>
      wanted(channel) && access.visible(channel.recipient_id).length > 0;
    let made: ReadonlySet<number> | undefined;
    const recipients = (): ReadonlySet<number> =>
      (made ??= new Set(
        [...channels.values()].filter(isShown).map(({ recipient_id }) => recipient_id),
      ));
    return {
      recipients,
      isCostly: channels.size > MANY_CONVERSATIONS,
      sources: () => sourcesOf(access, index, recipients()),
      test: (_id, _row, { recipientId }) => {
        const channel = channels.byRecipient(recipientId);
        return channel !== undefined && isShown(channel);
      },
    };
  }

  private topic(operand: string): NarrowCondition {
    const key = storedTopic(operand).toLowerCase();
    return {
      test: (_id, _row, topic) => topic.key === key && this.isChannel(topic.recipientId),
    };
  }

  private isChannel(recipientId: number): boolean {
    return this.org.channels.byRecipient(recipientId) !== undefined;
  }

  private user(operand: unknown, shown: string): UserDocument {
    const found =
      operand === 'me'
        ? this.access.user
        : typeof operand === 'number' || (typeof operand === 'string' && /^\d+$/.test(operand))
          ? this.org.users.get(Number(operand))
          : typeof operand === 'string'
            ? userByVisibleEmail(this.org, this.access.user, operand)
            : undefined;
    if (!found) throw badNarrow(`unknown user ${shown}`);
    return found;
  }

  private sender(term: ParsedNarrowTerm): NarrowCondition {
    const senderId = this.user(term.operand, textOperand(term)).user_id;
    return {
      sender: senderId,
      sources: () => [whole(this.index.sentBy(senderId))],
      test: (_id, row) => this.index.columns.senderAt(row) === senderId,
    };
  }

  private direct(term: ParsedNarrowTerm): NarrowCondition {
    const ids = new Set([this.viewerId, ...this.users(term)]);
    const conversation = this.org.conversations.between([...ids].sort((a, b) => a - b));
    return this.within(new Set(conversation ? [conversation.recipient_id] : []));
  }

  /** A conversation is decided when its first message is tested: it may have as many participants as the term names. */
  private directIncluding(term: ParsedNarrowTerm): NarrowCondition {
    const { access, index } = this;
    const { conversations } = this.org;
    const own = conversations.ofUser(this.viewerId);
    const others = [...new Set(this.users(term))].map((id) => conversations.ofUser(id));
    const fewest = others.reduce((best, one) => (one.size < best.size ? one : best), own);
    const decided = new Map<number, boolean>();
    const recipients = (): ReadonlySet<number> =>
      fewest === own ? own : new Set([...fewest].filter((one) => own.has(one)));
    return {
      recipients,
      sources: () => sourcesOf(access, index, recipients()),
      test: (_id, _row, { recipientId }) => {
        let includes = decided.get(recipientId);
        if (includes === undefined) {
          includes = own.has(recipientId) && others.every((one) => one.has(recipientId));
          decided.set(recipientId, includes);
        }
        return includes;
      },
    };
  }

  private users(term: ParsedNarrowTerm): number[] {
    const shown = textOperand(term);
    return usersOperand(term).map((entry) => this.user(entry, `in ${shown}`).user_id);
  }

  private is(operand: string): NarrowCondition {
    switch (operand) {
      case 'dm':
      case 'private':
        return this.within(this.access.directConversations());
      case 'starred':
        return this.listed(this.org.messageFlags.starred(this.viewerId));
      case 'unread':
        return unread(this.access);
      case 'mentioned':
        return this.listed(
          this.index.notified.mentionsOf(this.viewerId),
          this.index.notified.channelWildcards,
          this.index.notified.topicWildcardsOf(this.viewerId),
        );
      case 'alerted':
        return this.listed(this.index.notified.alertsOf(this.viewerId));
      case 'resolved':
        return {
          test: (_id, _row, topic) =>
            topic.key.startsWith(RESOLVED_PREFIX) && this.isChannel(topic.recipientId),
        };
      case 'followed':
        return this.followed();
      case 'muted':
        return { test: (_id, _row, topic) => this.isMuted(topic) };
      default:
        throw badNarrow(`unknown 'is' operand ${operand}`);
    }
  }

  private has(operand: string): NarrowCondition {
    const bit = HAS_BITS.get(operand);
    if (bit === undefined) throw badNarrow(`unknown 'has' operand ${operand}`);
    return {
      sources: () => [whole(this.index.withBit.of(bit))],
      isOfAll: true,
      test: (_id, row) => (this.index.columns.bitsAt(row) & bit) !== 0,
    };
  }

  private in(operand: string): NarrowCondition {
    if (operand === 'all') return { test: () => true };
    if (operand !== 'home') throw badNarrow(`unknown 'in' operand ${operand}`);
    const muted = this.org.mutedUsers.mutedBy(this.viewerId);
    const { columns } = this.index;
    return {
      test: (_id, row, topic) =>
        !this.isMuted(topic) && (muted.size === 0 || !muted.has(columns.senderAt(row))),
    };
  }

  private followed(): NarrowCondition {
    const topics = new Set<TopicEntry>();
    for (const one of this.org.userTopics.ofUser(this.viewerId)) {
      if (one.visibility_policy !== VISIBILITY.followed) continue;
      const channel = this.org.channels.get(one.stream_id);
      const topic = channel && this.index.topic(channel.recipient_id, one.topic);
      if (topic) topics.add(topic);
    }
    return {
      sources: () => Array.from(topics, ({ list }) => whole(list)),
      test: (_id, _row, topic) => topics.has(topic),
    };
  }

  private isMuted(topic: TopicEntry): boolean {
    let muted = this.mutedTopics.get(topic);
    if (muted === undefined) {
      const channel = this.org.channels.byRecipient(topic.recipientId);
      muted = channel !== undefined && isTopicMuted(this.org, this.viewerId, channel, topic.key);
      this.mutedTopics.set(topic, muted);
    }
    return muted;
  }
}

function unread(access: MessageAccess): NarrowCondition {
  const { org, user } = access;
  const places = unreadPlacesNow(access);
  return {
    isCostly: places.size > MANY_CONVERSATIONS,
    sources: () => unreadSources(access, unreadPlacesNow(access)),
    sourcesIn: (recipients) => unreadSources(access, recipients),
    within: (recipientId) =>
      subtract(access.received(recipientId), org.readState.ranges(user.user_id, recipientId)),
    test: (id) => access.isUnread(id),
  };
}

/** What the viewer may read of some conversations. */
function sourcesOf(
  access: MessageAccess,
  index: MessageIndex,
  recipients: ReadonlySet<number>,
): Source[] {
  return Array.from(
    recipients,
    (recipientId) =>
      new MadeSource(index.conversation(recipientId), () => access.visible(recipientId)),
  );
}

const CHANNEL_KINDS: ReadonlyMap<string, (channel: ChannelDocument) => boolean> = new Map([
  ['public', (channel: ChannelDocument) => !channel.invite_only],
  ['web-public', (channel: ChannelDocument) => channel.is_web_public],
  ['archived', (channel: ChannelDocument) => channel.is_archived],
]);
