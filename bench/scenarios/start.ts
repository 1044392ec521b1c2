import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { machineNow } from '../clock.js';
import { median, OURS, rounded, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario } from '../harness/scenario.js';

/** Messages in the store for each user. */
const MESSAGES_PER_USER = 10;
/** The index of messages, in the folder of the store (architecture.md#kept-index). */
const INDEX = 'message-index.bin';
const ROUNDS = 3;

/** What came before a start: how the server ended, and whether its index of messages is there. */
interface Before {
  readonly name: string;
  readonly end: 'stop' | 'kill';
  readonly indexIsLost: boolean;
}

const STARTS: readonly Before[] = [
  { name: 'index lost', end: 'kill', indexIsLost: true },
  { name: 'stopped', end: 'stop', indexIsLost: false },
  { name: 'killed', end: 'kill', indexIsLost: false },
];

/** Starts the server again. @returns milliseconds until it serves, CPU it took, and bytes it holds */
async function startAgain(organization: BenchOrganization, before: Before) {
  await organization.halt(before.end);
  const folder = organization.storeUrl().replace('embedded:', '');
  if (before.indexIsLost) await rm(join(folder, INDEX), { force: true });
  const began = machineNow();
  await organization.start();
  const ready = machineNow() - began;
  const usage = organization.usage();
  return { ready, cpu: usage?.cpuMs ?? 0, resident: usage?.residentBytes ?? 0 };
}

export const start: Scenario = {
  name: 'start',
  work: 'start with N users and ten times as many messages, until ready',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 5000, seconds: 0 },
  repeatsItself: true,
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote || store !== null) return [];
    const users = size.clients;
    const messages = users * MESSAGES_PER_USER;
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users, messages, remote, store });
    const results: Result[] = [];
    try {
      for (const before of STARTS) {
        const label = `${users} users, ${messages} messages, ${before.name}`;
        context.progress(`parley: ${before.name}`);
        const rounds = [];
        for (let round = 0; round < (context.rounds ?? ROUNDS); round++) {
          rounds.push(await startAgain(organization, before));
        }
        const point = new Point('start', label, size);
        point.add(OURS, {
          refused: null,
          latency: [],
          figures: {
            ready_seconds: rounded(median(rounds.map(({ ready }) => ready)) / 1000),
            cpu_seconds: rounded(median(rounds.map(({ cpu }) => cpu)) / 1000),
            rss_mb: rounded(median(rounds.map(({ resident }) => resident)) / 1e6),
          },
        });
        results.push(point.result());
      }
    } finally {
      await organization.close();
    }
    return results;
  },
};
