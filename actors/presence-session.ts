import { assign, setup } from 'xstate';
import type { PresenceSessionDocument } from '../schemas/presence/presence-session-document.js';
import { storedTime, type StoredTime } from '../schemas/store/stored-time.js';
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

/** Plain JSON. Times are of the wall clock, because they are stored. */
export type PresenceSessionContext = PresenceSessionDocument['context'];

/** Input of a new session. It begins idle; a first report of activity is its first event. */
export interface PresenceSessionInput {
  readonly user_id: number;
  readonly client: string;
  readonly now: StoredTime;
}

/** `now` is the time of the event. */
export type PresenceSessionEvent =
  | { readonly type: 'ping'; readonly status: PresenceStatus; readonly now: StoredTime }
  /**
   * The deadline has passed. The event's time is the deadline: what the session becomes does not depend on how late it
   * is woken, nor on a wall clock that was set meanwhile.
   */
  | { readonly type: 'deadline'; readonly now: StoredTime }
  /** Ends the session silently: the user was deactivated or no longer shares their presence. */
  | { readonly type: 'forget' };

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

/** The machine itself: its events, its context and the input of its actors. */
export type PresenceSessionMachine = ReturnType<typeof createLogic>;

/** The machine kind of presence sessions. One machine serves all sessions of the process. */
export type PresenceSessionKind = MachineKind<PresenceSessionMachine>;

/**
 * Makes the machine kind of presence sessions.
 * @throws RangeError when the timing leaves no time in which a session is active
 */
export function createPresenceSessionMachine(
  timing: PresenceTiming = DEFAULT_PRESENCE_TIMING,
): PresenceSessionKind {
  const { offlineThresholdMs, pingIntervalMs, graceMs, writeIntervalMs } = timing;
  const idleAfterMs = offlineThresholdMs - pingIntervalMs - graceMs;
  if (!(idleAfterMs > 0 && idleAfterMs <= offlineThresholdMs)) {
    throw new RangeError('The offline threshold must exceed the ping interval and the grace');
  }
  return {
    name: 'presence-session',
    version: 2,
    logic: createLogic(idleAfterMs, offlineThresholdMs),
    deadlineOf: ({ context }) => context.deadline,
    deadlineEvent: (_now, { deadline }) => ({ type: 'deadline', now: deadline }),
    // Not only later: a wall clock that was set back makes times earlier.
    sameDurable: (stored, current) =>
      stored.value === current.value &&
      Math.abs(current.context.last_seen_at - stored.context.last_seen_at) < writeIntervalMs,
  };
}

function createLogic(idleAfterMs: number, offlineAfterMs: number) {
  const idleAt = (lastActive: StoredTime): StoredTime => storedTime(lastActive, idleAfterMs);
  const offlineAt = (lastSeen: StoredTime): StoredTime => storedTime(lastSeen, offlineAfterMs);
  return setup({
    types: {
      context: {} as PresenceSessionContext,
      events: {} as PresenceSessionEvent,
      input: {} as PresenceSessionInput,
    },
    guards: {
      reportedActive: ({ event }) => event.type === 'ping' && event.status === 'active',
      silent: ({ context, event }) =>
        event.type === 'deadline' && offlineAt(context.last_seen_at) <= event.now,
    },
    actions: {
      noteActive: assign(({ event }) =>
        event.type === 'ping'
          ? { last_active_at: event.now, last_seen_at: event.now, deadline: idleAt(event.now) }
          : {},
      ),
      noteSeen: assign(({ event }) => (event.type === 'ping' ? { last_seen_at: event.now } : {})),
      awaitOffline: assign(({ context }) => ({ deadline: offlineAt(context.last_seen_at) })),
    },
  }).createMachine({
    id: 'presence-session',
    context: ({ input: { user_id, client, now } }) => ({
      user_id,
      client,
      last_active_at: null,
      last_seen_at: now,
      deadline: offlineAt(now),
    }),
    initial: 'idle',
    on: { forget: { target: '.forgotten' } },
    states: {
      active: {
        on: {
          ping: [{ guard: 'reportedActive', actions: 'noteActive' }, { actions: 'noteSeen' }],
          // Reports of inactivity leave the deadline where the last activity put it.
          deadline: [
            { guard: 'silent', target: 'offline' },
            { target: 'idle', actions: 'awaitOffline' },
          ],
        },
      },
      idle: {
        on: {
          ping: [
            { guard: 'reportedActive', target: 'active', actions: 'noteActive' },
            { actions: ['noteSeen', 'awaitOffline'] },
          ],
          deadline: [{ guard: 'silent', target: 'offline' }, { actions: 'awaitOffline' }],
        },
      },
      offline: { type: 'final' },
      forgotten: { type: 'final' },
    },
  });
}
