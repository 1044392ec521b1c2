/** How this adapter fails, beyond what the port names. */
import { StoreUnavailableError } from '../port.js';

/** There is no connection: what was asked has not been sent. */
export class NotConnectedError extends Error {
  constructor(cause: unknown) {
    super(reason(cause), { cause });
    this.name = 'NotConnectedError';
  }
}

/** The server did not answer, or would not take commands, for as long as the caller may wait. */
export class RedisUnavailableError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(`Redis is not available: ${reason(cause)}`, cause);
  }
}

/**
 * A commit was sent, its reply was lost, and the server stayed away for as long as the caller may
 * wait: whether it landed is not known yet. The adapter determines it before it reads or writes anything
 * else. The caller may give the same commits again, in the same order: what turns out to have landed
 * is acknowledged and not written twice.
 */
export class UnknownOutcomeError extends RedisUnavailableError {
  constructor(cause: unknown) {
    super(cause);
    this.name = 'UnknownOutcomeError';
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
