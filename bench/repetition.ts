import {
  FLOOR,
  median,
  OURS,
  ratiosOf,
  rounded,
  type Figures,
  type Outcome,
  type Result,
} from './harness/measuring/figures.js';

/** A figure whose runs lie further apart than this, in parts of their median, says so. */
export const WIDE = 0.2;

/**
 * One result for each point of several runs of a scenario: the median of each figure, and how far CPU per operation
 * lay apart. The runs take turns (ours, floor, peers, ours again …), so that what slows the machine for a while slows
 * all of them.
 */
export function mergeRuns(runs: readonly (readonly Result[])[]): Result[] {
  const [first = []] = runs;
  if (runs.length === 1) return [...first];
  return first.map((result) =>
    mergePoint(runs.flatMap((results) => results.filter(({ point }) => point === result.point))),
  );
}

function mergePoint(runs: readonly Result[]): Result {
  const last = runs.at(-1)!;
  const outcomes = new Map<string, Outcome>();
  const spread: Record<string, number> = {};
  for (const target of targetsOf(runs)) {
    const all = runs.flatMap((run) => {
      const figures = figuresOf(run, target);
      return figures === null ? [] : [figures];
    });
    const reasons = runs.flatMap(({ refused }) => refused[target] ?? []);
    outcomes.set(target, {
      figures: all.length === 0 ? null : medians(all),
      // A refusal in one run does not spoil the others.
      refused: all.length === 0 ? (reasons[0] ?? null) : null,
      latency: last.latency[target] ?? [],
    });
    const costs = all.flatMap(({ cpu_us_per_op: cost }) => cost ?? []);
    if (costs.length > 1) {
      spread[target] = rounded((Math.max(...costs) - Math.min(...costs)) / median(costs));
    }
  }
  const peers = [...outcomes].filter(([name]) => name !== OURS && name !== FLOOR);
  const refused = [...outcomes].flatMap(([name, one]) =>
    one.refused === null ? [] : [[name, one.refused] as const],
  );
  return {
    ...last,
    figures: outcomes.get(OURS)?.figures ?? null,
    floor: outcomes.get(FLOOR)?.figures ?? null,
    peers: Object.fromEntries(peers.map(([name, { figures }]) => [name, figures])),
    ratios: ratiosOf(outcomes),
    refused: Object.fromEntries(refused),
    runs: runs.length,
    spread,
  };
}

function targetsOf(runs: readonly Result[]): Set<string> {
  return new Set(runs.flatMap(({ latency }) => Object.keys(latency)));
}

function figuresOf({ figures, floor, peers }: Result, target: string): Figures | null {
  if (target === OURS) return figures;
  return target === FLOOR ? floor : (peers[target] ?? null);
}

function medians(all: readonly Figures[]): Figures {
  const names = new Set(all.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = all.flatMap((figures) => figures[name] ?? []);
      return [name, values.length === 0 ? null : rounded(median(values))];
    }),
  );
}
