import { assign, setup } from 'xstate';
import type { ScheduledMessageDocument } from '../schemas/scheduling/scheduled-messages.js';
import type { MachineKind } from './machine-kind.js';

/**
 * A scheduled message or a reminder, from the request that made it to its end. The two are actors of the same machine;
 * what is sent differs, and is no concern of it.
 *
 *     pending → delivering → sent (final); delivering → failed; failed → pending by an edit to a future time;
 *     pending and failed → cancelled (final)
 *
 * What has begun to be delivered can be neither edited nor cancelled: it ends as sent, or as failed.
 */

/** What the machine decides by. A stored context has more, which an edit replaces. */
export type ScheduledMessageContext = {
  /** UNIX seconds. */
  readonly deliver_at: number;
  /** Why it could not be sent. */
  readonly failure: string | null;
};

/** Times are in milliseconds since the epoch. */
export type ScheduledMessageEvent =
  | { readonly type: 'deadline'; readonly now: number }
  /** The author changes it. */
  | {
      readonly type: 'edit';
      readonly changes: Partial<ScheduledMessageDocument['context']>;
      readonly now: number;
    }
  /** The author deletes it. */
  | { readonly type: 'cancel' }
  /** It is sent, in this transaction. */
  | { readonly type: 'delivered' }
  /** It may not be sent. */
  | { readonly type: 'refused'; readonly failure: string };

/** The machine itself: its events, its context and the input of its actors. */
export type ScheduledMessageMachine = typeof logic;

const logic = setup({
  types: {
    context: {} as ScheduledMessageContext,
    events: {} as ScheduledMessageEvent,
    input: {} as ScheduledMessageContext,
  },
  guards: {
    toFutureTime: ({ event }) =>
      event.type === 'edit' && (event.changes.deliver_at ?? 0) * 1000 > event.now,
  },
  actions: {
    change: assign(({ event }) =>
      event.type === 'edit' ? { ...event.changes, failure: null } : {},
    ),
    noteFailure: assign(({ event }) =>
      event.type === 'refused' ? { failure: event.failure } : {},
    ),
  },
}).createMachine({
  id: 'scheduled-message',
  context: ({ input }) => input,
  initial: 'pending',
  states: {
    pending: {
      on: {
        deadline: { target: 'delivering' },
        edit: { actions: 'change' },
        cancel: { target: 'cancelled' },
      },
    },
    delivering: {
      on: {
        delivered: { target: 'sent' },
        refused: { target: 'failed', actions: 'noteFailure' },
      },
    },
    failed: {
      on: {
        edit: { guard: 'toFutureTime', target: 'pending', actions: 'change' },
        cancel: { target: 'cancelled' },
      },
    },
    sent: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

/** The machine kind of scheduled messages and reminders. It has no effects: whoever sends an event does what it says. */
export const scheduledMessageKind: MachineKind<ScheduledMessageMachine> = {
  name: 'scheduled-message',
  version: 2,
  logic,
  deadlineOf: ({ value, context }) => (value === 'pending' ? context.deliver_at * 1000 : null),
  deadlineEvent: (now) => ({ type: 'deadline', now }),
};
