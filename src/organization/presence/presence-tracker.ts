import { DEFAULT_PRESENCE_TIMING, type PresenceStatus } from '../../../actors/presence-session.js';
import type { PresenceDocument } from '../../../schemas/presence/presence-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  PRESENCE_OFFLINE_THRESHOLD_SECONDS,
  PRESENCE_WRITE_INTERVAL_SECONDS,
} from '../../../schemas/limits.js';
import { legacyEntry } from '../../journal/renderers/presence.js';
import type { Organization } from '../state/organization.js';
import { PresenceSessions, type PresenceSessionsOptions } from './presence-sessions.js';
import { emitPresence, presenceTimes } from '../views/presence-view.js';
import type { Transaction } from '../state/transaction.js';

/** Above this, clients learn of presence by polling only (events-people.md#people). */
const MAX_USERS_FOR_EVENTS = 100;
/** Added to the offline threshold, for clients whose clocks differ by up to two minutes. */
const CLOCK_SKEW_SECONDS = 120;
/**
 * A user whose stored activity is older than this counts as away even with an active session: the
 * transaction of the report that began the session may have failed.
 */
const SURELY_OVER_SECONDS =
  (DEFAULT_PRESENCE_TIMING.offlineThresholdMs -
    DEFAULT_PRESENCE_TIMING.pingIntervalMs -
    DEFAULT_PRESENCE_TIMING.graceMs) /
    1000 +
  PRESENCE_WRITE_INTERVAL_SECONDS;

/** How long the write of a report may wait for others, milliseconds: a crash within this time loses the report. */
const REPORT_DEFER_MS = 200;
/**
 * Update ids that are not given after a crash, because deferred reports may have told clients of them: more than
 * the journal takes entries that wait.
 */
const RESERVED_IDS = 100_000;

/**
 * Tracks who is present. Sessions in memory are exact; the store gets at most one document per user in 55
 * seconds, or at once when an idle user becomes active, and queues get an event only when a user goes from
 * offline to active (events-people.md#people).
 */
export class PresenceTracker {
  private readonly sessions: PresenceSessions;
  /** Update ids up to this may have been told by a process that crashed. */
  private reserved = 0;
  /** Whether a later id is durable, so that none is told twice. */
  private mayDefer = false;

  /** @param options their clock is that of the sessions, which end with the process */
  constructor(
    private readonly org: Organization,
    private readonly options: PresenceSessionsOptions,
  ) {
    this.sessions = new PresenceSessions(options);
  }

  /** Difference between the sessions' steady clock and the wall clock, milliseconds. */
  private get ahead(): number {
    return this.options.clock.now() - this.org.now();
  }

  /** Users with a connected client. */
  get onlineUsers(): number {
    return this.sessions.users;
  }

  /** Actors in memory by state, for metrics. */
  countByState(): Record<string, number> {
    return this.sessions.countByState();
  }

  /** `offline` also for users who do not share their presence. */
  statusOf(userId: number): 'active' | 'idle' | 'offline' {
    if (this.sessions.isActive(userId)) return 'active';
    return this.sessions.isOnline(userId) ? 'idle' : 'offline';
  }

  /** Whether the user shares when they are there. */
  isShared(userId: number): boolean {
    const user = this.org.users.get(userId);
    return user !== undefined && this.shares(user);
  }

  /** Restores sessions from the stored presences, once all collections are loaded. */
  restore(): void {
    const last = this.org.counters.last('presence_update');
    if (last > 0) this.reserved = last + RESERVED_IDS;
    const now = this.options.clock.now();
    const { ahead } = this;
    for (const stored of this.org.presences.values()) {
      const user = this.org.users.get(stored.user_id);
      if (!user || !this.shares(user) || stored.idle_timestamp === null) continue;
      const { active_timestamp: at } = stored;
      const active = at === null ? null : at * 1000 + ahead;
      this.sessions.restore(user.user_id, active, stored.idle_timestamp * 1000 + ahead, now);
    }
  }

  /** Takes a client's report; ignored for users who do not share their presence. */
  report(tx: Transaction, user: UserDocument, client: string, status: PresenceStatus): void {
    if (!this.shares(user)) return;
    const stored = this.org.presences.get(user.user_id);
    const cameOnline = status === 'active' && this.wasAway(stored, user.user_id, tx.seconds);
    this.sessions.report(user.user_id, client, status, this.options.clock.now());
    if (!cameOnline && !isWriteDue(user, stored, status, tx.seconds)) return;
    if (this.mayDefer) tx.defer(REPORT_DEFER_MS);
    const next = this.store(tx, user, {
      active_timestamp: this.lastActive(user.user_id) ?? stored?.active_timestamp ?? null,
      idle_timestamp: tx.seconds,
    });
    if (cameOnline && this.org.users.active.size <= MAX_USERS_FOR_EVENTS)
      emitPresence(tx, user, next);
  }

  /**
   * Emits that a user began or ceased to share their presence, to everybody, in organizations of any size
   * and also where presence is disabled: clients keep the last presence and show it again when it is enabled.
   * Call after the change of the setting.
   */
  sharingChanged(tx: Transaction, user: UserDocument, client: string): void {
    const { user_id } = user;
    if (this.shares(user)) {
      this.sessions.report(user_id, client, 'active', this.options.clock.now());
      const now = { active_timestamp: tx.seconds, idle_timestamp: tx.seconds };
      emitPresence(tx, user, this.store(tx, user, now));
      return;
    }
    this.sessions.forget(user_id);
    const gone = tx.seconds - PRESENCE_OFFLINE_THRESHOLD_SECONDS - CLOCK_SKEW_SECONDS;
    const stored = this.org.presences.get(user_id);
    // Both times, also for a user never seen: clients would replace a missing one by the join date.
    const next = this.store(tx, user, {
      active_timestamp: Math.min(stored?.active_timestamp ?? gone, gone),
      idle_timestamp: Math.min(stored?.idle_timestamp ?? gone, gone),
    });
    emitPresence(tx, user, next);
  }

  /** Ends the sessions of a deactivated user. */
  forget(userId: number): void {
    this.sessions.forget(userId);
  }

  /** Ends all sessions at shutdown. */
  stop(): void {
    this.sessions.stop();
  }

  private shares(user: UserDocument): boolean {
    return (
      user.is_active &&
      !user.is_bot &&
      !this.org.realm.current.presence_disabled &&
      this.org.settings.value(user.user_id, 'presence_enabled')
    );
  }

  private wasAway(stored: PresenceDocument | undefined, userId: number, seconds: number): boolean {
    const active = stored?.active_timestamp ?? null;
    if (active === null || seconds - active > SURELY_OVER_SECONDS) return true;
    return !this.sessions.isActive(userId);
  }

  private lastActive(userId: number): number | null {
    const at = this.sessions.lastActiveAt(userId);
    return at === null ? null : Math.floor((at - this.ahead) / 1000);
  }

  private store(
    tx: Transaction,
    user: UserDocument,
    times: Pick<PresenceDocument, 'active_timestamp' | 'idle_timestamp'>,
  ): PresenceDocument {
    const { counters } = tx.org;
    if (!this.mayDefer) {
      counters.skip('presence_update', this.reserved);
      tx.onceDurable(() => {
        this.mayDefer = true;
      });
    }
    const update_id = counters.next('presence_update');
    return tx.org.presences.insert({ user_id: user.user_id, ...times, update_id });
  }
}

/** At most one write per user in 55 s, unless an idle user becomes active. */
function isWriteDue(
  user: UserDocument,
  stored: PresenceDocument | undefined,
  status: PresenceStatus,
  seconds: number,
): boolean {
  if (!stored || stored.idle_timestamp === null) return true;
  const age = seconds - stored.idle_timestamp;
  // A stored time in the future was written before the clock was set back.
  if (age >= PRESENCE_WRITE_INTERVAL_SECONDS || age < 0) return true;
  return status === 'active' && legacyEntry(presenceTimes(user, stored)).status === 'idle';
}
