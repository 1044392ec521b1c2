import { round } from './round.js';

/** How long requests that read are answered at once within one round of the event loop, ticks (8 ms). */
const ROUND_TICKS = 512;

/**
 * What requests take together before a round is measured, ticks (1 ms): to learn its end costs a call into the system.
 */
const UNMEASURED_TICKS = 64;
const UNMEASURED_MS = 1;

/** A request that is not answered when it was begun goes on in this round, for as long as a page of messages takes. */
const GOING_ON_TICKS = 16;

/** The measured round, and when it began, ticks. */
let measured = { round: -1, began: 0 };
/** What requests took since a measured round ended, ticks. */
let spent = 0;

/**
 * Whether this round of the event loop has gone on for so long that a request which reads is to wait for the next one.
 * The native layer passes on all requests that have arrived before it comes back to others, so hundreds of one caller,
 * each of a millisecond, would keep everybody waiting.
 *
 * @param now when the request arrived, ticks
 */
export function isLongRound(now: number): boolean {
  return measured.round === round.number && ((now - measured.began) | 0) >= ROUND_TICKS;
}

/**
 * Counts what a request took that was answered at once.
 *
 * @param start when it arrived, ticks
 */
export function countRead(start: number, took: number): void {
  if (measured.round === round.number) return;
  spent += took;
  if (spent < UNMEASURED_TICKS) return;
  // All count as of this round. Some may be of earlier ones; then this one is a millisecond shorter.
  round.beginning(UNMEASURED_MS);
  measured = { round: round.number, began: (start + took - spent) | 0 };
  spent = 0;
}

/** Counts a request that was begun and goes on, for so many ticks so far. */
export function countGoingOn(start: number, took: number): void {
  countRead(start, Math.max(took, GOING_ON_TICKS));
}
