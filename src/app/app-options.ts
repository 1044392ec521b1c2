import type { AppLog } from './log.js';

/** What the application tells its surroundings. */
export interface AppOptions {
  readonly log: AppLog;
  /** Lines for the person who started it. */
  readonly announce: (line: string) => void;
  /** This process may not go on, e.g. because the store holds what it cannot read. */
  readonly fatal: (error: unknown) => void;
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
  /** Drains and stops within the time given; idempotent. */
  stop(deadlineMs: number): Promise<void>;
}
