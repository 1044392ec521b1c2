import type { Clock } from '../../actors/clock.js';
import { steadyClock } from '../platform/clock.js';

/**
 * Distance of the moments at which such work ends, milliseconds: some ten times what a request takes that writes, so
 * that nearly all end at the first one, and too short for a person to mind.
 */
const STEP_MS = 250;

/**
 * Does work whose time must reveal nothing: whatever it takes, it ends, or fails, at one of evenly spaced moments since
 * it began.
 */
export async function inEvenTime<T>(
  work: () => Promise<T>,
  clock: Pick<Clock, 'now' | 'setTimer'> = steadyClock,
): Promise<T> {
  const began = clock.now();
  try {
    return await work();
  } finally {
    const taken = clock.now() - began;
    const end = Math.max(1, Math.ceil(taken / STEP_MS)) * STEP_MS;
    await new Promise<void>((resolve) => void clock.setTimer(end - taken, resolve));
  }
}
