import type { Clock } from '../../../actors/clock.js';
import type { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { ActorHost, type PersistedActor } from '../../../actors/host.js';
import {
  PresenceRule,
  createPresenceSessionMachine,
  type PresenceSessionMachine,
  DEFAULT_PRESENCE_TIMING,
  type PresenceSessionKind,
  type PresenceStatus,
  type PresenceTiming,
} from '../../../actors/presence-session.js';

/** What a session is connected to. */
export interface PresenceSessionsOptions {
  readonly clock: Clock;
  readonly wheel: DeadlineWheel;
  readonly onError: (id: string, error: unknown) => void;
  readonly timing?: PresenceTiming;
  /** Actors kept in memory; beyond it the longest untouched one is put away until it is needed. */
  readonly maxLive?: number;
}

/** What must be known to bring a session's actor back. Milliseconds since 1970. */
interface Session {
  status: PresenceStatus;
  lastActiveAt: number | null;
  lastSeenAt: number;
}

/** Clients of one user with a session each; further ones share one session. */
const MAX_CLIENTS = 8;
/** Stands for clients beyond the bound, and for whatever a user used before a restart. */
const SHARED_CLIENT = '';
const DEFAULT_MAX_LIVE = 10_000;

type Sessions = Map<string, Session>;

/**
 * The presence-session actors, one per user and client. A passivated actor is kept as three values, from
 * which it can be restored; a session ends when it goes offline.
 */
export class PresenceSessions {
  private readonly byUser = new Map<number, Sessions>();
  /** Live actors, longest untouched first. */
  private readonly live = new Set<string>();
  private stopped = false;
  private readonly rule: PresenceRule;
  private readonly maxLive: number;
  private readonly kind: PresenceSessionKind;
  private readonly host: ActorHost<PresenceSessionMachine>;

  constructor(options: PresenceSessionsOptions) {
    const timing = options.timing ?? DEFAULT_PRESENCE_TIMING;
    this.rule = new PresenceRule(timing);
    this.maxLive = options.maxLive ?? DEFAULT_MAX_LIVE;
    this.kind = createPresenceSessionMachine(
      {
        becameActive: (userId, client) => this.entered(userId, client, 'active'),
        becameIdle: (userId, client) => this.entered(userId, client, 'idle'),
        wentOffline: () => undefined,
      },
      timing,
    );
    const { clock, wheel, onError } = options;
    this.host = new ActorHost(this.kind, {
      clock,
      wheel,
      onError,
      onDone: (id) => this.ended(id),
      restoreWith: (id) => this.persisted(id),
    });
  }

  /** Users with at least one session. */
  get users(): number {
    return this.byUser.size;
  }

  /** Actors in memory by state, for metrics. */
  countByState(): Record<string, number> {
    return this.host.countByState();
  }

  /** Whether any client of the user is active. */
  isActive(userId: number): boolean {
    return this.some(userId, (session) => session.status === 'active');
  }

  /** Whether any client of the user is connected, active or idle. */
  isOnline(userId: number): boolean {
    return this.byUser.has(userId);
  }

  /** When a connected client of the user last was active; null when none was. */
  lastActiveAt(userId: number): number | null {
    let newest: number | null = null;
    for (const { lastActiveAt } of this.byUser.get(userId)?.values() ?? []) {
      if (lastActiveAt !== null && lastActiveAt > (newest ?? 0)) newest = lastActiveAt;
    }
    return newest;
  }

  /**
   * Takes a client's report; ignored while the server stops. A report that changes no state restores no
   * passivated actor: it only updates the session's times, which the actor reads at its deadline. So a
   * hundred thousand keep-alives a minute restore none.
   */
  report(userId: number, clientName: string, status: PresenceStatus, now: number): void {
    if (this.stopped) return;
    const client = this.clientOf(userId, clientName);
    const id = sessionId(userId, client);
    const session = this.byUser.get(userId)?.get(client);
    if (!session) {
      this.begin(userId, client, status, now);
      return;
    }
    const wakesUp = session.status === 'idle' && status === 'active';
    if (wakesUp || this.host.isLive(id)) {
      this.host.send(id, { type: 'ping', status, now });
      this.touch(id);
    }
    session.lastSeenAt = now;
    if (status === 'active') session.lastActiveAt = now;
  }

  /** Begins a session; its actor is created when a deadline or a change of state needs it. */
  private begin(userId: number, client: string, status: PresenceStatus, now: number): void {
    const lastActiveAt = status === 'active' ? now : null;
    const session: Session = { status, lastActiveAt, lastSeenAt: now };
    this.add(userId, client, session);
    this.host.adopt(sessionId(userId, client), this.rule.deadlineOf(session.status, session));
  }

  /** Restores a user's session from the stored times after a restart, without loading an actor. */
  restore(userId: number, lastActiveAt: number | null, lastSeenAt: number, now: number): void {
    if (this.rule.isOffline({ lastSeenAt }, now)) return;
    const status = this.rule.statusOf({ lastActiveAt }, now);
    const session: Session = { status, lastActiveAt, lastSeenAt };
    this.add(userId, SHARED_CLIENT, session);
    this.host.adopt(
      sessionId(userId, SHARED_CLIENT),
      this.rule.deadlineOf(session.status, session),
    );
  }

  /** Ends a user's sessions without effects. */
  forget(userId: number): void {
    for (const client of [...(this.byUser.get(userId)?.keys() ?? [])]) {
      const id = sessionId(userId, client);
      this.host.stop(id);
      this.ended(id);
    }
  }

  /** Ends all sessions; the stored presences survive. */
  stop(): void {
    this.stopped = true;
    this.host.stopAll();
  }

  private some(userId: number, test: (session: Session) => boolean): boolean {
    for (const session of this.byUser.get(userId)?.values() ?? []) {
      if (test(session)) return true;
    }
    return false;
  }

  private clientOf(userId: number, name: string): string {
    const sessions = this.byUser.get(userId);
    return !sessions || sessions.has(name) || sessions.size < MAX_CLIENTS ? name : SHARED_CLIENT;
  }

  private add(userId: number, client: string, session: Session): void {
    const sessions = this.byUser.get(userId);
    if (sessions) sessions.set(client, session);
    else this.byUser.set(userId, new Map([[client, session]]));
  }

  private entered(userId: number, client: string, status: PresenceStatus): void {
    const session = this.byUser.get(userId)?.get(client);
    if (session) session.status = status;
    this.touch(sessionId(userId, client));
  }

  private ended(id: string): void {
    this.live.delete(id);
    const [userId, client] = parseId(id);
    const sessions = this.byUser.get(userId);
    sessions?.delete(client);
    if (sessions?.size === 0) this.byUser.delete(userId);
  }

  /** Marks an actor as most recently used, and passivates the least recently used one above the bound. */
  private touch(id: string): void {
    this.live.delete(id);
    this.live.add(id);
    if (this.live.size <= this.maxLive) return;
    const [oldest] = this.live;
    if (oldest === undefined || oldest === id) return;
    this.live.delete(oldest);
    this.host.passivate(oldest);
  }

  /** The actor's snapshot, made from the session's times. */
  private persisted(id: string): PersistedActor | undefined {
    const [userId, client] = parseId(id);
    const session = this.byUser.get(userId)?.get(client);
    if (!session) return undefined;
    // The host restores it next, so it counts as used.
    this.touch(id);
    const { name, version } = this.kind;
    return {
      machine: name,
      version,
      value: session.status,
      context: {
        user_id: userId,
        client,
        last_active_at: session.lastActiveAt,
        last_seen_at: session.lastSeenAt,
        deadline: this.rule.deadlineOf(session.status, session),
      },
    };
  }
}

function sessionId(userId: number, client: string): string {
  return `${userId}:${client}`;
}

function parseId(id: string): readonly [userId: number, client: string] {
  const colon = id.indexOf(':');
  return [Number(id.slice(0, colon)), id.slice(colon + 1)];
}
