import type { PresenceDocument } from '../../../../schemas/presence/presence.js';
import type { Recorder } from '../collection.js';
import { PersonalCollection, RangeVersions } from '../user-collections.js';
import type { UserActivityDocument } from '../../../../schemas/users/user-document.js';

const DAY_SECONDS = 86_400;

/** When a user was last online, UNIX seconds; 0 for never. */
export function lastSeen(presence: PresenceDocument | undefined): number {
  return Math.max(presence?.active_timestamp ?? 0, presence?.idle_timestamp ?? 0);
}

interface Change {
  readonly userId: number;
  readonly updateId: number;
}

/**
 * PresenceCollection has stored presence and a log of its changes, so that "changed since" costs only the
 * changes. The log has at most twice as many rows as there are users.
 */
export class PresenceCollection extends PersonalCollection<PresenceDocument> {
  /**
   * Versions of recent activity: they change when a user returns after a day or more, or such a change is
   * reverted. Other changes add nobody to a list of users active within some days.
   */
  readonly returns = new RangeVersions();
  private log: Change[] = [];
  /** Whether the log differs from the documents and must be rebuilt. */
  private stale = false;

  constructor(recorder: Recorder) {
    super('presence', recorder);
  }

  /** Newest update id, or -1. */
  get lastUpdateId(): number {
    this.refresh();
    return this.log[this.log.length - 1]?.updateId ?? -1;
  }

  /** Presences that changed after `updateId`, newest change first. */
  since(updateId: number): PresenceDocument[] {
    this.refresh();
    const found: PresenceDocument[] = [];
    for (let i = this.log.length - 1; i >= 0 && this.log[i]!.updateId > updateId; i--) {
      const { userId, updateId: id } = this.log[i]!;
      const presence = this.get(userId);
      if (presence?.update_id === id) found.push(presence);
    }
    return found;
  }

  protected override reindex(previous?: PresenceDocument, next?: PresenceDocument): void {
    super.reindex(previous, next);
    const since = previous && next ? lastSeen(next) - lastSeen(previous) : Infinity;
    if (since < 0 || since >= DAY_SECONDS) this.returns.touch((next ?? previous)!.user_id);
    if (this.stale) return;
    const last = this.log[this.log.length - 1];
    // Documents are loaded in the order of users, not of changes; other decreases come from reverted
    // writes.
    if (!next || (last && last.updateId >= next.update_id)) {
      this.stale = true;
      return;
    }
    this.log.push({ userId: next.user_id, updateId: next.update_id });
    if (this.log.length > 2 * this.size + 64) this.compact();
  }

  private refresh(): void {
    if (!this.stale) return;
    this.log = Array.from(this.values(), ({ user_id, update_id }) => {
      return { userId: user_id, updateId: update_id };
    });
    this.log.sort((a, b) => a.updateId - b.updateId);
    this.stale = false;
  }

  private compact(): void {
    this.log = this.log.filter((row) => this.get(row.userId)?.update_id === row.updateId);
  }
}

/**
 * Age of the recorded activity at which a new one is recorded: a day of all users is one small document
 * each.
 */
export const RECORD_EVERY_SECONDS = 86_400;

/** Most documents per entry; the next run records the rest. */
export const MAX_RECORDED_AT_ONCE = 500;

/** When users were last active, to the day. */
export class UserActivityCollection extends PersonalCollection<UserActivityDocument> {
  /** Users who made a request at this node that no document says yet: each node has seen others. */
  private readonly noted = new Set<number>();

  constructor(recorder: Recorder) {
    super('user_activity', recorder);
  }

  /** Notes a request of a user until a document says it. */
  noteRequest(userId: number): void {
    if (this.noted.has(userId)) return;
    this.noted.add(userId);
    this.changes.touch(userId);
  }

  /** When a user was last active as far as this node knows: never too early, and up to a day too late. */
  latest(userId: number, now: number): number {
    if (this.noted.has(userId)) return now;
    const recorded = this.get(userId)?.active_at;
    return recorded === undefined ? 0 : recorded + RECORD_EVERY_SECONDS;
  }

  protected override reindex(previous?: UserActivityDocument, next?: UserActivityDocument): void {
    super.reindex(previous, next);
    if (next) this.noted.delete(next.user_id);
  }
}
