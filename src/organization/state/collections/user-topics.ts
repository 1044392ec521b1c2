import {
  VISIBILITY,
  type UserTopicDocument,
  type VisibilityPolicy,
} from '../../../../schemas/topics/user-topics.js';
import { Collection, type Recorder, toggle } from '../collection.js';
import { RangeVersions } from '../user-collections.js';

const NOBODY: ReadonlySet<number> = new Set();

function topicKey(streamId: number, topic: string): string {
  return `${streamId}:${topic.toLowerCase()}`;
}

/** Visibility policies of users for topics, indexed by user and by topic. */
export class UserTopicCollection extends Collection<string, UserTopicDocument> {
  private readonly byUser = new Map<number, Set<string>>();
  private readonly mutedByUser = new Map<number, Set<string>>();
  private readonly byTopic = new Map<string, Set<number>>();
  /** Changes of each user's policies. */
  readonly ofEach = new RangeVersions(1);

  constructor(recorder: Recorder) {
    super('user_topic', recorder, ({ user_id, stream_id, topic }) =>
      idOf(user_id, topicKey(stream_id, topic)),
    );
  }

  /** A user's policy document for a topic, by any spelling. */
  of(userId: number, streamId: number, topic: string): UserTopicDocument | undefined {
    // In most organizations nobody has a policy.
    if (this.size === 0) return undefined;
    return this.get(idOf(userId, topicKey(streamId, topic)));
  }

  /** The policy of a user for a topic; `inherit` without one. */
  policy(userId: number, streamId: number, topic: string): VisibilityPolicy {
    return this.of(userId, streamId, topic)?.visibility_policy ?? VISIBILITY.inherit;
  }

  /** Number of a user's policies. */
  countOf(userId: number): number {
    return this.byUser.get(userId)?.size ?? 0;
  }

  /** All policies of a user, oldest first. */
  ofUser(userId: number): UserTopicDocument[] {
    return this.listed(this.byUser.get(userId));
  }

  /** The topics that a user muted, oldest first; costs these only, not the many followed ones. */
  mutedBy(userId: number): UserTopicDocument[] {
    return this.listed(this.mutedByUser.get(userId));
  }

  /** Users with a policy for a topic, by any spelling, in no particular order. */
  usersOf(streamId: number, topic: string): ReadonlySet<number> {
    return this.byTopic.get(topicKey(streamId, topic)) ?? NOBODY;
  }

  /** Deletes a policy. */
  forget(userId: number, streamId: number, topic: string): void {
    this.delete(idOf(userId, topicKey(streamId, topic)));
  }

  protected override reindex(previous?: UserTopicDocument, next?: UserTopicDocument): void {
    const { user_id, stream_id, topic } = (next ?? previous)!;
    this.ofEach.touch(user_id);
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
