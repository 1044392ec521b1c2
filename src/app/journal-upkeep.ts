import { Retention } from '../organization/state/journal-retention.js';
import type { Runtime } from '../organization/state/runtime.js';
import { every, type Background } from './background.js';
import type { LeadershipTermParts } from './leadership-term-parts.js';

/** Entries kept beyond what queues need, and entries kept at most. */
const LIMITS = { slack: 100_000, maximum: 2_000_000 };
const ROUND_MS = 60_000;

/** Forgets journal entries that nobody needs any more, every minute. */
export function journalUpkeep(
  runtime: Runtime,
  { store, log }: Pick<LeadershipTermParts, 'store' | 'log'>,
): Background {
  const retention = new Retention(runtime, store, LIMITS);
  return every(ROUND_MS, () => {
    retention.run().catch((error: unknown) => log.error({ err: error }, 'trimming failed'));
  });
}
