import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ActorHost, type ActorSnapshot } from '../../../actors/host.js';
import {
  createPresenceSessionMachine,
  type PresenceSessionContext,
  type PresenceSessionMachine,
  type PresenceStatus,
  type PresenceTiming,
} from '../../../actors/presence-session.js';
import { storedTime, type StoredTime } from '../../../schemas/store/stored-time.js';
import type { PresenceSessionDocument } from '../../../schemas/presence/presence-session-document.js';
import { wakeTogether } from '../state/actor-collection.js';
import {
  type PresenceSessionCollection,
  sessionId,
} from '../state/collections/presence-sessions.js';

/** What the sessions are connected to. */
export interface PresenceSessionsOptions {
  /** Of the wheel. */
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  /** Milliseconds since 1970, for what is stored. */
  readonly wall: () => number;
  /** Runs work as a transaction. */
  readonly transact: (work: () => void) => void;
  readonly onError: (id: string, error: unknown) => void;
  readonly timing?: PresenceTiming;
}

type SessionSnapshot = ActorSnapshot<PresenceSessionContext>;

/** Clients of one user with a session each; further ones share one session. */
const MAX_CLIENTS = 8;
/** Stands for clients beyond the bound, and for whatever a user used in a store from before sessions were stored. */
const SHARED_CLIENT = '';

/** What a user's sessions say together: the most present of their states. */
export type PresenceValue = 'active' | 'idle' | 'offline';

/**
 * The presence-session actors, one per user and client, on the node that leads. Their snapshots are the documents of
 * `presence_session`; beside those are only the snapshots with newer times of reports, which are written at most every
 * 55 s: they are never of another state.
 */
export class PresenceSessions {
  /** Snapshots that are newer than the document, of the same state. */
  private readonly newer = new Map<string, SessionSnapshot>();
  private readonly host: ActorHost<PresenceSessionMachine>;

  /** @throws RangeError for a timing that leaves no time in which a session is active */
  constructor(
    private readonly documents: PresenceSessionCollection,
    private readonly options: PresenceSessionsOptions,
  ) {
    const { clock, wheel, wall, onError, transact } = options;
    this.host = new ActorHost(createPresenceSessionMachine(options.timing), {
      ...{ clock, wheel, wall, onError },
      snapshots: {
        get: (id) => this.snapshotOf(id),
        stored: (id) => documents.get(id),
        put: (id, next, durable) => this.put(id, next, durable),
        end: (id) => {
          this.newer.delete(id);
          documents.delete(id);
        },
      },
      due: (ids) =>
        wakeTogether(ids, {
          ...{ host: this.host, clock, transact },
          armAgain: (id) => this.host.arm(id, this.snapshotOf(id)),
        }),
    });
  }

  /** Takes over the stored sessions: this node leads. */
  restore(): void {
    this.documents.onChange = (id, next) => this.host.arm(id, next);
    const ended: string[] = [];
    for (const [id, document] of this.documents.byId()) {
      this.host.restore(id, document);
      if (this.host.hasEnded(document)) ended.push(id);
    }
    if (ended.length === 0) return;
    this.options.transact(() => ended.forEach((id) => this.documents.delete(id)));
  }

  /** Users with at least one session. */
  get users(): number {
    return this.documents.users;
  }

  /** What the user's sessions say: derived from their states alone. */
  statusOf(userId: number): PresenceValue {
    let status: PresenceValue = 'offline';
    for (const id of this.documents.of(userId)) {
      const { value } = this.documents.get(id)!;
      if (value === 'active') return 'active';
      if (value === 'idle') status = 'idle';
    }
    return status;
  }

  /** When a connected client of the user last was active; null when none was. */
  lastActiveAt(userId: number): StoredTime | null {
    let newest: StoredTime | null = null;
    for (const id of this.documents.of(userId)) {
      const at = this.snapshotOf(id)!.context.last_active_at;
      if (at !== null && at > (newest ?? 0)) newest = at;
    }
    return newest;
  }

  /**
   * Takes a client's report, in the transaction that is open.
   * @returns whether the session was written; not where only the times of reports have changed, a little
   */
  report(userId: number, clientName: string, status: PresenceStatus): boolean {
    if (this.host.isStopped) return false;
    const client = this.clientOf(userId, clientName);
    const id = sessionId(userId, client);
    const before = this.documents.get(id);
    const now = storedTime(this.options.wall());
    const ping = { type: 'ping', status, now } as const;
    if (!this.host.send(id, ping)) {
      this.host.begin(id, { user_id: userId, client, now });
      if (status === 'active') this.host.send(id, ping);
    }
    return this.documents.get(id) !== before;
  }

  /** Begins the session of a user whom a store from before sessions knows by times alone, in the open transaction. */
  begin(userId: number, lastActiveAt: StoredTime | null, lastSeenAt: StoredTime): void {
    const id = sessionId(userId, SHARED_CLIENT);
    this.host.begin(id, { user_id: userId, client: SHARED_CLIENT, now: lastSeenAt });
    if (lastActiveAt === null) return;
    this.host.send(id, { type: 'ping', status: 'active', now: lastActiveAt });
    this.host.send(id, { type: 'ping', status: 'idle', now: lastSeenAt });
  }

  /** Ends a user's sessions without effects, in the transaction that is open. */
  forget(userId: number): void {
    for (const id of [...this.documents.of(userId)]) this.host.send(id, { type: 'forget' });
  }

  /** Wakes nobody from now on; the stored sessions survive. */
  stop(): void {
    this.host.stop();
  }

  /** The snapshot of a session as it is now: the document may have older times of reports. */
  snapshotOf(id: string): SessionSnapshot | undefined {
    return this.newer.get(id) ?? this.documents.get(id);
  }

  private put(id: string, next: SessionSnapshot, durable: boolean): void {
    if (!durable) {
      this.newer.set(id, next);
      return;
    }
    this.newer.delete(id);
    this.documents.insert(next as PresenceSessionDocument);
  }

  private clientOf(userId: number, name: string): string {
    const ids = this.documents.of(userId);
    return ids.size < MAX_CLIENTS || ids.has(sessionId(userId, name)) ? name : SHARED_CLIENT;
  }
}
