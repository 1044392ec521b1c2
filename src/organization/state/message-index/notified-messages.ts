import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import { BIT } from './message-columns.js';
import { PostingList } from './posting-list.js';

/** The fields that determine who is notified. */
const PEOPLE = ['mentioned', 'channel_wildcard', 'topic_wildcard', 'alerted'] as const;

const EMPTY = new PostingList();

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

/** The list of a user, created on first use. */
export function listOf(lists: Map<number, PostingList>, userId: number): PostingList {
  let list = lists.get(userId);
  if (!list) lists.set(userId, (list = new PostingList()));
  return list;
}
