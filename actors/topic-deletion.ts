import { assign, setup } from 'xstate';
import type { MachineKind } from './machine-kind.js';

/**
 * The deletion of one topic, in batches, newest messages first. Requests for the same topic share one job;
 * each has its own time limit, and the job stops when no request waits for it.
 *
 *     deleting; → complete (final), partial (final), failed (final)
 *
 * Each batch is durable by itself, so a job has no stored form. A request after `partial`, a failure or a
 * crash begins a new job with the remaining messages.
 */

/** A request that waits for an answer. */
type WaitingRequest = {
  /** Identifies the request in effects. */
  readonly id: number;
  /** Milliseconds since the epoch: when it is answered even if messages remain. */
  readonly until: number;
};

/** Plain JSON. */
export type TopicDeletionContext = {
  /** Identifies the topic in effects. */
  readonly topic: string;
  /** Messages with a larger id stay: they were sent after the newest request. */
  readonly newest: number;
  /** Messages deleted by this job. */
  readonly deleted: number;
  /** In order of arrival. */
  readonly requests: readonly WaitingRequest[];
};

/** Input of a new job: its first request. */
export interface TopicDeletionInput {
  readonly topic: string;
  readonly newest: number;
  readonly request: WaitingRequest;
}

/** `now` is the time of the event in milliseconds since the epoch. */
export type TopicDeletionEvent =
  /** Another request, for all messages up to `newest`. */
  | { readonly type: 'request'; readonly request: WaitingRequest; readonly newest: number }
  /** A batch is durable; `left` says whether messages remain. */
  | {
      readonly type: 'batch';
      readonly deleted: number;
      readonly left: boolean;
      readonly now: number;
    }
  /** A batch failed. */
  | { readonly type: 'failed' }
  | { readonly type: 'deadline'; readonly now: number }
  /** The server stops: all requests are answered, and no further batch begins. */
  | { readonly type: 'stop' };

/** Effects of the machine. */
interface TopicDeletionEffects {
  /** Deletes the next batch up to `newest`; sends `batch` or `failed` asynchronously. */
  deleteBatch(topic: string, newest: number): void;
  /** Answers requests; the list may be empty. */
  answer(topic: string, requests: readonly number[], outcome: TopicDeletionOutcome): void;
}

/** `complete`: all deleted; `partial`: messages remain; `failed`: a batch failed. */
export type TopicDeletionOutcome = 'complete' | 'partial' | 'failed';

/** The machine itself: its events, its context and the input of its actors. */
export type TopicDeletionMachine = ReturnType<typeof createLogic>;

/** The machine kind of topic deletions. One machine serves all jobs of the process. */
export type TopicDeletionKind = MachineKind<TopicDeletionMachine>;

/** Makes the machine kind of topic deletions around the given effects. */
export function createTopicDeletionMachine(effects: TopicDeletionEffects): TopicDeletionKind {
  return {
    name: 'topic-deletion',
    version: 1,
    logic: createLogic(effects),
    deadlineOf: ({ requests }) => {
      const times = requests.map((request) => request.until);
      return times.length > 0 ? Math.min(...times) : null;
    },
    deadlineEvent: (now) => ({ type: 'deadline', now }),
  };
}

/** Requests whose time limit has passed. */
function due({ requests }: TopicDeletionContext, now: number): readonly WaitingRequest[] {
  return requests.filter((request) => request.until <= now);
}

function createLogic(effects: TopicDeletionEffects) {
  const answer = (
    { topic }: TopicDeletionContext,
    requests: readonly WaitingRequest[],
    outcome: TopicDeletionOutcome,
  ): void => {
    const ids = requests.map(({ id }) => id);
    effects.answer(topic, ids, outcome);
  };
  return setup({
    types: {
      context: {} as TopicDeletionContext,
      events: {} as TopicDeletionEvent,
      input: {} as TopicDeletionInput,
    },
    guards: {
      nothingLeft: ({ event }) => event.type === 'batch' && !event.left,
      nobodyWaits: ({ context, event }) =>
        event.type === 'batch' && due(context, event.now).length === context.requests.length,
    },
    actions: {
      deleteBatch: ({ context }) => effects.deleteBatch(context.topic, context.newest),
      join: assign(({ context, event }) => {
        if (event.type !== 'request') return {};
        return {
          requests: [...context.requests, event.request],
          newest: Math.max(context.newest, event.newest),
        };
      }),
      count: assign(({ context, event }) => ({
        deleted: context.deleted + (event.type === 'batch' ? event.deleted : 0),
      })),
      answerDue: ({ context, event }) => {
        if ('now' in event) answer(context, due(context, event.now), 'partial');
      },
      dropDue: assign(({ context, event }) => {
        if (!('now' in event)) return {};
        return { requests: context.requests.filter((request) => request.until > event.now) };
      }),
      answerAll: ({ context }, params: { outcome: TopicDeletionOutcome }) =>
        answer(context, context.requests, params.outcome),
    },
  }).createMachine({
    id: 'topic-deletion',
    context: ({ input: { topic, newest, request } }) => ({
      topic,
      newest,
      deleted: 0,
      requests: [request],
    }),
    initial: 'deleting',
    states: {
      deleting: {
        entry: 'deleteBatch',
        on: {
          request: { actions: 'join' },
          batch: [
            { guard: 'nothingLeft', target: 'complete', actions: 'count' },
            { guard: 'nobodyWaits', target: 'partial', actions: 'count' },
            { actions: ['count', 'answerDue', 'dropDue', 'deleteBatch'] },
          ],
          // The current batch still completes; its `batch` event checks whether a request still waits.
          deadline: { actions: ['answerDue', 'dropDue'] },
          failed: { target: 'failed' },
          stop: { target: 'partial' },
        },
      },
      complete: { type: 'final', entry: { type: 'answerAll', params: { outcome: 'complete' } } },
      partial: { type: 'final', entry: { type: 'answerAll', params: { outcome: 'partial' } } },
      failed: { type: 'final', entry: { type: 'answerAll', params: { outcome: 'failed' } } },
    },
  });
}
