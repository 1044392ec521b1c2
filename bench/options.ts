import { parseArgs } from 'node:util';
import type { DriveOptions } from './drive/drive.js';
import { driveOptions, readToken } from './drive/options.js';
import type { RemoteServer } from './harness/organization.js';
import { processUsage } from './harness/processes/process-usage.js';
import type { VersusOptions } from './versus/versus.js';

/** The command line cannot be understood. */
export class UsageError extends Error {
  constructor(message: string) {
    super(`${message}\n\n${USAGE}`);
    this.name = 'UsageError';
  }
}

export const USAGE = `Usage: npx parley-bench COMMAND, in a checkout

  list                       the scenarios
  run SCENARIO… | all        run them and print tables
      --quick                small sizes: all in under ten minutes on two quiet cores
      --clients N            clients (or users, or queues) instead of the scenario's number
      --seconds S            length of a measured window
      --rounds N             run each scenario so often, its targets taking turns, and print medians with
                             their spread (nodes, failover, bulk: instead of their own number)
      --only NAMES           targets, comma-separated: parley, floor, nchan, mosquitto, socket.io, ws, faye, tornado
      --json FILE, --csv FILE, --prometheus FILE
                             also write the figures there
      --store URL            store of the benched server (default: a fresh embedded one); redis: a
                             fresh Redis of the bench's own
      --url URL --email ADDRESS --key KEY [--pid N]
                             drive a running server, which needs --rate-limit off; with its process
                             id, where it runs on this machine, CPU is measured too
  drive                      load on one server, of a mix of clients at a rate; takes --clients, --seconds, --store,
                             --url …, --json, --csv and --prometheus as run does
      --mix SHARES           default poll=5,socket=4,sse=1,write=8,typing=1,presence=1
      --rate N               requests a second, default 20, whatever the server answers
      --stages 10s:0-100,60s:100
                             seconds, and a rate that stays or changes evenly
      --goal GOAL            may stand several times, as p99<200ms or write.errors<1%; exit 1 where one is not met
      --find-limit GOAL      the highest rate that keeps the goal, from --rate on; --seconds for each rate
      --within MINUTES       when that search ends with what is known, default 10
      --load FILE            JSON with such flags by name, without dashes: {"stages": "60s:100", "goal": ["p99<200ms"]};
                             what the command line says, too, counts
      --accounts FILE|N      ADDRESS:KEY a line; or N new accounts, deactivated afterwards
      --storm SECONDS        all who receive lose their connections then, and come back at once
      --vanish PERCENT       so many vanish without a word, and come back by another connection
      --slow PERCENT         so many read one batch a second; the table tells them apart
      --worker URL           may stand several times: the load is made there, with --token-file FILE
  worker                     make load for a coordinator elsewhere
      --listen HOST:PORT     default 127.0.0.1:9990
      --token-file FILE      the text that both know, 16 characters or more
  compare A.json B.json      print B over A; exit 1 where B is worse past the margin
      --margin PERCENT       default 25
      --latency              compare latencies and throughput too, not CPU, bytes and memory alone
  versus CHECKOUT            this version over a built checkout of another one: both run at the same time and
                             take turns; exit 1 where ours is surely dearer than the margin
      --rounds N             pairs of windows of each work, default 40
      --margin PERCENT       default 3
      --only TEXTS           works whose names hold one of these, comma-separated
  tables FILE.json           print the tables of docs/performance.md, from a file of run all
  report FILE.json…|FOLDER   render result files, or those of a folder, as one page with plots
      --out FILE             default report.html in the folder

Environment: PARLEY_BENCH_PROFILE=FOLDER keeps CPU profiles of the benched server there;
PARLEY_BENCH_SLOW_US=N burns N microseconds per delivery in it, to see compare notice.
`;

/** Files that the figures go to. */
export interface OutputFiles {
  readonly json: string | null;
  readonly csv: string | null;
  readonly prometheus: string | null;
}

export interface RunOptions {
  readonly command: 'run';
  readonly scenarios: readonly string[];
  readonly quick: boolean;
  readonly clients: number | null;
  readonly seconds: number | null;
  readonly rounds: number | null;
  readonly only: ReadonlySet<string> | null;
  readonly files: OutputFiles;
  readonly store: string | null;
  readonly remote: RemoteServer | null;
}

export type Options =
  | { readonly command: 'list' | 'help' }
  | RunOptions
  | { readonly command: 'drive'; readonly load: DriveOptions; readonly files: OutputFiles }
  | {
      readonly command: 'worker';
      readonly host: string;
      readonly port: number;
      readonly token: string;
    }
  | {
      readonly command: 'compare';
      readonly before: string;
      readonly after: string;
      /** As a fraction. */
      readonly margin: number;
      readonly latency: boolean;
    }
  | { readonly command: 'tables'; readonly file: string }
  | ({ readonly command: 'versus' } & VersusOptions)
  | { readonly command: 'report'; readonly paths: readonly string[]; readonly out: string | null };

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        quick: FLAG,
        latency: FLAG,
        help: FLAG,
        clients: TEXT,
        seconds: TEXT,
        rounds: TEXT,
        only: TEXT,
        json: TEXT,
        csv: TEXT,
        prometheus: TEXT,
        mix: TEXT,
        rate: TEXT,
        stages: TEXT,
        goal: { type: 'string', multiple: true },
        'find-limit': TEXT,
        within: TEXT,
        load: TEXT,
        accounts: TEXT,
        storm: TEXT,
        vanish: TEXT,
        slow: TEXT,
        worker: { type: 'string', multiple: true },
        'token-file': TEXT,
        listen: TEXT,
        store: TEXT,
        url: TEXT,
        email: TEXT,
        key: TEXT,
        pid: TEXT,
        margin: TEXT,
        out: TEXT,
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!);
  }
}

type Values = ReturnType<typeof parse>['values'];

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (values.help || command === undefined || command === 'help') return { command: 'help' };
  switch (command) {
    case 'list':
      return { command };
    case 'run':
      if (rest.length === 0) throw new UsageError('Name a scenario, or all');
      return runOptions(rest, values);
    case 'drive':
      if (rest.length > 0) throw new UsageError(`drive takes no ${rest[0]!}`);
      return {
        command,
        load: asUsage(() => driveOptions(values, remoteServer(values))),
        files: filesOf(values),
      };
    case 'worker': {
      const [, host, port] = /^(.+):(\d+)$/.exec(values.listen ?? '127.0.0.1:9990') ?? [];
      if (host === undefined) throw new UsageError(`--listen: ${values.listen} is not HOST:PORT`);
      const token = asUsage(() => readToken(values['token-file']));
      return { command, host, port: Number(port), token };
    }
    case 'compare': {
      const [before, after] = rest;
      if (rest.length !== 2) throw new UsageError('compare takes two files');
      const margin = (positive('margin', values.margin) ?? 25) / 100;
      return {
        command,
        before: before!,
        after: after!,
        margin,
        latency: values.latency ?? false,
      };
    }
    case 'versus':
      if (rest.length !== 1) throw new UsageError('versus takes one folder');
      return {
        command,
        checkout: rest[0]!,
        rounds: positive('rounds', values.rounds) ?? 40,
        margin: (positive('margin', values.margin) ?? 3) / 100,
        only: namesOf(values.only),
      };
    case 'tables':
      if (rest.length !== 1) throw new UsageError('tables takes one file');
      return { command, file: rest[0]! };
    case 'report':
      if (rest.length === 0) throw new UsageError('report takes files or a folder');
      return { command, paths: rest, out: values.out ?? null };
    default:
      throw new UsageError(`Unknown command: ${command}`);
  }
}

function runOptions(scenarios: readonly string[], values: Values): RunOptions {
  return {
    command: 'run',
    scenarios,
    quick: values.quick ?? false,
    clients: positive('clients', values.clients),
    seconds: positive('seconds', values.seconds),
    rounds: positive('rounds', values.rounds),
    only: namesOf(values.only),
    files: filesOf(values),
    store: values.store ?? null,
    remote: remoteServer(values),
  };
}

function filesOf({ json, csv, prometheus }: Values): OutputFiles {
  return { json: json ?? null, csv: csv ?? null, prometheus: prometheus ?? null };
}

/** @throws UsageError with what is wrong with a flag */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function namesOf(text: string | undefined): ReadonlySet<string> | null {
  return text === undefined ? null : new Set(text.split(','));
}

function remoteServer({ url, email, key, pid }: Values): RemoteServer | null {
  if (url === undefined) return null;
  if (!URL.canParse(url) || new URL(url).protocol !== 'http:') {
    throw new UsageError(`--url: ${url} is not an http URL`);
  }
  if (email === undefined || key === undefined) {
    throw new UsageError('--url needs --email and --key');
  }
  return { url: new URL(url), email, key, pid: processId(pid) };
}

/** @throws UsageError where nothing can be measured of the process, before anything is prepared for it */
function processId(text: string | undefined): number | null {
  const pid = positive('pid', text);
  if (pid === null) return null;
  try {
    processUsage(pid);
  } catch {
    throw new UsageError(`--pid: there is no process ${pid} on this machine of which /proc tells`);
  }
  return pid;
}

function positive(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`--${flag}: ${text} is not a positive number`);
  return value;
}
