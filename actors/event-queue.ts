import { assign, setup } from 'xstate';
import type { MachineKind } from './machine-kind.js';

/**
 * The life of one event queue: who waits on it, when a heartbeat is due, when it expires. The events
 * themselves are kept elsewhere, and neither a poll that is answered at once nor an event pushed to
 * a socket passes through here. Implements event-queues.md#get-events,
 * event-queues.md#two-clients, event-queues.md#heartbeat and event-queues.md#idle-expiry.
 *
 *     idle ⇄ polling, idle ⇄ streaming; from anywhere: overflowed, deleted, revoked; from idle: expired
 */

/** How long a waiting client sees no event before a heartbeat, without the jitter. */
export const HEARTBEAT_INTERVAL_MS = 45_000;

/** The random part of the delay. It keeps clients that connected together from staying in step. */
const HEARTBEAT_JITTER_MS = 10_000;

/** How a queue can end. */
export type EventQueueEnd = 'expired' | 'deleted' | 'overflowed' | 'revoked';

/** The states of a queue that has not ended. */
export type EventQueueState = 'idle' | 'polling' | 'streaming';

/** Plain JSON; all times in milliseconds since the epoch. */
export type EventQueueContext = {
  queue_id: string;
  /** How long the queue lives without a consumer. */
  idle_timeout_ms: number;
  /** When a consumer was last seen to come or go. Polls answered at once do not move it. */
  touched_at: number;
  /** Expiry while idle, the next heartbeat otherwise. */
  deadline: number;
};

/** What a queue starts from. */
export interface EventQueueInput {
  readonly queue_id: string;
  readonly idle_timeout_ms: number;
  readonly now: number;
}

/** `now` is the time of the event in milliseconds since the epoch. */
export type EventQueueEvent =
  /** A poll waits. A newer poll may take over an older one; answering that is the caller's work. */
  | { readonly type: 'poll'; readonly now: number }
  /** A socket is attached, and takes over a waiting poll or an older socket. */
  | { readonly type: 'stream'; readonly now: number }
  /**
   * No consumer is left: the poll was answered or aborted, the socket closed. Also sent after a
   * restart, when no consumer has survived; the idle time then counts from `now`.
   */
  | { readonly type: 'release'; readonly now: number }
  /** Optional: something was pushed to the socket, which postpones the heartbeat. */
  | { readonly type: 'delivered'; readonly now: number }
  | { readonly type: 'deadline'; readonly now: number }
  /** The bounds of the buffer were exceeded. */
  | { readonly type: 'overflow' }
  /** The client deleted the queue. */
  | { readonly type: 'delete' }
  /** The user may not read it any more: the account or the organization was deactivated. */
  | { readonly type: 'revoke' };

/** What a queue does and asks. Every call gets the id of the queue it is about. */
export interface EventQueueEffects {
  /** Delay until the next heartbeat, at least the interval. See {@link heartbeatDelay}. */
  heartbeatDelayMs(): number;
  /**
   * Appends a heartbeat event and hands it to the consumer. A poll is answered by that, so the
   * caller then sends `release`; it does so as well when it finds no consumer, after a restart.
   */
  heartbeat(queueId: string): void;
  /**
   * When the consumer that is attached came, or was last given an event; null if never. A client that
   * polls again as soon as it is answered need not pass through the machine each time.
   */
  lastDeliveryAt(queueId: string): number | null;
  /**
   * When the queue was last polled, also by polls answered at once; null if never. After a restart
   * never earlier than the start of the process, since no client could poll before.
   */
  lastTouchedAt(queueId: string): number | null;
  /** The queue is gone. A waiting poll is to be answered, a socket to be closed. */
  ended(queueId: string, reason: EventQueueEnd): void;
}

/** Options of {@link createEventQueueMachine}. */
export interface EventQueueOptions {
  /** No heartbeat for a consumer that came, or got an event, less than this ago. Default 45 s. */
  readonly heartbeatIntervalMs?: number;
}

/** A delay of 45 to 55 s, from a random number in [0, 1). */
export function heartbeatDelay(random: number): number {
  return HEARTBEAT_INTERVAL_MS + Math.floor(random * HEARTBEAT_JITTER_MS);
}

/** The machine itself: its events, its context and the input of its actors. */
export type EventQueueMachine = ReturnType<typeof createLogic>;

/** The machine kind of event queues. One machine serves all queues of the process. */
export type EventQueueKind = MachineKind<EventQueueMachine>;

/** Makes the machine kind of event queues around the given effects. */
export function createEventQueueMachine(
  effects: EventQueueEffects,
  options: EventQueueOptions = {},
): EventQueueKind {
  return {
    name: 'event-queue',
    version: 1,
    logic: createLogic(effects, options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS),
    deadlineOf: (context) => context.deadline,
    deadlineEvent: (now) => ({ type: 'deadline', now }),
    // Consumers do not survive the process, and idle time counts anew after a restart: only that
    // the queue exists, and for how long, is worth a write.
    sameDurable: (stored, current) =>
      stored.context.idle_timeout_ms === current.context.idle_timeout_ms,
  };
}

/** The time of an event; those that carry none never reach an action that asks. */
function timeOf(event: EventQueueEvent): number {
  if ('now' in event) return event.now;
  throw new Error(`The event ${event.type} carries no time`);
}

function createLogic(effects: EventQueueEffects, heartbeatIntervalMs: number) {
  const lastTouch = (context: EventQueueContext): number =>
    Math.max(context.touched_at, effects.lastTouchedAt(context.queue_id) ?? 0);

  return setup({
    types: {
      context: {} as EventQueueContext,
      events: {} as EventQueueEvent,
      input: {} as EventQueueInput,
    },
    guards: {
      usedMeanwhile: ({ context, event }) =>
        lastTouch(context) + context.idle_timeout_ms > timeOf(event),
      deliveredMeanwhile: ({ context, event }) => {
        const deliveredAt = effects.lastDeliveryAt(context.queue_id);
        return deliveredAt !== null && deliveredAt + heartbeatIntervalMs > timeOf(event);
      },
    },
    actions: {
      attach: assign(({ event }) => {
        const now = timeOf(event);
        return { touched_at: now, deadline: now + effects.heartbeatDelayMs() };
      }),
      release: assign(({ context, event }) => {
        const now = timeOf(event);
        return { touched_at: now, deadline: now + context.idle_timeout_ms };
      }),
      postponeExpiry: assign(({ context }) => {
        const touched_at = lastTouch(context);
        return { touched_at, deadline: touched_at + context.idle_timeout_ms };
      }),
      postponeHeartbeat: assign(({ event }) => ({
        deadline: timeOf(event) + effects.heartbeatDelayMs(),
      })),
      countFromDelivery: assign(({ context, event }) => {
        const deliveredAt = effects.lastDeliveryAt(context.queue_id) ?? timeOf(event);
        return { deadline: deliveredAt + effects.heartbeatDelayMs() };
      }),
      heartbeat: ({ context }) => effects.heartbeat(context.queue_id),
      ended: ({ context }, params: { reason: EventQueueEnd }) =>
        effects.ended(context.queue_id, params.reason),
    },
  }).createMachine({
    id: 'event-queue',
    context: ({ input }) => ({
      queue_id: input.queue_id,
      idle_timeout_ms: input.idle_timeout_ms,
      touched_at: input.now,
      deadline: input.now + input.idle_timeout_ms,
    }),
    initial: 'idle',
    on: {
      poll: { target: '.polling', actions: 'attach' },
      stream: { target: '.streaming', actions: 'attach' },
      release: { target: '.idle', actions: 'release' },
      overflow: { target: '.overflowed' },
      delete: { target: '.deleted' },
      revoke: { target: '.revoked' },
    },
    states: {
      idle: {
        on: {
          deadline: [{ guard: 'usedMeanwhile', actions: 'postponeExpiry' }, { target: 'expired' }],
        },
      },
      polling: {
        on: {
          // The poll waits until its answer is released; the new deadline is for an answer that
          // was not.
          deadline: [
            { guard: 'deliveredMeanwhile', actions: 'countFromDelivery' },
            { actions: ['postponeHeartbeat', 'heartbeat'] },
          ],
        },
      },
      streaming: {
        on: {
          deadline: [
            { guard: 'deliveredMeanwhile', actions: 'countFromDelivery' },
            { actions: ['postponeHeartbeat', 'heartbeat'] },
          ],
          delivered: { actions: 'postponeHeartbeat' },
        },
      },
      expired: { type: 'final', entry: { type: 'ended', params: { reason: 'expired' } } },
      deleted: { type: 'final', entry: { type: 'ended', params: { reason: 'deleted' } } },
      revoked: { type: 'final', entry: { type: 'ended', params: { reason: 'revoked' } } },
      overflowed: { type: 'final', entry: { type: 'ended', params: { reason: 'overflowed' } } },
    },
  });
}
