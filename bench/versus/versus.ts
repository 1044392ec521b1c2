import { fileURLToPath } from 'node:url';
import { median } from '../harness/measuring/figures.js';
import { UsageError } from '../options.js';
import { programOf, VersusServer } from './server-of.js';
import { pairedWindows, verdictOf, type Pairs, type Verdict } from './pairs.js';
import { VERSUS_WORKS, type PairedWork } from './works.js';

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
  work: PairedWork,
  programs: { readonly own: string; readonly other: string },
  rounds: number,
): Promise<Pairs> {
  const servers: VersusServer[] = [];
  try {
    servers.push(await VersusServer.start('other', programs.other));
    servers.push(await VersusServer.start('ours', programs.own));
    return await pairedWindows(
      work,
      { other: servers[0]!.organization, ours: servers[1]!.organization },
      rounds,
    );
  } finally {
    for (const server of servers) await server.stop();
  }
}

function line(name: string, { other, ours }: Pairs, { ratio, from, to }: Verdict): string {
  const figure = (value: number): string => value.toPrecision(3).padStart(7);
  const bounds = `${from.toFixed(2)} to ${to.toFixed(2)}`;
  return `${name.padEnd(28)} ${figure(median(other))} ${figure(median(ours))}   ${ratio.toFixed(2)} (${bounds})`;
}
