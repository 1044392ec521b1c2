import { ApiError } from '../../errors/index.js';
import { RECORD_EVERY_SECONDS, MAX_RECORDED_AT_ONCE } from '../state/collections/presences.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Most users handed to another node at once: less than the bound of a call, 1 MiB. */
const MAX_TAKEN = 50_000;

/** Records when users last made a request. A crash loses what was not written yet. */
export class ActivityTracker {
  private readonly seen = new Set<number>();
  /** Users who were looked at since the last run. Asked for every request, before `record` is called. */
  readonly checked = new Set<number>();

  constructor(
    private readonly org: Organization,
    private readonly transact: (work: (tx: Transaction) => void) => void,
  ) {}

  /** Records that a user made a request. */
  record(userId: number): void {
    this.checked.add(userId);
    const recordedAt = this.org.activities.get(userId)?.active_at ?? 0;
    if (this.org.now() / 1000 - recordedAt < RECORD_EVERY_SECONDS) return;
    this.seen.add(userId);
    this.org.activities.noteRequest(userId);
  }

  /** What was recorded and is not written: this node does not lead, and another one writes it. */
  take(): readonly number[] {
    this.checked.clear();
    const users = [...this.seen].slice(0, MAX_TAKEN);
    for (const id of users) this.seen.delete(id);
    return users;
  }

  /** Records what another node took, or what could not be handed over. */
  add(users: readonly number[]): void {
    for (const id of users) {
      this.checked.delete(id);
      this.record(id);
    }
  }

  /** Writes what was recorded; while the store refuses writes it is kept for the next run. */
  run(): void {
    this.checked.clear();
    const ids = [...this.seen].slice(0, MAX_RECORDED_AT_ONCE);
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
