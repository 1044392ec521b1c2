import { assign, setup } from 'xstate';
import type { MachineKind } from './machine-kind.js';

/**
 * The presence of one client of one user, by its reports. A session without activity for threshold −
 * interval − grace is idle; one without any report for the threshold is offline, which ends it. A later
 * report begins a new one.
 *
 *     active ⇄ idle; from both: offline (final), forgotten (final)
 */

/** Status in a client's report. */
export type PresenceStatus = 'active' | 'idle';

/** Plain JSON; all times in milliseconds since the epoch. */
export type PresenceSessionContext = {
  user_id: number;
  client: string;
  /** Last report with status `active`; null when there was none in this session. */
  last_active_at: number | null;
  /** Last report of any status. */
  last_seen_at: number;
  /** When the session turns idle or offline unless a report comes first. */
  deadline: number;
};

/** Input of a new session: its first report. */
export interface PresenceSessionInput {
  readonly user_id: number;
  readonly client: string;
  readonly status: PresenceStatus;
  readonly now: number;
}

/** `now` is the time of the event in milliseconds since the epoch. */
export type PresenceSessionEvent =
  | { readonly type: 'ping'; readonly status: PresenceStatus; readonly now: number }
  | { readonly type: 'deadline'; readonly now: number }
  /** Ends the session silently: the user was deactivated or no longer shares their presence. */
  | { readonly type: 'forget' };

/** Called when a session enters a state, including its first; not when it is restored into one. */
export interface PresenceSessionEffects {
  becameActive(userId: number, client: string): void;
  becameIdle(userId: number, client: string): void;
  wentOffline(userId: number, client: string): void;
}

/** Timing of presence sessions, in milliseconds. */
export interface PresenceTiming {
  /** Without any report for this long a session is offline. */
  readonly offlineThresholdMs: number;
  /** How often clients report. */
  readonly pingIntervalMs: number;
  /** How late a report may be. */
  readonly graceMs: number;
  /** The report times are written at most this often while the state stays the same. */
  readonly writeIntervalMs: number;
}

/**
 * The timing that clients expect (events-people.md#people): idle after 200 − 60 − 10 = 130 s; written at most once per
 * 55 s.
 */
export const DEFAULT_PRESENCE_TIMING: PresenceTiming = {
  offlineThresholdMs: 200_000,
  pingIntervalMs: 60_000,
  graceMs: 10_000,
  writeIntervalMs: 55_000,
};

/** What a session has reported. Milliseconds since the epoch. */
export interface PresenceReports {
  /** Null for a session that was never active. */
  readonly lastActiveAt: number | null;
  readonly lastSeenAt: number;
}

/** When a session is idle, and when it is offline: the one place that knows. */
export class PresenceRule {
  private readonly idleAfterMs: number;
  private readonly offlineAfterMs: number;

  /** @throws RangeError when the timing leaves no time in which a session is active */
  constructor({ offlineThresholdMs, pingIntervalMs, graceMs }: PresenceTiming) {
    this.idleAfterMs = offlineThresholdMs - pingIntervalMs - graceMs;
    this.offlineAfterMs = offlineThresholdMs;
    if (!(this.idleAfterMs > 0 && this.idleAfterMs <= offlineThresholdMs)) {
      throw new RangeError('The offline threshold must exceed the ping interval and the grace');
    }
  }

  isOffline({ lastSeenAt }: Pick<PresenceReports, 'lastSeenAt'>, now: number): boolean {
    return lastSeenAt + this.offlineAfterMs <= now;
  }

  /** The status of a session that is not offline. */
  statusOf({ lastActiveAt }: Pick<PresenceReports, 'lastActiveAt'>, now: number): PresenceStatus {
    return lastActiveAt !== null && lastActiveAt + this.idleAfterMs > now ? 'active' : 'idle';
  }

  /** When a session turns idle or offline unless a report comes first. */
  deadlineOf(status: PresenceStatus, { lastActiveAt, lastSeenAt }: PresenceReports): number {
    return status === 'active'
      ? (lastActiveAt ?? lastSeenAt) + this.idleAfterMs
      : lastSeenAt + this.offlineAfterMs;
  }
}

/** The machine itself: its events, its context and the input of its actors. */
export type PresenceSessionMachine = ReturnType<typeof createLogic>;

/** The machine kind of presence sessions. One machine serves all sessions of the process. */
export type PresenceSessionKind = MachineKind<PresenceSessionMachine>;

/**
 * Makes the machine kind of presence sessions around the given effects.
 *
 * @throws RangeError when the timing leaves no time in which a session is active.
 */
export function createPresenceSessionMachine(
  effects: PresenceSessionEffects,
  timing: PresenceTiming = DEFAULT_PRESENCE_TIMING,
): PresenceSessionKind {
  const { writeIntervalMs } = timing;
  return {
    name: 'presence-session',
    version: 1,
    logic: createLogic(effects, new PresenceRule(timing)),
    deadlineOf: (context) => context.deadline,
    deadlineEvent: (now) => ({ type: 'deadline', now }),
    sameDurable: (stored, current) =>
      stored.value === current.value &&
      current.context.last_seen_at - stored.context.last_seen_at < writeIntervalMs,
  };
}

/** The time of an event; `forget`, which carries none, never reaches an action that asks. */
function timeOf(event: PresenceSessionEvent): number {
  if ('now' in event) return event.now;
  throw new Error(`The event ${event.type} carries no time`);
}

function reportsOf(context: PresenceSessionContext): PresenceReports {
  return { lastActiveAt: context.last_active_at, lastSeenAt: context.last_seen_at };
}

function createLogic(effects: PresenceSessionEffects, rule: PresenceRule) {
  return setup({
    types: {
      context: {} as PresenceSessionContext,
      events: {} as PresenceSessionEvent,
      input: {} as PresenceSessionInput,
    },
    guards: {
      reportedActive: ({ event }) => event.type === 'ping' && event.status === 'active',
      startedActive: ({ context }) => context.last_active_at !== null,
      silent: ({ context, event }) => rule.isOffline(reportsOf(context), timeOf(event)),
      inactive: ({ context, event }) => rule.statusOf(reportsOf(context), timeOf(event)) === 'idle',
    },
    actions: {
      noteActive: assign(({ event }) => {
        const now = timeOf(event);
        const reports = { lastActiveAt: now, lastSeenAt: now };
        return {
          last_active_at: now,
          last_seen_at: now,
          deadline: rule.deadlineOf('active', reports),
        };
      }),
      noteSeen: assign(({ event }) => ({ last_seen_at: timeOf(event) })),
      awaitIdle: assign(({ context }) => ({
        deadline: rule.deadlineOf('active', reportsOf(context)),
      })),
      awaitOffline: assign(({ context }) => ({
        deadline: rule.deadlineOf('idle', reportsOf(context)),
      })),
      becameActive: ({ context }) => effects.becameActive(context.user_id, context.client),
      becameIdle: ({ context }) => effects.becameIdle(context.user_id, context.client),
      wentOffline: ({ context }) => effects.wentOffline(context.user_id, context.client),
    },
  }).createMachine({
    id: 'presence-session',
    context: ({ input: { user_id, client, status, now } }) => {
      const lastActiveAt = status === 'active' ? now : null;
      return {
        user_id,
        client,
        last_active_at: lastActiveAt,
        last_seen_at: now,
        deadline: rule.deadlineOf(status, { lastActiveAt, lastSeenAt: now }),
      };
    },
    initial: 'starting',
    on: { forget: { target: '.forgotten' } },
    states: {
      starting: { always: [{ guard: 'startedActive', target: 'active' }, { target: 'idle' }] },
      active: {
        entry: 'becameActive',
        on: {
          ping: [{ guard: 'reportedActive', actions: 'noteActive' }, { actions: 'noteSeen' }],
          deadline: [
            { guard: 'silent', target: 'offline' },
            { guard: 'inactive', target: 'idle', actions: 'awaitOffline' },
            { actions: 'awaitIdle' },
          ],
        },
      },
      idle: {
        entry: 'becameIdle',
        on: {
          ping: [
            { guard: 'reportedActive', target: 'active', actions: 'noteActive' },
            { actions: ['noteSeen', 'awaitOffline'] },
          ],
          deadline: [{ guard: 'silent', target: 'offline' }, { actions: 'awaitOffline' }],
        },
      },
      offline: { type: 'final', entry: 'wentOffline' },
      forgotten: { type: 'final' },
    },
  });
}
