import { median } from '../harness/measuring/figures.js';
import type { BenchOrganization } from '../harness/organization.js';
import type { PairedWork } from './works.js';

/** Cost of a work on two servers, CPU microseconds per operation, a pair for each round. */
export interface Pairs {
  readonly other: readonly number[];
  readonly ours: readonly number[];
}

/** Ours over the other. */
export interface Verdict {
  readonly ratio: number;
  /** The true ratio lies between these, 95 times in 100. */
  readonly from: number;
  readonly to: number;
}

/** Windows before the measured ones, so that code is compiled and caches are filled. */
const WARM_UP_WINDOWS = 8;

/** Runs a work on two servers that take turns. */
export async function pairedWindows(
  work: PairedWork,
  servers: { readonly other: BenchOrganization; readonly ours: BenchOrganization },
  rounds: number,
  warmUps = WARM_UP_WINDOWS,
): Promise<Pairs> {
  const pairs = { other: [] as number[], ours: [] as number[] };
  const [other, ours] = [await work.begin(servers.other), await work.begin(servers.ours)];
  try {
    for (let window = 0; window < warmUps; window++) {
      await other.run();
      await ours.run();
    }
    for (let round = 0; round < rounds; round++) {
      // Taking turns at being first: the second window may find warmer caches.
      if (round % 2 === 0) pairs.other.push(await other.run());
      pairs.ours.push(await ours.run());
      if (round % 2 === 1) pairs.other.push(await other.run());
    }
  } finally {
    other.end();
    ours.end();
  }
  return pairs;
}

/** The median ratio of the pairs, with the bounds that the sign test gives it. */
export function verdictOf({ other, ours }: Pairs): Verdict {
  const ratios = ours.map((cost, index) => cost / other[index]!).sort((a, b) => a - b);
  const { length } = ratios;
  // The normal approximation of the binomial distribution of how many lie below the median.
  const rank = Math.max(0, Math.floor(length / 2 - 0.98 * Math.sqrt(length)));
  return { ratio: median(ratios), from: ratios[rank]!, to: ratios[length - 1 - rank]! };
}
