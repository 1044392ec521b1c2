import type { UserActivityDocument } from '../../schemas/documents/user-activity.js';
import { ApiError } from '../errors.js';
import type { Recorder } from './collection.js';
import type { Organization } from './organization.js';
import { PersonalCollection } from './personal-collection.js';
import { lastSeen } from './presences.js';
import type { Transaction } from './transaction.js';

/** An activity is noted when the last one noted is this old: a day of everybody's is one small document. */
const NOTED_EVERY_SECONDS = 86_400;

/** Documents of one entry at most; the rest comes with the next run. */
const MAX_NOTED_AT_ONCE = 500;

/** When people last did anything, to the day. */
export class UserActivityCollection extends PersonalCollection<UserActivityDocument> {
  constructor(recorder: Recorder) {
    super('user_activity', recorder);
  }
}

/**
 * The latest moment at which somebody may have been active, UNIX seconds; 0 for never. Within a day too
 * late, because activity is noted once a day, and never too early.
 */
export function latestActivity(org: Organization, userId: number): number {
  const noted = org.activities.get(userId)?.active_at;
  const latest = noted === undefined ? 0 : noted + NOTED_EVERY_SECONDS;
  return Math.max(lastSeen(org.presences.get(userId)), latest);
}

/** Notes who makes requests of any kind. A crash loses what was not written yet. */
export class ActivityTracker {
  private readonly seen = new Set<number>();

  constructor(
    private readonly org: Organization,
    private readonly transact: (work: (tx: Transaction) => void) => void,
  ) {}

  /** Called for every authenticated request, so it costs one look into a map. */
  note(userId: number): void {
    const noted = this.org.activities.get(userId)?.active_at ?? 0;
    if (this.org.now() / 1000 - noted >= NOTED_EVERY_SECONDS) this.seen.add(userId);
  }

  /** Stores what was noted; while the store takes nothing, it waits for the next run. */
  run(): void {
    const ids = [...this.seen].slice(0, MAX_NOTED_AT_ONCE);
    if (ids.length === 0) return;
    try {
      this.transact((tx) => {
        for (const user_id of ids) {
          if (tx.org.users.has(user_id)) {
            tx.org.activities.insert({ user_id, active_at: tx.seconds });
          }
        }
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 503) return;
      throw error;
    }
    for (const id of ids) this.seen.delete(id);
  }
}
