import type { ReadStateDocument } from '../../../../schemas/messages/message.js';
import { Collection, type Recorder } from '../collection.js';
import { RangeVersions } from '../user-collections.js';
import {
  addIds,
  addIntervals,
  contains,
  isWithinOne,
  NO_IDS,
  removeIds,
  type Intervals,
} from './intervals.js';
import type { PostingList } from './posting-lists.js';
import { UnreadPlaces } from './unread-places.js';

const NOTHING: readonly number[] = [];
const NONE: ReadonlyMap<number, ReadStateDocument> = new Map();

/**
 * ReadStateCollection has the ranges that each user has read, per conversation. A user who reads in order
 * has one range per conversation, however many messages it has.
 */
export class ReadStateCollection extends Collection<string, ReadStateDocument> {
  private readonly byUser = new Map<number, Map<number, ReadStateDocument>>();
  /** Changes of what each user has read. */
  readonly ofEach = new RangeVersions(1);
  /** What is known of the conversations in which users have unread messages. */
  readonly unreadPlaces = new UnreadPlaces();
  /** Called when what a user has read changes, or that is taken back. */
  onChange: (userId: number) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('reading', recorder, (state) => `${state.user_id}:${state.recipient_id}`);
  }

  /** The read state of a user by conversation id. */
  ofUser(userId: number): ReadonlyMap<number, ReadStateDocument> {
    return this.byUser.get(userId) ?? NONE;
  }

  /** Ranges of ids that the user has read; ids of other conversations inside them have no meaning. */
  ranges(userId: number, recipientId: number): Intervals {
    return this.byUser.get(userId)?.get(recipientId)?.read ?? NO_IDS;
  }

  /** Messages of a conversation that the user never received and marked as unread, ascending. */
  recalled(userId: number, recipientId: number): readonly number[] {
    return this.byUser.get(userId)?.get(recipientId)?.recalled ?? NOTHING;
  }

  /** Whether a message of this conversation is read. Has no meaning for messages that were never received. */
  isRead(userId: number, recipientId: number, messageId: number): boolean {
    const state = this.byUser.get(userId)?.get(recipientId);
    return state !== undefined && contains(state.read, messageId);
  }

  /**
   * Marks messages of one conversation as read.
   * @param ids ascending, all of them in `conversation`
   * @param conversation all messages of the conversation
   * @returns the ids that were unread before
   */
  markRead(
    userId: number,
    recipientId: number,
    ids: readonly number[],
    conversation: PostingList,
  ): number[] {
    const read = this.ranges(userId, recipientId);
    if (isWithinOne(read, ids)) return [];
    const changed = ids.filter((id) => !contains(read, id));
    if (changed.length > 0) {
      const recalled = without(this.recalled(userId, recipientId), changed);
      this.put(userId, recipientId, addIds(read, changed, conversation), recalled);
    }
    return changed;
  }

  /** Like `markRead`, for all messages of the conversation that lie in intervals; costs the intervals. */
  markReadWithin(
    userId: number,
    recipientId: number,
    within: Intervals,
    conversation: PostingList,
  ): void {
    const read = this.ranges(userId, recipientId);
    const recalled = this.recalled(userId, recipientId).filter((id) => !contains(within, id));
    this.put(userId, recipientId, addIntervals(read, within, conversation), recalled);
  }

  /** Marks messages of one conversation as unread; see `markRead`. @returns those that were read */
  markUnread(
    userId: number,
    recipientId: number,
    ids: readonly number[],
    conversation: PostingList,
  ): number[] {
    const read = this.ranges(userId, recipientId);
    if (read.length === 0) return [];
    const changed = ids.filter((id) => contains(read, id));
    if (changed.length > 0) {
      const recalled = this.recalled(userId, recipientId);
      this.put(userId, recipientId, removeIds(read, changed, conversation), recalled);
    }
    return changed;
  }

  /** Marks messages of one conversation that the user never received as unread; see `markRead`. */
  recall(
    userId: number,
    recipientId: number,
    ids: readonly number[],
    conversation: PostingList,
  ): void {
    const read = removeIds(this.ranges(userId, recipientId), ids, conversation);
    // Without what was deleted or moved since.
    const before = this.recalled(userId, recipientId).filter((id) => conversation.has(id));
    const recalled = [...new Set([...before, ...ids])].sort((a, b) => a - b);
    this.put(userId, recipientId, read, recalled);
  }

  /** Messages that a user recalled have left their conversation. */
  forget(userId: number, recipientId: number, ids: readonly number[]): void {
    const state = this.byUser.get(userId)?.get(recipientId);
    if (state?.recalled) this.put(userId, recipientId, state.read, without(state.recalled, ids));
  }

  private put(
    userId: number,
    recipientId: number,
    read: [number, number][],
    recalled: readonly number[],
  ): void {
    const state = { user_id: userId, recipient_id: recipientId, read };
    if (recalled.length > 0) this.insert({ ...state, recalled: [...recalled] });
    else if (read.length > 0) this.insert(state);
    else this.delete(`${userId}:${recipientId}`);
  }

  protected override reindex(previous?: ReadStateDocument, next?: ReadStateDocument): void {
    const { user_id, recipient_id } = (next ?? previous)!;
    this.ofEach.touch(user_id);
    let own = this.byUser.get(user_id);
    if (!own) this.byUser.set(user_id, (own = new Map<number, ReadStateDocument>()));
    if (next) own.set(recipient_id, next);
    else own.delete(recipient_id);
    this.unreadPlaces.changed(user_id, recipient_id);
    this.onChange(user_id);
  }
}

function without(ids: readonly number[], gone: readonly number[]): readonly number[] {
  if (ids.length === 0) return ids;
  const set = new Set(gone);
  return ids.filter((id) => !set.has(id));
}
