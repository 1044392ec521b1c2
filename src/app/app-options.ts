import type { AppLog } from './log.js';

/** Callbacks of the application. */
export interface AppOptions {
  readonly log: AppLog;
  /** Prints a line for the operator. */
  readonly announce: (line: string) => void;
  /** Called when this process cannot go on, e.g. because the store has a document it cannot read. */
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
  /** Drains and stops within `deadlineMs`; idempotent. */
  stop(deadlineMs: number): Promise<void>;
}
