import type { Health, NodeHealth } from '../http/health.js';
import type { Interposed } from '../http/service.js';
import type { Passwords } from '../services/auth/passwords.js';
import type { OpenedStore } from '../store/open.js';
import type { AppLog } from './monitoring/log.js';
import type { RecentLog } from './monitoring/recent-log.js';
import type { MetricJson } from './monitoring/metrics.js';

/** What a node does, as operators are told. */
export type NodeState = 'leads' | 'follows' | 'stands by' | 'waits';

/** Callbacks of the application. */
export interface AppOptions {
  readonly log: AppLog;
  /** The last lines of the log, for the console; absent: it shows none. */
  readonly recentLog?: RecentLog;
  /**
   * Tells the operator.
   * @param facts what the text says, for scripts
   * @param state what the node does from now on, where that is said
   */
  readonly announce: (text: string, facts: object, state?: NodeState) => void;
  /** Called when this process cannot go on, e.g. because the store has a document it cannot read. */
  readonly fatal: (error: unknown) => void;
  /** Lead with the store for a command of the operator: nobody is listened to, and nothing happens by itself. */
  readonly maintenance?: boolean;
  /** Present in a process that serves together with others of its machine, under a supervisor. */
  readonly worker?: WorkerOptions;
  /** What the server for tests puts in the place of what a process opens (architecture.md#testing). */
  readonly instead?: Instead;
}

/** Parts of a process of which the server for tests has its own. */
export interface Instead {
  /** In the place of the store that the configuration names; the process closes it. */
  readonly store: OpenedStore;
  readonly passwords: Passwords;
  readonly interposed: Interposed;
}

/**
 * A worker shares the public port with the others. It listens once it serves, so that no connection comes to a
 * process that is still loading while others could serve it. Its metrics are shown by the supervisor.
 */
export interface WorkerOptions {
  /** Called when it listens. */
  readonly listens: () => void;
}

/** What a process tells of itself when it is asked. */
export interface ProcessReport {
  readonly health: Health;
  readonly node: NodeHealth;
  /** Null where metrics are off. */
  readonly metrics: readonly MetricJson[] | null;
}

/** A running server. */
export interface App {
  readonly url: string;
  readonly port: number;
  /**
   * Resolves once this process leads, follows another, or waits for its store.
   * @throws Error when it can do none of them
   */
  start(): Promise<void>;
  /**
   * Drains and stops within `deadlineMs`; idempotent.
   * @param othersGoOn other nodes serve on, so a leader waits for nothing slow; default: whether any follows
   */
  stop(deadlineMs: number, othersGoOn?: boolean): Promise<void>;
  /** Its state, and its metrics if they are wanted. */
  report(withMetrics: boolean): Promise<ProcessReport>;
}
