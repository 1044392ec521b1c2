import { readFileSync } from 'node:fs';
import { mergeRuns } from '../repetition.js';
import { OURS, rounded, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { textOf, wordOf } from '../seed/vocabulary.js';

const USERS = 100;
const WARM_UP = 30;
const SEARCHES = 300;
const ROUNDS = 3;
/** Results asked for, as clients do. */
const RESULTS = 50;
/** A search of everything that takes no longer is answered by the index alone. Milliseconds. */
const INDEXED_MS = 20;
const CHECK_MS = 500;

/** What is searched for. The n-th search of a kind takes other words than the one before. */
const KINDS: Readonly<Record<string, (n: number) => string | null>> = {
  // What the same reply costs without a search.
  'no search: the newest messages': () => null,
  'a rare word': (n) => wordOf(50_000 + 31 * n),
  'a word that is nowhere': (n) => `nowhere${n}`,
  'a frequent word': (n) => wordOf(n % 20),
  'the first letter of a word': (n) => wordOf(n % 90)[0]!,
  'two frequent words': (n) => `${wordOf(n % 20)} ${wordOf(20 + (n % 20))}`,
  'a phrase': (n) => `"${wordOf(n % 20)} ${wordOf(n % 17)}"`,
  'a rare phrase of frequent words': (n) => {
    return `"${wordOf(n % 20)} ${wordOf(n % 17)} ${wordOf(n % 13)} ${wordOf(n % 11)}"`;
  },
  'without a frequent word': (n) => `-${wordOf(n % 20)}`,
};

/** Processor time of a process's main thread, milliseconds. */
function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Searches once; reads the newest messages where there are no words. @returns milliseconds until the reply */
async function searchOnce({ api, account }: Searching, words: string | null): Promise<number> {
  const negated = words?.startsWith('-') === true;
  const operand = words?.replace(/^-/, '');
  const narrow = words === null ? [] : [{ operator: 'search', operand, negated }];
  const began = performance.now();
  await api.call('GET', '/messages', account.authorization, {
    anchor: 'newest',
    num_before: RESULTS,
    num_after: 0,
    narrow: JSON.stringify(narrow),
  });
  return performance.now() - began;
}

export type Searching = Pick<BenchOrganization, 'api'> & {
  readonly account: ReturnType<BenchOrganization['account']>;
};

/** Waits until the index has the whole history, which takes processor time beside all else. @returns seconds */
export async function indexed(searching: Searching): Promise<number> {
  const began = performance.now();
  for (let quick = 0; quick < 3;) {
    const took = await searchOnce(searching, 'nowhere');
    quick = took <= INDEXED_MS ? quick + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  }
  return (performance.now() - began) / 1000;
}

async function measured(
  context: ScenarioContext,
  organization: BenchOrganization,
  kind: string,
): Promise<Result> {
  const wordsOf = KINDS[kind]!;
  const searching = { api: organization.api, account: organization.account(1) };
  const { pid } = organization.server!;
  for (let n = 0; n < WARM_UP; n++) await searchOnce(searching, wordsOf(n));
  const latencies: number[] = [];
  const own: number[] = [];
  await organization.longestBlock();
  const before = organization.usage()!.cpuMs;
  for (let n = 0; n < SEARCHES; n++) {
    const began = mainThreadMs(pid);
    latencies.push(await searchOnce(searching, wordsOf(WARM_UP + n)));
    own.push(mainThreadMs(pid) - began);
  }
  const { cpuMs, residentBytes } = organization.usage()!;
  const longestBlock = await organization.longestBlock();
  const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))]!;
  const point = new Point('search', `${context.size.clients} messages, ${kind}`, context.size);
  point.add(OURS, {
    refused: null,
    latency: [50, 90, 99, 100].map((percent) => [percent, at(percent / 100)] as const),
    figures: {
      cpu_us_per_op: rounded(((cpuMs - before) * 1000) / SEARCHES),
      main_thread_us_per_op: rounded((sum(own) * 1000) / SEARCHES),
      longest_own_ms: rounded(Math.max(...own)),
      longest_block_ms: rounded(longestBlock),
      p50_ms: rounded(at(0.5)),
      p99_ms: rounded(at(0.99)),
      rss_mb: rounded(residentBytes / 1e6),
    },
  });
  return point.result();
}

/**
 * `longest_own_ms` is the most that the main thread spent on a whole search, `longest_block_ms` for how long the others
 * had to wait for it.
 */
export const search: Scenario = {
  name: 'search',
  repeatsItself: true,
  work: 'text searches of one user over N messages of 15 words, 50 results, one after another',
  full: { clients: 1_000_000, seconds: 0 },
  quick: { clients: 100_000, seconds: 0 },
  async run(context) {
    const { size, remote, store, rounds } = context;
    if (!context.wants(OURS) || remote) return [];
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({
      ...{ users: USERS, messages: size.clients, contentOf: textOf, watchLoop: true },
      ...{ remote, store },
    });
    try {
      const searching = { api: organization.api, account: organization.account(1) };
      context.progress(`parley: indexed in ${rounded(await indexed(searching))} s`);
      const runs: Result[][] = [];
      for (let round = 0; round < (rounds ?? ROUNDS); round++) {
        const results: Result[] = [];
        for (const kind of Object.keys(KINDS)) {
          context.progress(`parley: ${kind}`);
          results.push(await measured(context, organization, kind));
        }
        runs.push(results);
      }
      return mergeRuns(runs);
    } finally {
      await organization.close();
    }
  },
};
