import { setTimeout as pause } from 'node:timers/promises';
import type { Usage } from './measure.js';

const SAMPLE_MS = 250;
const SAMPLES = 8;

/**
 * Resident set of a server that has become quiet: the least of some samples, because a garbage
 * collection may be due.
 */
export async function quietResidentBytes(server: Usage): Promise<number> {
  let least = Infinity;
  for (let i = 0; i < SAMPLES; i++) {
    await pause(SAMPLE_MS);
    least = Math.min(least, server.usage()?.residentBytes ?? Infinity);
  }
  if (!Number.isFinite(least)) throw new Error('Memory can be measured on this machine only');
  return least;
}
