import type { ActorSnapshot } from '../../../actors/host.js';
import type { PresenceStatus } from '../../../actors/presence-session.js';
import type { PresenceDocument } from '../../../schemas/presence/presence.js';
import { storedTime } from '../../../schemas/store/stored-time.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  PRESENCE_OFFLINE_THRESHOLD_SECONDS,
  PRESENCE_WRITE_INTERVAL_SECONDS,
} from '../../../schemas/limits.js';
import { NEVER, NOW } from '../state/scheduled/next-due.js';
import type { Organization } from '../state/organization.js';
import {
  PresenceSessions,
  type PresenceSessionsOptions,
  type PresenceValue,
} from './presence-sessions.js';
import { emitPresence, GONE_SECONDS, presenceTimes } from '../views/presence-view.js';
import { legacyEntry } from '../../journal/renderers/presence.js';
import type { Transaction } from '../state/transaction.js';

/** Above this, clients learn of presence by polling only (events-people.md#people). */
const MAX_USERS_FOR_EVENTS = 100;
/** How long the write of a report may wait for others, milliseconds: a crash within this time loses the report. */
const REPORT_DEFER_MS = 200;
/**
 * Update ids that are not given after a crash, because deferred reports may have told clients of them: more than
 * the journal takes entries that wait.
 */
const RESERVED_IDS = 100_000;
/** Users of a store from before sessions whose sessions begin in one transaction. */
const BEGUN_AT_ONCE = 500;

/**
 * Tracks who is present. Whether somebody is active, idle or offline is the state of their sessions: whatever the server
 * decides asks for that. Clients are told two times, of which they, and the legacy forms, derive a status by a formula of the
 * protocol (events-people.md#people); actors.md#shown-presence says for how long the two may differ. The record of the times,
 * with the number of their change, is written at most once per user in 55 seconds, or at once when a user becomes active;
 * queues get an event only when one was not active before.
 */
export class PresenceTracker {
  private readonly sessions: PresenceSessions;
  /** Update ids up to this may have been told by a process that crashed. */
  private reserved = 0;
  /** Whether a later id is durable, so that none is told twice. */
  private mayDefer = false;

  constructor(
    private readonly org: Organization,
    private readonly options: Omit<PresenceSessionsOptions, 'wall'>,
  ) {
    this.sessions = new PresenceSessions(org.presenceSessions, { ...options, wall: org.now });
  }

  /** Users with a connected client. */
  get onlineUsers(): number {
    return this.sessions.users;
  }

  /** Sessions by state, for metrics. */
  countByState(): Record<string, number> {
    return this.org.presenceSessions.states.toRecord();
  }

  /** The snapshot of a session as it is now; undefined where there is none. */
  sessionOf(id: string): ActorSnapshot<unknown> | undefined {
    return this.sessions.snapshotOf(id);
  }

  /** `offline` also for users who do not share their presence. */
  statusOf(userId: number): PresenceValue {
    return this.sessions.statusOf(userId);
  }

  /** Whether the user shares when they are there. */
  isShared(userId: number): boolean {
    const user = this.org.users.get(userId);
    return user !== undefined && this.shares(user);
  }

  /** Takes over the stored sessions, once all collections are loaded: this node leads. */
  restore(): void {
    const last = this.org.counters.last('presence_update');
    if (last > 0) this.reserved = last + RESERVED_IDS;
    if (this.org.presenceSessions.size === 0) this.beginSessions();
    this.sessions.restore();
  }

  /** Begins the sessions of who was there lately, in a store from before sessions were stored. */
  private beginSessions(): void {
    const since = this.org.now() / 1000 - PRESENCE_OFFLINE_THRESHOLD_SECONDS;
    const present = [...this.org.presences.values()].filter(({ user_id, idle_timestamp }) => {
      const user = this.org.users.get(user_id);
      return user !== undefined && this.shares(user) && (idle_timestamp ?? 0) > since;
    });
    for (let i = 0; i < present.length; i += BEGUN_AT_ONCE) {
      this.options.transact(() => {
        for (const { user_id, active_timestamp, idle_timestamp } of present.slice(
          i,
          i + BEGUN_AT_ONCE,
        )) {
          const active = active_timestamp === null ? null : storedTime(active_timestamp * 1000);
          this.sessions.begin(user_id, active, storedTime(idle_timestamp! * 1000));
        }
      });
    }
  }

  /** Takes a client's report; ignored for users who do not share their presence. */
  report(tx: Transaction, user: UserDocument, client: string, status: PresenceStatus): void {
    if (!this.shares(user)) return;
    const { user_id } = user;
    const stored = this.org.presences.get(user_id);
    const cameOnline = status === 'active' && this.statusOf(user_id) !== 'active';
    const wrote = this.sessions.report(user_id, client, status);
    const told =
      cameOnline ||
      isWriteDue(stored, tx.seconds) ||
      (status === 'active' && isShownIdle(user, stored!));
    if ((wrote || told) && this.mayDefer) tx.defer(REPORT_DEFER_MS);
    if (!told) return;
    const next = this.store(tx, user, {
      active_timestamp: this.lastActive(user_id) ?? stored?.active_timestamp ?? null,
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
      this.sessions.report(user_id, client, 'active');
      const now = { active_timestamp: tx.seconds, idle_timestamp: tx.seconds };
      emitPresence(tx, user, this.store(tx, user, now));
      return;
    }
    this.sessions.forget(user_id);
    const gone = tx.seconds - GONE_SECONDS;
    const stored = this.org.presences.get(user_id);
    // Both times, also for a user never seen: clients would replace a missing one by the join date.
    const next = this.store(tx, user, {
      active_timestamp: Math.min(stored?.active_timestamp ?? gone, gone),
      idle_timestamp: Math.min(stored?.idle_timestamp ?? gone, gone),
    });
    emitPresence(tx, user, next);
  }

  /** Ends the sessions of a deactivated user, in the transaction that is open. */
  forget(userId: number): void {
    this.sessions.forget(userId);
  }

  /** Sessions end within minutes after the last report. */
  nextDue(): number {
    return this.onlineUsers > 0 ? NOW : NEVER;
  }

  /** Ends no session at shutdown: the stored ones survive. */
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

  private lastActive(userId: number): number | null {
    const at = this.sessions.lastActiveAt(userId);
    return at === null ? null : Math.floor(at / 1000);
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

/** Whether clients show a user as idle, by the times that they were told. */
function isShownIdle(user: UserDocument, stored: PresenceDocument): boolean {
  return legacyEntry(presenceTimes(user, stored)).status === 'idle';
}

/** At most one write per user in 55 s. */
function isWriteDue(stored: PresenceDocument | undefined, seconds: number): boolean {
  if (!stored || stored.idle_timestamp === null) return true;
  const age = seconds - stored.idle_timestamp;
  // A stored time in the future was written before the clock was set back.
  return age >= PRESENCE_WRITE_INTERVAL_SECONDS || age < 0;
}
