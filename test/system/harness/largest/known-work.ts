import { underLoad } from '../../../fixtures/machine-load.js';

/** Processor time of known work, milliseconds: other processes slow it down as they do the server. */
export function knownWork(): number {
  const before = process.cpuUsage();
  const list = Array.from({ length: 20_000 }, (_, i) => ({ id: i, name: `name ${i}` }));
  JSON.parse(JSON.stringify(list));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What known work takes on a quiet machine, milliseconds: the limit grows as this does on a busy one. */
export const KNOWN_WORK_MS = 10;

/** What nobody may wait longer for, milliseconds (architecture.md#bounded-work). */
export const LIMIT_MS = 50;

/** The same on this machine now. */
export function limitNow(): number {
  return Math.max(LIMIT_MS * Math.max(1, knownWork() / KNOWN_WORK_MS), underLoad(LIMIT_MS));
}

/**
 * How often a block that is over the limit is measured. A virtual machine takes time from a process now and then, and it
 * counts as the process's own; it does not do so in the same request three times, as code does that blocks.
 */
export const TRIES = 3;
