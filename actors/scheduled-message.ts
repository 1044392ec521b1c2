import { assign, setup } from 'xstate';
import type { MachineKind } from './machine-kind.js';

/**
 * One scheduled message or reminder that is due soon. The stored document has content and time; the actor
 * decides when delivery begins, and records how it ended.
 *
 *     pending → delivering → sent (final); delivering → failed (final);
 *     an edit moves the time and takes a delivery that has not happened back to pending;
 *     pending and delivering → cancelled (final)
 */

/** Plain JSON; all times in milliseconds since the epoch. */
export type ScheduledMessageContext = {
  /** Name of the document, `collection:id`. */
  id: string;
  /** When it is to be sent. */
  due_at: number;
  /** `due_at` while pending, else null. */
  deadline: number | null;
};

/** Input of a new actor; times in milliseconds since the epoch. */
export interface ScheduledMessageInput {
  readonly id: string;
  readonly due_at: number;
  /** An item that is due already is delivered at once. */
  readonly now: number;
}

/** Times in milliseconds since the epoch. */
export type ScheduledMessageEvent =
  | { readonly type: 'deadline'; readonly now: number }
  /** The document's time changed. */
  | { readonly type: 'edit'; readonly due_at: number; readonly now: number }
  /** The document was deleted. */
  | { readonly type: 'cancel' }
  /** The transaction that sends the message and removes its document was made. */
  | { readonly type: 'delivered' }
  /** The message may not be sent; its document is marked as failed. */
  | { readonly type: 'refused' };

/** Effects of the machine. */
interface ScheduledMessageEffects {
  /** Begins to deliver; ends in one of the events `delivered`, `refused`, `edit`, `cancel`. */
  deliver(id: string): void;
}

/** The machine itself: its events, its context and the input of its actors. */
export type ScheduledMessageMachine = ReturnType<typeof createLogic>;

/** The machine kind of scheduled messages. One machine serves all of the process. */
export type ScheduledMessageKind = MachineKind<ScheduledMessageMachine>;

/** Makes the machine kind of scheduled messages around the given effects. */
export function createScheduledMessageMachine(
  effects: ScheduledMessageEffects,
): ScheduledMessageKind {
  return {
    name: 'scheduled-message',
    version: 1,
    logic: createLogic(effects),
    deadlineOf: (context) => context.deadline,
    deadlineEvent: (now) => ({ type: 'deadline', now }),
  };
}

function createLogic(effects: ScheduledMessageEffects) {
  return setup({
    types: {
      context: {} as ScheduledMessageContext,
      events: {} as ScheduledMessageEvent,
      input: {} as ScheduledMessageInput,
    },
    guards: {
      overdue: ({ context }) => context.deadline === null,
      later: ({ event }) => event.type === 'edit' && event.due_at > event.now,
    },
    actions: {
      move: assign(({ context, event }) =>
        event.type === 'edit' ? { due_at: event.due_at, deadline: event.due_at } : context,
      ),
      stopWaiting: assign({ deadline: null }),
      deliver: ({ context }) => effects.deliver(context.id),
    },
  }).createMachine({
    id: 'scheduled-message',
    context: ({ input: { id, due_at, now } }) => ({
      id,
      due_at,
      deadline: due_at > now ? due_at : null,
    }),
    initial: 'starting',
    on: { cancel: { target: '.cancelled' } },
    states: {
      starting: { always: [{ guard: 'overdue', target: 'delivering' }, { target: 'pending' }] },
      pending: {
        on: { deadline: { target: 'delivering' }, edit: { actions: 'move' } },
      },
      delivering: {
        entry: ['stopWaiting', 'deliver'],
        on: {
          delivered: { target: 'sent' },
          refused: { target: 'failed' },
          // An edit to a time that has come too does not interrupt: the delivery sends the edited content.
          edit: { guard: 'later', target: 'pending', actions: 'move' },
        },
      },
      sent: { type: 'final' },
      failed: { type: 'final' },
      cancelled: { type: 'final' },
    },
  });
}
