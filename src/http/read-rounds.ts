import { ticks } from './reply-counts.js';

/** How long requests that read are answered at once within one round of the event loop, ticks (8 ms). */
const ROUND_TICKS = 512;

/** Requests may come for so long before a round is measured, ticks (2 ms): to learn its end costs a call into the system. */
const UNMEASURED_TICKS = 128;

/** When the measured round began, ticks; null where none is measured. */
let began: number | null = null;
/** When a round ended last, as far as it was measured, ticks. */
let ended = ticks();

/**
 * Whether this round of the event loop has gone on for so long that a request which reads is to wait for the next one.
 * The native layer passes on all requests that have arrived before it comes back to others, so hundreds of one caller,
 * each of a millisecond, would keep everybody waiting.
 *
 * @param now when the request arrived, ticks
 */
export function isLongRound(now: number): boolean {
  if (began !== null) return ((now - began) | 0) >= ROUND_TICKS;
  if (((now - ended) | 0) >= UNMEASURED_TICKS) {
    began = now;
    setImmediate(endRound);
  }
  return false;
}

function endRound(): void {
  began = null;
  ended = ticks();
}
