/** Named numbers of one measurement; null where this run could not tell. */
export type Figures = Readonly<Record<string, number | null>>;

/** What one target showed in one point of a scenario. */
export interface Outcome {
  /** Null when they were refused: the generators were the bottleneck. */
  readonly figures: Figures | null;
  /**
   * Why there are no figures; or, beside figures, why those of speed are null: the generators were
   * late, which CPU per operation does not mind.
   */
  readonly refused: string | null;
  /** Pairs of percentile and milliseconds. */
  readonly latency: readonly (readonly [number, number])[];
  /** The measured window by its seconds; absent where it has none. */
  readonly series?: readonly Second[];
}

/** One second of a measured window; null where nobody could tell. */
export interface Second {
  readonly operations: number;
  readonly errors: number;
  readonly p99_ms: number | null;
  /** Cores that the server's process used. */
  readonly cpu_share: number | null;
  readonly rss_mb: number | null;
  /** Delay of its event loop, 99th percentile. */
  readonly loop_ms: number | null;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly system: string;
  readonly node: string;
}

/** One line of a scenario: ours, the floor and the peers at the same load. */
export interface Result {
  readonly scenario: string;
  /** What distinguishes this point from others of the scenario, e.g. `PATCH /settings, 256 in flight`. */
  readonly point: string;
  readonly clients: number;
  readonly seconds: number;
  readonly machine: Machine;
  /** Time of the run, ISO 8601. */
  readonly at: string;
  readonly figures: Figures | null;
  readonly floor: Figures | null;
  readonly peers: Readonly<Record<string, Figures | null>>;
  /** CPU per operation, ours over theirs; above 1 we cost more. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Targets whose figures, or figures of speed, were refused, and why. */
  readonly refused: Readonly<Record<string, string>>;
  /** Latency distributions by target. */
  readonly latency: Readonly<Record<string, Outcome['latency']>>;
  /** Versions of the peers. */
  readonly versions: Readonly<Record<string, string>>;
  /** Commit of what was measured, short; absent outside of a checkout, and for a server that was there. */
  readonly commit?: string;
  /** What was seen besides, a line each. */
  readonly notes?: readonly string[];
  /** Runs whose medians these are; absent for one. */
  readonly runs?: number;
  /** By target: how far CPU per operation lay apart in the runs, in parts of its median. */
  readonly spread?: Readonly<Record<string, number>>;
  /** Figures of ours by what its clients do: polls, sockets, writes. */
  readonly parts?: Readonly<Record<string, Figures>>;
  /** Whether each goal was met. */
  readonly goals?: Readonly<Record<string, boolean>>;
  /** Measured windows by the second, by target. */
  readonly series?: Readonly<Record<string, readonly Second[]>>;
}

/** Names targets go by in results. */
export const OURS = 'parley';
export const FLOOR = 'floor';

/** CPU per operation, ours over the others'. */
export function ratiosOf(outcomes: ReadonlyMap<string, Outcome>): Record<string, number> {
  const own = outcomes.get(OURS)?.figures?.cpu_us_per_op;
  const ratios: Record<string, number> = {};
  if (!own) return ratios;
  for (const [name, { figures }] of outcomes) {
    const theirs = figures?.cpu_us_per_op;
    if (name !== OURS && theirs) ratios[name] = rounded(own / theirs);
  }
  return ratios;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle - 1)]! + sorted[Math.floor(middle)]!) / 2;
}

/** Three significant digits: more would be noise. */
export function rounded(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(3));
}
