import { assign, setup } from 'xstate';
import type { TopicDeletionDocument } from '../schemas/messages/topic-deletion-document.js';
import type { StoredTime } from '../schemas/store/stored-time.js';
import type { MachineKind } from './machine-kind.js';

/**
 * The deletion of one topic, in batches, newest messages first. Requests for the same topic share one job, whose time
 * is that of the newest.
 *
 *     deleting → complete (final), failed (final); deleting ⇄ partial
 *
 * A job that is deleting goes on by itself after a crash or on another node, until it is complete or its time is over.
 * One that is partial rests until the request is repeated.
 */

/** Plain JSON. Times are of the wall clock, because they are stored. */
export type TopicDeletionContext = TopicDeletionDocument['context'];

/** A request: who asks, for all messages up to which one, and until when. */
type DeletionRequest = Pick<TopicDeletionContext, 'actor_id' | 'newest' | 'until'>;

/** Input of a new job: its first request. */
export type TopicDeletionInput = Omit<TopicDeletionContext, 'deleted'>;

export type TopicDeletionEvent =
  /** Another request. */
  | ({ readonly type: 'request' } & DeletionRequest)
  /** A batch was deleted, in the transaction of this event; `left` says whether messages remain. */
  | {
      readonly type: 'batch';
      readonly deleted: number;
      readonly left: boolean;
      readonly now: StoredTime;
    }
  /** The time of the newest request is over. */
  | { readonly type: 'deadline' }
  /** Who asked may not delete the topic any more, or a batch failed by a fault of the program. */
  | { readonly type: 'refuse' }
  /** The messages of a job that rests were deleted by something else. */
  | { readonly type: 'emptied' };

/** Effects of the machine. */
interface TopicDeletionEffects {
  /** The job begins, or goes on: batches follow, each with its event, while it is deleting. */
  begin(context: TopicDeletionContext): void;
}

/** The machine itself: its events, its context and the input of its actors. */
export type TopicDeletionMachine = ReturnType<typeof createLogic>;

/** The machine kind of topic deletions. One machine serves all jobs of the process. */
export type TopicDeletionKind = MachineKind<TopicDeletionMachine>;

/** Makes the machine kind of topic deletions around the given effects. */
export function createTopicDeletionMachine(effects: TopicDeletionEffects): TopicDeletionKind {
  return {
    name: 'topic-deletion',
    version: 2,
    logic: createLogic(effects),
    deadlineOf: ({ value, context }) => (value === 'deleting' ? context.until : null),
    deadlineEvent: () => ({ type: 'deadline' }),
  };
}

function createLogic(effects: TopicDeletionEffects) {
  return setup({
    types: {
      context: {} as TopicDeletionContext,
      events: {} as TopicDeletionEvent,
      input: {} as TopicDeletionInput,
    },
    guards: {
      asksForMore: ({ context, event }) =>
        event.type === 'request' && (event.newest > context.newest || event.until > context.until),
      nothingLeft: ({ event }) => event.type === 'batch' && !event.left,
      timeIsOver: ({ context, event }) => event.type === 'batch' && event.now >= context.until,
    },
    actions: {
      begin: ({ context }) => effects.begin(context),
      join: assign(({ context, event }) => {
        if (event.type !== 'request') return {};
        const { newest, until } = event;
        return {
          newest: Math.max(context.newest, newest),
          until: until > context.until ? until : context.until,
        };
      }),
      takeOver: assign(({ event }) =>
        event.type === 'request' ? { actor_id: event.actor_id } : {},
      ),
      count: assign(({ context, event }) =>
        event.type === 'batch' ? { deleted: context.deleted + event.deleted } : {},
      ),
    },
  }).createMachine({
    id: 'topic-deletion',
    context: ({ input }) => ({ ...input, deleted: 0 }),
    initial: 'deleting',
    states: {
      deleting: {
        entry: 'begin',
        on: {
          request: { guard: 'asksForMore', actions: 'join' },
          batch: [
            { guard: 'nothingLeft', target: 'complete', actions: 'count' },
            { guard: 'timeIsOver', target: 'partial', actions: 'count' },
            { actions: 'count' },
          ],
          deadline: { target: 'partial' },
          refuse: { target: 'failed' },
        },
      },
      partial: {
        on: {
          request: { target: 'deleting', actions: ['takeOver', 'join'] },
          emptied: { target: 'complete' },
        },
      },
      complete: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}
