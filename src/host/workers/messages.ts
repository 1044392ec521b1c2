/** What a supervisor and its workers tell one another, over the channel that Node gives a child process. */
import type { NodeState, ProcessReport } from '../app-options.js';
import type { Announcement } from '../output.js';

/** Marks a worker, with its number and the public port: `2:9991`. */
export const WORKER_VARIABLE = 'PARLEY_WORKER';

/** Why a worker cannot start or go on. */
export interface WorkerFailure {
  readonly text: string;
  /** Exit status of a process that fails so without a supervisor. */
  readonly status: number;
  /** No restart cures it: the options, or the secret of keys, are wrong. */
  readonly isLasting: boolean;
}

/** From a worker. */
export type FromWorker =
  /** Something for the operator; with what the worker does from now on, where it says that. */
  | { readonly kind: 'said'; readonly said: Announcement; readonly state: NodeState | null }
  /** It takes connections. */
  | { readonly kind: 'listens' }
  | ({ readonly kind: 'failed' } & WorkerFailure)
  /** It was told by a signal to end. */
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'report'; readonly id: number; readonly report: ProcessReport };

/** To a worker. */
export type ToWorker =
  | {
      readonly kind: 'stop';
      readonly deadlineMs: number;
      /** Whether other workers go on. */
      readonly othersGoOn: boolean;
    }
  | { readonly kind: 'report'; readonly id: number; readonly withMetrics: boolean };

/** A worker's number and port. */
export interface WorkerPlace {
  readonly index: number;
  readonly port: number;
}

/** The place of this process; null where it is no worker. */
export function workerPlace(
  environment: Readonly<Record<string, string | undefined>>,
): WorkerPlace | null {
  const [, index, port] = /^(\d+):(\d+)$/.exec(environment[WORKER_VARIABLE] ?? '') ?? [];
  return index && port ? { index: Number(index), port: Number(port) } : null;
}
