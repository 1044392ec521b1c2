import { readFileSync } from 'node:fs';
import { steadyPace } from '../exchange/pace.js';
import type { AccountSource } from '../harness/load/accounts.js';
import type { RemoteServer } from '../harness/organization.js';
import type { DriveOptions } from './drive.js';
import { goalOf } from './goals.js';
import { readLoadFile } from './load-file.js';
import { mixOf, stagesOf, USUAL_MIX } from './mix.js';

/** Flags of `drive`, or of its file, as they stand on the command line. */
export interface DriveFlags {
  readonly mix?: string | undefined;
  readonly clients?: string | undefined;
  readonly rate?: string | undefined;
  readonly seconds?: string | undefined;
  readonly stages?: string | undefined;
  readonly goal?: readonly string[] | undefined;
  readonly 'find-limit'?: string | undefined;
  readonly within?: string | undefined;
  readonly accounts?: string | undefined;
  readonly worker?: readonly string[] | undefined;
  readonly 'token-file'?: string | undefined;
  readonly slow?: string | undefined;
  readonly vanish?: string | undefined;
  readonly storm?: string | undefined;
  readonly store?: string | undefined;
}

const CLIENTS = 100;
/** Requests a second. */
const RATE = 20;
const SECONDS = 10;
/** Of one rate of the search for a limit: its 99th percentile needs some hundred latencies. */
const LIMIT_SECONDS = 5;
/** Of the whole search. */
const LIMIT_MINUTES = 10;

/**
 * What flags say, and where they say nothing a file.
 * @throws Error that says what is wrong with a flag
 */
export function driveOptions(
  given: DriveFlags & { readonly load?: string | undefined },
  remote: RemoteServer | null,
): DriveOptions {
  const flags = { ...(given.load === undefined ? {} : readLoadFile(given.load)), ...given };
  const { mix = USUAL_MIX, stages, worker = [], 'find-limit': limit, storm } = flags;
  const rate = number('rate', flags.rate) ?? RATE;
  const seconds =
    number('seconds', flags.seconds) ?? (limit === undefined ? SECONDS : LIMIT_SECONDS);
  if (stages !== undefined && (flags.rate ?? flags.seconds ?? limit) !== undefined) {
    throw new Error(
      '--stages says the rate and how long: leave --rate, --seconds and --find-limit out',
    );
  }
  const accounts = accountsOf(flags.accounts);
  if (accounts && !remote)
    throw new Error('--accounts needs --url: a server of the bench has its own');
  return {
    mix: mixOf(mix),
    clients: number('clients', flags.clients) ?? CLIENTS,
    pace: stages === undefined ? [{ ...steadyPace(rate)[0]!, seconds }] : stagesOf(stages),
    goals: (flags.goal ?? []).map(goalOf),
    limit: limit === undefined ? null : goalOf(limit),
    within: (number('within', flags.within) ?? LIMIT_MINUTES) * 60,
    accounts,
    workers: worker.map(workerUrl),
    token: worker.length === 0 ? '' : readToken(flags['token-file']),
    slow: (number('slow', flags.slow) ?? 0) / 100,
    vanishing: (number('vanish', flags.vanish) ?? 0) / 100,
    storms: (storm?.split(',') ?? []).map((at) => number('storm', at)!),
    remote,
    store: flags.store ?? null,
  };
}

/** The secret that a coordinator and its workers share. @throws Error */
export function readToken(path: string | undefined): string {
  if (path === undefined)
    throw new Error('Workers need --token-file, with the same text everywhere');
  const token = readFileSync(path, 'utf8').trim();
  if (token.length < 16) throw new Error(`${path}: a token has 16 characters or more`);
  return token;
}

function accountsOf(text: string | undefined): AccountSource | null {
  if (text === undefined) return null;
  const count = Number(text);
  return Number.isInteger(count) && count > 0
    ? { kind: 'made', count }
    : { kind: 'file', path: text };
}

function workerUrl(text: string): URL {
  if (!URL.canParse(text) || new URL(text).protocol !== 'http:') {
    throw new Error(`--worker: ${text} is not an http URL`);
  }
  return new URL(text);
}

function number(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${flag}: ${text} is not a positive number`);
  return value;
}
