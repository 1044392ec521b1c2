import type { SessionDocument } from '../../../schemas/accounts/sessions.js';
import { ApiError } from '../../errors/index.js';
import { RECORD_EVERY_SECONDS, MAX_RECORDED_AT_ONCE } from '../state/collections/presences.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Most users, and most sessions, handed to another node at once: looked at there in a few milliseconds. The next call has
 * the rest.
 */
export const MAX_TAKEN = 5000;

/** Whom another node saw: users, and sessions of browsers. */
export interface Seen {
  readonly users: readonly number[];
  readonly sessions?: readonly number[];
}

/** Records when users last made a request, and with which session. A crash loses what was not written yet. */
export class ActivityTracker {
  private readonly seen = new Set<number>();
  private readonly seenSessions = new Set<number>();
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

  /** Records that a session was used. */
  recordSession({ id, used_at }: SessionDocument): void {
    if (this.org.now() - used_at >= RECORD_EVERY_SECONDS * 1000) this.seenSessions.add(id);
  }

  /** What was recorded and is not written: this node does not lead, and another one writes it. Null: nothing. */
  take(): Seen | null {
    this.checked.clear();
    const users = taken(this.seen, MAX_TAKEN);
    const sessions = taken(this.seenSessions, MAX_TAKEN);
    return users.length + sessions.length === 0 ? null : { users, sessions };
  }

  /** Records what another node took, or what could not be handed over. */
  add({ users, sessions = [] }: Seen): void {
    for (const id of users) {
      this.checked.delete(id);
      this.record(id);
    }
    for (const id of sessions) {
      const session = this.org.sessions.get(id);
      if (session) this.recordSession(session);
    }
  }

  /** Writes what was recorded; while the store refuses writes it is kept for the next run. */
  run(): void {
    this.checked.clear();
    const ids = [...this.seen].slice(0, MAX_RECORDED_AT_ONCE);
    const sessions = [...this.seenSessions].slice(0, MAX_RECORDED_AT_ONCE);
    if (ids.length + sessions.length === 0) return;
    try {
      this.transact((tx) => {
        for (const user_id of ids) {
          if (tx.org.users.has(user_id)) {
            tx.org.activities.insert({ user_id, active_at: tx.seconds });
          }
        }
        for (const id of sessions) {
          if (tx.org.sessions.has(id)) tx.org.sessions.update(id, { used_at: tx.now });
        }
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 503) return;
      throw error;
    }
    for (const id of ids) this.seen.delete(id);
    for (const id of sessions) this.seenSessions.delete(id);
  }
}

/** Takes the first of a set. */
function taken(from: Set<number>, most: number): number[] {
  const ids = [...from].slice(0, most);
  for (const id of ids) from.delete(id);
  return ids;
}
