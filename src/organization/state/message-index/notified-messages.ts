import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { BIT } from './message-columns.js';
import { listOf, PostingList } from './posting-lists.js';

/** The fields that determine who is notified. */
const PEOPLE = ['mentioned', 'channel_wildcard', 'topic_wildcard', 'alerted'] as const;

/** Those of them that name users. */
const LISTS = ['mentioned', 'topic_wildcard', 'alerted'] as const;

const EMPTY = new PostingList();

/** Messages by users whom they notify in one way. */
export type IdsByUser = readonly (readonly [userId: number, ids: Uint32Array])[];

/** What an image of the index has of notified users. */
export interface NotifiedLists {
  readonly channelWildcards: Uint32Array;
  readonly mentions: IdsByUser;
  readonly topicWildcards: IdsByUser;
  readonly alerts: IdsByUser;
}

/** Copies lists by user step by step; each list is as it is when it is copied. */
export class NotifiedCopy {
  private readonly wildcards: Uint32Array;
  private readonly kinds: readonly {
    readonly source: Iterator<readonly [number, PostingList]>;
    readonly copies: (readonly [number, Uint32Array])[];
  }[];

  constructor(channelWildcards: PostingList, kinds: readonly ReadonlyMap<number, PostingList>[]) {
    this.wildcards = channelWildcards.toColumn();
    this.kinds = kinds.map((lists) => ({ source: lists.entries(), copies: [] }));
  }

  /** Copies some lists. @returns whether there are more */
  step(lists: number): boolean {
    let left = lists;
    for (const { source, copies } of this.kinds) {
      for (;;) {
        if (left-- === 0) return true;
        const next = source.next();
        if (next.done) break;
        const [userId, list] = next.value;
        if (list.length > 0) copies.push([userId, list.toColumn()]);
      }
    }
    return false;
  }

  image(): NotifiedLists {
    const [mentions, topicWildcards, alerts] = this.kinds.map(({ copies }) => copies);
    return {
      channelWildcards: this.wildcards,
      mentions: mentions!,
      topicWildcards: topicWildcards!,
      alerts: alerts!,
    };
  }
}

/**
 * NotifiedMessages has lists of message ids by notified user, and one of messages that notify a whole
 * channel.
 */
export class NotifiedMessages {
  /** Messages with a channel wildcard mention. */
  readonly channelWildcards = new PostingList();
  private readonly mentions = new Map<number, PostingList>();
  private readonly topicWildcards = new Map<number, PostingList>();
  private readonly alerts = new Map<number, PostingList>();

  /** The lists of an image. */
  static of(image: NotifiedLists): NotifiedMessages {
    const made = new NotifiedMessages();
    made.channelWildcards.addAll(image.channelWildcards);
    for (const [userId, ids] of image.mentions) made.mentions.set(userId, PostingList.of(ids));
    for (const [userId, ids] of image.topicWildcards) {
      made.topicWildcards.set(userId, PostingList.of(ids));
    }
    for (const [userId, ids] of image.alerts) made.alerts.set(userId, PostingList.of(ids));
    return made;
  }

  /** Begins a copy of the lists. */
  beginCopy(): NotifiedCopy {
    return new NotifiedCopy(this.channelWildcards, [
      this.mentions,
      this.topicWildcards,
      this.alerts,
    ]);
  }

  /** Messages that mention the user by name or through a group. */
  mentionsOf(userId: number): PostingList {
    return this.mentions.get(userId) ?? EMPTY;
  }

  /** Messages whose topic wildcard mentions the user. */
  topicWildcardsOf(userId: number): PostingList {
    return this.topicWildcards.get(userId) ?? EMPTY;
  }

  /** Messages with one of the user's alert words. */
  alertsOf(userId: number): PostingList {
    return this.alerts.get(userId) ?? EMPTY;
  }

  /** Adds a message that is not in the lists. */
  add(message: MessageDocument): void {
    if (message.channel_wildcard) this.channelWildcards.add(message.id);
    for (const userId of message.mentioned) listOf(this.mentions, userId).add(message.id);
    for (const userId of message.topic_wildcard) {
      listOf(this.topicWildcards, userId).add(message.id);
    }
    for (const userId of message.alerted) listOf(this.alerts, userId).add(message.id);
  }

  /** Removes a message, given as it was added. */
  remove(message: MessageDocument): void {
    if (message.channel_wildcard) this.channelWildcards.remove(message.id);
    for (const userId of message.mentioned) this.mentions.get(userId)?.remove(message.id);
    for (const userId of message.topic_wildcard) {
      this.topicWildcards.get(userId)?.remove(message.id);
    }
    for (const userId of message.alerted) this.alerts.get(userId)?.remove(message.id);
  }

  /** Updates the lists for a changed message. */
  replace(previous: MessageDocument, next: MessageDocument): void {
    if (PEOPLE.every((field) => previous[field] === next[field])) return;
    this.remove(previous);
    this.add(next);
  }

  /** Whether some of these fields determine who is notified. */
  concerns(fields: Partial<MessageDocument>): boolean {
    return PEOPLE.some((field) => fields[field] !== undefined);
  }

  /**
   * Updates the lists for changed messages, given the changed fields alone.
   * @param changes ascending by id, with the bits of each before
   */
  mergeAll(
    changes: readonly {
      readonly id: number;
      readonly fields: Partial<MessageDocument>;
      readonly bits: number;
    }[],
  ): void {
    if (changes.length === 0) return;
    for (const { id, fields } of changes) {
      if (fields.channel_wildcard) this.channelWildcards.add(id);
      else if (fields.channel_wildcard === false) this.channelWildcards.remove(id);
    }
    for (const field of LISTS) {
      const named = changes.filter(({ fields }) => fields[field] !== undefined);
      if (named.length === 0) continue;
      const lists = this.lists(field);
      const taken = named.filter(({ bits }) => bits & BIT.personal).map(({ id }) => id);
      if (taken.length > 0) for (const list of lists.values()) list.removeAll(taken);
      const given = new Map<number, number[]>();
      for (const { id, fields } of named) {
        for (const userId of fields[field]!) {
          const ids = given.get(userId);
          if (ids) ids.push(id);
          else given.set(userId, [id]);
        }
      }
      for (const [userId, ids] of given) {
        const list = listOf(lists, userId);
        // A list of a kept index may be newer than its rows.
        list.addAll(ids.filter((id) => !list.has(id)));
      }
    }
  }

  /**
   * Whether a message notifies individual users, once the lists are current.
   * @param fields its changed fields
   * @param before whether it did before
   */
  isPersonal(id: number, fields: Partial<MessageDocument>, before: boolean): boolean {
    return LISTS.some((field) => {
      const users = fields[field];
      if (users) return users.length > 0;
      if (!before) return false;
      for (const list of this.lists(field).values()) if (list.has(id)) return true;
      return false;
    });
  }

  private lists(field: (typeof LISTS)[number]): Map<number, PostingList> {
    if (field === 'mentioned') return this.mentions;
    return field === 'alerted' ? this.alerts : this.topicWildcards;
  }

  /**
   * The lists that may contain some of these messages.
   * @param ids ascending, at least one
   * @param bits union of their bits
   */
  listsOf(ids: readonly number[], bits: number): PostingList[] {
    const found = bits & BIT.channelWildcard ? [this.channelWildcards] : [];
    if (!(bits & BIT.personal)) return found;
    for (const people of [this.mentions, this.topicWildcards, this.alerts]) {
      for (const list of people.values()) {
        if (list.reaches(ids[0]!, ids[ids.length - 1]!)) found.push(list);
      }
    }
    return found;
  }
}
