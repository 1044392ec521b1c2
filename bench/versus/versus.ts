import { fileURLToPath } from 'node:url';
import { median } from '../harness/figures.js';
import { UsageError } from '../options.js';
import { programOf, VersusServer } from './server-of.js';
import { VERSUS_WORKS, type VersusWork } from './works.js';

/** What the comparison of two versions is asked for. */
export interface VersusOptions {
  /** A built checkout of the other version. */
  readonly checkout: string;
  /** Pairs of windows of each work. */
  readonly rounds: number;
  /** How much dearer a work may be, as a fraction. */
  readonly margin: number;
  /** Names of works hold one of these texts; null: all. */
  readonly only: ReadonlySet<string> | null;
}

/** Cost of a work in both versions, CPU microseconds per operation. */
export interface Pairs {
  readonly other: readonly number[];
  readonly ours: readonly number[];
}

/** Ours over the other version. */
export interface Verdict {
  readonly ratio: number;
  /** The true ratio lies between these, 95 times in 100. */
  readonly from: number;
  readonly to: number;
}

/** Windows before the measured ones, so that code is compiled and caches are filled. */
const WARM_UP_WINDOWS = 8;
const OWN = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Compares this version with another one: both servers run at the same time and take turns at the same work, a
 * window of about a fifth of a second each, so that what slows the machine for a while slows both. The ratio of the
 * two windows of a pair holds to about a percent where figures of whole runs differ by a third.
 * @returns whether a work is surely dearer than the margin allows
 */
export async function runVersus(
  { checkout, rounds, margin, only }: VersusOptions,
  print: (text: string) => void,
): Promise<boolean> {
  const [own, other] = [programOf(OWN), programOf(checkout)];
  if (own === null || other === null) {
    throw new UsageError(`versus: ${own === null ? OWN : checkout} is not built`);
  }
  const works = VERSUS_WORKS.filter(
    ({ name }) => only === null || [...only].some((text) => name.includes(text)),
  );
  if (works.length === 0) throw new UsageError('versus: --only names no work');
  print(`${'CPU µs per operation'.padEnd(28)}   other    ours   ours/other (95 %)`);
  let isWorse = false;
  for (const work of works) {
    const pairs = await measured(work, { own, other }, rounds);
    const verdict = verdictOf(pairs);
    const isDearer = verdict.from > 1 + margin;
    isWorse ||= isDearer;
    print(line(work.name, pairs, verdict) + (isDearer ? '  dearer' : ''));
  }
  return isWorse;
}

async function measured(
  work: VersusWork,
  programs: { readonly own: string; readonly other: string },
  rounds: number,
): Promise<Pairs> {
  const servers: VersusServer[] = [];
  const pairs = { other: [] as number[], ours: [] as number[] };
  try {
    servers.push(await VersusServer.start('other', programs.other));
    servers.push(await VersusServer.start('ours', programs.own));
    const [other, ours] = [await work.begin(servers[0]!), await work.begin(servers[1]!)];
    try {
      for (let window = 0; window < WARM_UP_WINDOWS; window++) {
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
  } finally {
    for (const server of servers) await server.stop();
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

function line(name: string, { other, ours }: Pairs, { ratio, from, to }: Verdict): string {
  const figure = (value: number): string => value.toPrecision(3).padStart(7);
  const bounds = `${from.toFixed(2)} to ${to.toFixed(2)}`;
  return `${name.padEnd(28)} ${figure(median(other))} ${figure(median(ours))}   ${ratio.toFixed(2)} (${bounds})`;
}
