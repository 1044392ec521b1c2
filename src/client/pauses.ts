import { ParleyError } from './calls.js';

/** First pause before something is tried again, doubled each time. Milliseconds. */
const FIRST_PAUSE_MS = 250;

/**
 * How long to wait before something that failed is tried again, milliseconds: longer each time, never sooner than the server
 * asked, and spread, so that a thousand clients that failed together, or were asked for the same second, do not come
 * back in one moment.
 * @param failures that came before this one, in a row
 * @param error the failure, which may say how long the server asked to wait
 */
export function pauseBefore(failures: number, longestMs: number, error: unknown): number {
  const asked = (error instanceof ParleyError ? error.retryAfter : undefined) ?? 0;
  const grown = Math.min(longestMs, FIRST_PAUSE_MS * 2 ** failures);
  const least = Math.max(grown / 2, asked * 1000);
  return least + (Math.random() * grown) / 2;
}
