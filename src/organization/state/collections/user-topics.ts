import {
  VISIBILITY,
  type UserTopicDocument,
  type VisibilityPolicy,
} from '../../../../schemas/topics/user-topic-document.js';
import { Collection, type Recorder } from '../collection.js';
import { toggle } from '../key-indexes.js';

const NOBODY: ReadonlySet<number> = new Set();

function topicKey(streamId: number, topic: string): string {
  return `${streamId}:${topic.toLowerCase()}`;
}

/** Which topics people muted, unmuted or follow, found by user and by topic. */
export class UserTopicCollection extends Collection<string, UserTopicDocument> {
  private readonly byUser = new Map<number, Set<string>>();
  private readonly mutedByUser = new Map<number, Set<string>>();
  private readonly byTopic = new Map<string, Set<number>>();

  constructor(recorder: Recorder) {
    super('user_topic', recorder, ({ user_id, stream_id, topic }) =>
      idOf(user_id, topicKey(stream_id, topic)),
    );
  }

  /** What a user chose for a topic, by any spelling. */
  of(userId: number, streamId: number, topic: string): UserTopicDocument | undefined {
    // Most organizations' messages are sent where nobody chose anything.
    if (this.size === 0) return undefined;
    return this.get(idOf(userId, topicKey(streamId, topic)));
  }

  /** As `of`; `inherit` where the user chose nothing. */
  policy(userId: number, streamId: number, topic: string): VisibilityPolicy {
    return this.of(userId, streamId, topic)?.visibility_policy ?? VISIBILITY.inherit;
  }

  /** How many topics a user chose something for. */
  countOf(userId: number): number {
    return this.byUser.get(userId)?.size ?? 0;
  }

  /** All choices of a user, oldest first. */
  ofUser(userId: number): UserTopicDocument[] {
    return this.listed(this.byUser.get(userId));
  }

  /** The topics a user muted, oldest first; costs these, not the many that are followed. */
  mutedBy(userId: number): UserTopicDocument[] {
    return this.listed(this.mutedByUser.get(userId));
  }

  /** Who chose something for a topic, by any spelling, in no particular order. */
  usersOf(streamId: number, topic: string): ReadonlySet<number> {
    return this.byTopic.get(topicKey(streamId, topic)) ?? NOBODY;
  }

  /** Takes a choice back. */
  forget(userId: number, streamId: number, topic: string): void {
    this.delete(idOf(userId, topicKey(streamId, topic)));
  }

  protected override reindex(previous?: UserTopicDocument, next?: UserTopicDocument): void {
    const { user_id, stream_id, topic } = (next ?? previous)!;
    const key = topicKey(stream_id, topic);
    const id = idOf(user_id, key);
    toggle(this.mutedByUser, user_id, id, next?.visibility_policy === VISIBILITY.muted);
    if (previous && next) return;
    toggle(this.byUser, user_id, id, next !== undefined);
    toggle(this.byTopic, key, user_id, next !== undefined);
  }

  private listed(ids: ReadonlySet<string> | undefined): UserTopicDocument[] {
    return ids ? [...ids].map((id) => this.get(id)!).sort(oldestFirst) : [];
  }
}

function idOf(userId: number, key: string): string {
  return `${userId}:${key}`;
}

function oldestFirst(a: UserTopicDocument, b: UserTopicDocument): number {
  return (
    a.last_updated - b.last_updated ||
    a.stream_id - b.stream_id ||
    (a.topic.toLowerCase() < b.topic.toLowerCase() ? -1 : 1)
  );
}
