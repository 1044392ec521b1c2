import type { MessageFlagsDocument } from '../../../../schemas/messages/message.js';
import { Collection, type Recorder, toggle } from '../collection.js';
import { RangeVersions } from '../user-collections.js';
import { PostingList } from './posting-lists.js';

/** A personal flag that is stored per message. */
type StoredFlag = 'starred' | 'collapsed';

const EMPTY = new PostingList();
const NOBODY: readonly number[] = [];

/**
 * MessageFlagCollection has the starred and collapsed messages of users. Documents exist only for these
 * few.
 */
export class MessageFlagCollection extends Collection<string, MessageFlagsDocument> {
  private readonly starredByUser = new Map<number, PostingList>();
  private readonly usersByMessage = new Map<number, Set<number>>();
  /** Changes of each user's flags. */
  readonly ofEach = new RangeVersions(1);

  constructor(recorder: Recorder) {
    super('mark', recorder, (flags) => `${flags.user_id}:${flags.message_id}`);
  }

  /** A user's flags of a message, if there are any. */
  of(userId: number, messageId: number): MessageFlagsDocument | undefined {
    return this.get(`${userId}:${messageId}`);
  }

  /** The messages that a user starred. */
  starred(userId: number): PostingList {
    return this.starredByUser.get(userId) ?? EMPTY;
  }

  /** Messages with a flag of anybody, in no particular order. */
  messages(): Iterable<number> {
    return this.usersByMessage.keys();
  }

  /** Users with a flag on a message. */
  usersOf(messageId: number): readonly number[] {
    const users = this.usersByMessage.get(messageId);
    return users ? [...users] : NOBODY;
  }

  /** Sets or clears a flag; false when nothing changed. */
  set(userId: number, messageId: number, name: StoredFlag, value: boolean): boolean {
    const previous = this.of(userId, messageId);
    if ((previous?.[name] ?? false) === value) return false;
    const base = previous ?? {
      user_id: userId,
      message_id: messageId,
      starred: false,
      collapsed: false,
    };
    const next = { ...base, [name]: value };
    if (next.starred || next.collapsed) this.insert(next);
    else this.delete(`${userId}:${messageId}`);
    return true;
  }

  /** Removes all users' flags of a message. */
  forget(messageId: number): void {
    for (const userId of this.usersOf(messageId)) this.delete(`${userId}:${messageId}`);
  }

  protected override reindex(previous?: MessageFlagsDocument, next?: MessageFlagsDocument): void {
    const { user_id, message_id } = (next ?? previous)!;
    this.ofEach.touch(user_id);
    this.indexStar(user_id, message_id, next?.starred ?? false);
    toggle(this.usersByMessage, message_id, user_id, next !== undefined);
  }

  private indexStar(userId: number, messageId: number, starred: boolean): void {
    let list = this.starredByUser.get(userId);
    if (!starred) {
      list?.remove(messageId);
      return;
    }
    if (!list) this.starredByUser.set(userId, (list = new PostingList()));
    list.add(messageId);
  }
}
