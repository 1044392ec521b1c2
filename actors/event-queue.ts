import { assign, setup } from 'xstate';
import type { QueueDocument } from '../schemas/queues/register.js';
import type { MachineKind } from './machine-kind.js';

/**
 * The life of one event queue: when its next deadline is, what the deadline means, how the queue ends.
 * Whether a consumer is attached is a fact of the queue alone; each deadline event carries it,
 * so that neither a poll nor an event passes through here. Implements
 * event-queues.md#two-clients, event-queues.md#heartbeat and event-queues.md#idle-expiry.
 *
 *     live → expired | deleted | overflowed | revoked
 */

/**
 * Time without events until a heartbeat for an attached consumer, without the jitter. Intermediaries drop idle
 * connections after 60 s.
 */
export const HEARTBEAT_INTERVAL_MS = 45_000;

/** The random part of the delay. It keeps clients that connected together from staying in step. */
const HEARTBEAT_JITTER_MS = 10_000;

/** No consumer waits longer for an event or a heartbeat. */
export const LONGEST_HEARTBEAT_DELAY_MS = HEARTBEAT_INTERVAL_MS + HEARTBEAT_JITTER_MS;

/** Name of the machine. */
export const EVENT_QUEUE = 'event-queue';

/** Why a queue ended. */
export type EventQueueEnd = 'expired' | 'deleted' | 'overflowed' | 'revoked';

/**
 * Plain JSON. The deadline is one of the clock of the queues, which ends with the process, and no part of the document: the
 * idle time starts anew with each process.
 */
export type EventQueueContext = QueueDocument['context'] & {
  /** When the queue is looked at next, milliseconds: never later than its expiry or its next heartbeat. */
  deadline: number;
};

/** What a queue starts from. */
export interface EventQueueInput extends Omit<EventQueueContext, 'deadline'> {
  readonly now: number;
}

/** How a queue is used at the time of a deadline. */
export interface EventQueueUse {
  /** When the queue was last polled, or its consumer came or went. */
  readonly touchedAt: number;
  /** When the attached consumer came, or was last given an event; null without a consumer. */
  readonly deliveredAt: number | null;
  /** Delay until the next heartbeat, at least the interval. See {@link heartbeatDelay}. */
  readonly heartbeatDelayMs: number;
}

/** Times are in milliseconds since the epoch. */
export type EventQueueEvent =
  /**
   * A consumer came or went, and what is due next (its heartbeat, or the expiry) comes before the deadline.
   */
  | { readonly type: 'advance'; readonly deadline: number }
  | { readonly type: 'deadline'; readonly now: number; readonly use: EventQueueUse }
  /** The client has everything up to a journal position, and the journal before it is about to be trimmed. */
  | { readonly type: 'begin_later'; readonly since: number }
  /** The bounds of the buffer were exceeded. */
  | { readonly type: 'overflow' }
  /** The client deleted the queue. */
  | { readonly type: 'delete' }
  /** The account or the organization was deactivated, so the user may no longer read the queue. */
  | { readonly type: 'revoke' };

/** What a queue does and asks. Every call gets the id of the queue it is about. */
export interface EventQueueEffects {
  /** How the queue is used now; asked once for each deadline. */
  use(queueId: string): EventQueueUse;
  /** Appends a heartbeat event and hands it to the consumer. */
  heartbeat(queueId: string): void;
}

/** Options of {@link createEventQueueMachine}. */
interface EventQueueOptions {
  /** No heartbeat for a consumer that came, or got an event, less than this ago. Default 45 s. */
  readonly heartbeatIntervalMs?: number;
}

/** A delay of 45 to 55 s, from a random number in [0, 1). */
export function heartbeatDelay(random: number): number {
  return HEARTBEAT_INTERVAL_MS + Math.floor(random * HEARTBEAT_JITTER_MS);
}

/** Whether a queue with this snapshot has ended: every state but `live` is final. */
export function hasQueueEnded({ value }: { readonly value: string }): boolean {
  return value !== 'live';
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
    name: EVENT_QUEUE,
    version: 4,
    logic: createLogic(effects, options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS),
    deadlineOf: ({ context }) => context.deadline,
    deadlineEvent: (now, { queue_id }) => ({ type: 'deadline', now, use: effects.use(queue_id) }),
    // Consumers do not survive the process, and idle time starts anew after a restart: the deadline is not written.
    sameDurable: (stored, current) => stored.context.since === current.context.since,
  };
}

/**
 * The context with which a stored queue goes on in a new process: its idle time starts anew, because its client could
 * not use it while no process was there.
 */
export function resumedQueue(stored: QueueDocument['context'], now: number): EventQueueContext {
  return compactContext({ ...stored, deadline: now + stored.idle_timeout_ms });
}

/** The same context as an object of its six fields alone: what copies leave beside them is 300 bytes a queue. */
export function compactContext(context: EventQueueContext): EventQueueContext {
  const { queue_id, user_id, since, idle_timeout_ms, traits, deadline } = context;
  return { queue_id, user_id, since, idle_timeout_ms, traits, deadline };
}

function createLogic(effects: EventQueueEffects, heartbeatIntervalMs: number) {
  return setup({
    types: {
      context: {} as EventQueueContext,
      events: {} as EventQueueEvent,
      input: {} as EventQueueInput,
    },
    actions: {
      heartbeat: ({ context }) => effects.heartbeat(context.queue_id),
    },
  }).createMachine({
    id: 'event-queue',
    context: ({ input: { now, ...context } }) => ({
      ...context,
      deadline: now + context.idle_timeout_ms,
    }),
    initial: 'live',
    states: {
      live: {
        on: {
          advance: {
            guard: ({ context, event }) => event.deadline < context.deadline,
            actions: assign(({ event }) => ({ deadline: event.deadline })),
          },
          deadline: [
            {
              guard: ({ context, event: { now, use } }) =>
                use.deliveredAt === null && use.touchedAt + context.idle_timeout_ms <= now,
              target: 'expired',
            },
            {
              guard: ({ event: { use } }) => use.deliveredAt === null,
              actions: assign(({ context, event: { use } }) => ({
                deadline: use.touchedAt + context.idle_timeout_ms,
              })),
            },
            {
              guard: ({ event: { now, use } }) => use.deliveredAt! + heartbeatIntervalMs > now,
              actions: assign(({ event: { use } }) => ({
                deadline: use.deliveredAt! + use.heartbeatDelayMs,
              })),
            },
            {
              actions: [
                assign(({ event: { now, use } }) => ({ deadline: now + use.heartbeatDelayMs })),
                'heartbeat',
              ],
            },
          ],
          begin_later: {
            guard: ({ context, event }) => event.since > context.since,
            actions: assign(({ event }) => ({ since: event.since })),
          },
          overflow: { target: 'overflowed' },
          delete: { target: 'deleted' },
          revoke: { target: 'revoked' },
        },
      },
      expired: { type: 'final' },
      deleted: { type: 'final' },
      revoked: { type: 'final' },
      overflowed: { type: 'final' },
    },
  });
}
