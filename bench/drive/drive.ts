import { secondsOf, type Pace } from '../exchange/pace.js';
import type { AccountSource } from '../harness/load/accounts.js';
import { OURS, rounded, type Figures, type Result } from '../harness/measuring/figures.js';
import { machine } from '../harness/measuring/versions.js';
import { BenchOrganization, type RemoteServer } from '../harness/organization.js';
import { liveLine } from '../live-line.js';
import { Crew } from './crew.js';
import { judge, verdictText, type Goal } from './goals.js';
import { LimitSearch } from './limit-search.js';
import { HERE, RemoteMachine, type LoadMachine } from './machines.js';
import { clientsOf, RECEIVERS, type Mix } from './mix.js';
import { figuresOf, type RoundFigures } from './round-figures.js';

/** What `bench drive` is asked for. */
export interface DriveOptions {
  readonly mix: Mix;
  readonly clients: number;
  readonly pace: Pace;
  readonly goals: readonly Goal[];
  /** The highest rate is looked for that keeps this one. */
  readonly limit: Goal | null;
  /** Seconds after which that search ends with what is known. */
  readonly within: number;
  readonly accounts: AccountSource | null;
  readonly workers: readonly URL[];
  readonly token: string;
  /** Shares of the receivers. */
  readonly slow: number;
  readonly vanishing: number;
  /** Seconds after the beginning. */
  readonly storms: readonly number[];
  readonly remote: RemoteServer | null;
  readonly store: string | null;
}

/** As long as the load, or this long. */
const MOST_WARM_UP_SECONDS = 2;
/** The rate of the search for a limit is not known before: as many connections as there may be. */
const UNKNOWN_PEAK = 1e6;

/** Drives a server with a mix of clients and judges it. */
export async function drive(options: DriveOptions): Promise<Result> {
  const { mix, clients, pace, limit, remote, store, accounts, slow } = options;
  const machines = await machinesOf(options);
  say(`preparing ${clients} clients`);
  const users = accounts?.kind === 'made' ? accounts.count : clients;
  const organization = await BenchOrganization.open({ users, remote, store, accounts });
  try {
    const peak = limit ? UNKNOWN_PEAK : Math.max(...pace.flatMap(({ from, to }) => [from, to]));
    const crew = await Crew.gather(organization, { mix, clients, peak, slow, machines });
    try {
      say('warming up');
      const { from, to } = pace[0]!;
      const warm = Math.max(from, to);
      const seconds = Math.min(MOST_WARM_UP_SECONDS, secondsOf(pace));
      const warmUp = [{ seconds, from: warm, to: warm }];
      await crew.run({ pace: warmUp, isWarmUp: true });
      return await (limit ? limitOf(crew, options, limit) : measured(crew, options));
    } finally {
      crew.dismiss();
    }
  } finally {
    await organization.close();
  }
}

async function machinesOf({ workers, token }: DriveOptions): Promise<readonly LoadMachine[]> {
  if (workers.length === 0) return [HERE];
  const machines = await Promise.all(workers.map((url) => RemoteMachine.find(url, token)));
  for (const { name, cores, uncertainty } of machines) {
    say(`${name}: ${cores} cores, its clock is known to ${uncertainty.toFixed(2)} ms`);
  }
  return machines;
}

async function measured(crew: Crew, options: DriveOptions): Promise<Result> {
  const { pace, storms, vanishing } = options;
  const seconds = secondsOf(pace);
  say(`measuring for ${seconds} s`);
  const stormsAt = storms.map((at) => at * 1000);
  const mishaps = { stormsAt, vanishing, withinMs: seconds * 1000 };
  const round = await crew.run({ pace, mishaps });
  const figures = figuresOf(round, pace);
  return resultOf(options, labelOf(options), figures, []);
}

async function limitOf(crew: Crew, options: DriveOptions, goal: Goal): Promise<Result> {
  const { limit, notes } = await new LimitSearch(crew, options, goal, say, options.within).run();
  const label = `${labelOf(options)}, limit of ${goal.text}`;
  if (!limit) {
    const refused = `${options.pace[0]!.to} requests a second were not seen to keep ${goal.text}`;
    return { ...resultOf(options, label, null, notes), refused: { [OURS]: refused } };
  }
  const { rate, seen, failed } = limit;
  const result = resultOf(options, label, seen.at(-1)!.figures, notes);
  const found = { limit_per_second: rate, not_kept_per_second: failed };
  return { ...result, figures: { ...found, ...result.figures } };
}

function resultOf(
  { goals, clients, pace }: DriveOptions,
  point: string,
  round: RoundFigures | null,
  notes: readonly string[],
): Result {
  const parts: Readonly<Record<string, Figures>> = round?.parts ?? {};
  const verdicts = goals.map((goal) => judge(goal, parts));
  const refused = round?.refused ?? null;
  return {
    scenario: 'drive',
    point,
    clients,
    seconds: rounded(secondsOf(pace)),
    machine: machine(),
    at: new Date().toISOString(),
    figures: refused === null ? (round?.total ?? null) : null,
    floor: null,
    peers: {},
    ratios: {},
    refused: refused === null ? {} : { [OURS]: refused },
    latency: { [OURS]: round?.latency ?? [] },
    versions: {},
    parts,
    notes: [...notes, ...(round?.notes ?? []), ...verdicts.map(verdictText)],
    ...(round ? { series: { [OURS]: round.series } } : {}),
    goals: Object.fromEntries(verdicts.map(({ goal, isMet }) => [goal.text, isMet])),
  };
}

/** What was asked for, so that only like is compared with like. */
function labelOf({ mix, clients, pace, limit, slow, vanishing, storms }: DriveOptions): string {
  const counts = clientsOf(mix, clients);
  const receivers = RECEIVERS.flatMap((kind) =>
    counts[kind] > 0 ? [`${counts[kind]} ${kind}`] : [],
  );
  const rates = pace.map(({ from, to }) => (from === to ? `${to}` : `${from}-${to}`)).join(', ');
  return [
    ...receivers,
    ...(limit ? [] : [`${rates} requests a second`]),
    ...(slow > 0 ? [`${rounded(slow * 100)} % slow`] : []),
    ...(vanishing > 0 ? [`${rounded(vanishing * 100)} % vanish`] : []),
    ...storms.map((at) => `storm after ${at} s`),
  ].join(', ');
}

function say(text: string): void {
  liveLine.say(`drive: ${text}`);
}
