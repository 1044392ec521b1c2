import { FLOOR, OURS, ratiosOf, type Outcome, type Result } from './measuring/figures.js';
import type { RemoteServer } from './organization.js';
import { machine } from './measuring/versions.js';

export interface Size {
  readonly clients: number;
  /** Length of one measured window. */
  readonly seconds: number;
}

/** What a run was asked for. */
export interface ScenarioContext {
  readonly size: Size;
  readonly quick: boolean;
  readonly remote: RemoteServer | null;
  /** Store URL of our server, or null for a fresh embedded one. */
  readonly store: string | null;
  /** Repetitions, where a scenario has them; null for its own number. */
  readonly rounds: number | null;
  /** Whether a target takes part: `parley`, `floor`, or a peer's name. */
  wants(target: string): boolean;
  /** Tells what is going on. */
  progress(text: string): void;
}

/** One row of the table of scenarios; `run` gives one result per point. */
export interface Scenario {
  readonly name: string;
  readonly work: string;
  readonly full: Size;
  readonly quick: Size;
  /** Whether it repeats what it measures itself, by `rounds`; others are run so often as a whole. */
  readonly repeatsItself?: boolean;
  run(context: ScenarioContext): Promise<Result[]>;
}

/** Outcomes of one point as they come in. */
export class Point {
  readonly outcomes = new Map<string, Outcome>();
  readonly versions: Record<string, string> = {};
  readonly notes: string[] = [];

  constructor(
    private readonly scenario: string,
    private readonly point: string,
    private readonly size: Size,
  ) {}

  add(target: string, outcome: Outcome, version?: string): void {
    this.outcomes.set(target, outcome);
    if (version !== undefined) this.versions[target] = version;
  }

  result(): Result {
    const { outcomes } = this;
    const others = [...outcomes].filter(([name]) => name !== OURS && name !== FLOOR);
    const refused = [...outcomes].filter(([, { refused }]) => refused !== null);
    return {
      scenario: this.scenario,
      point: this.point,
      clients: this.size.clients,
      seconds: this.size.seconds,
      machine: machine(),
      at: new Date().toISOString(),
      figures: outcomes.get(OURS)?.figures ?? null,
      floor: outcomes.get(FLOOR)?.figures ?? null,
      peers: Object.fromEntries(others.map(([name, { figures }]) => [name, figures])),
      ratios: ratiosOf(outcomes),
      refused: Object.fromEntries(refused.map(([name, { refused }]) => [name, refused!])),
      latency: Object.fromEntries([...outcomes].map(([name, { latency }]) => [name, latency])),
      versions: this.versions,
      series: Object.fromEntries(
        [...outcomes].flatMap(([name, { series = [] }]) =>
          series.length === 0 ? [] : [[name, series] as const],
        ),
      ),
      ...(this.notes.length === 0 ? {} : { notes: this.notes }),
    };
  }
}
