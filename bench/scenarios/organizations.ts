import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { driveRequests } from '../harness/load/drive.js';
import { OURS, rounded, type Figures } from '../harness/measuring/figures.js';
import { quietResidentBytes } from '../harness/measuring/memory.js';
import { BenchOrganization } from '../harness/organization.js';
import { messagePlan } from '../harness/load/publish.js';
import { OWN_REDIS, RedisServer } from '../harness/processes/redis-server.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { ServerProcess } from '../harness/processes/server-process.js';

const PROGRAM = fileURLToPath(new URL('../followed/main.js', import.meta.url));
/** Organizations followed by one process: the difference is what so many more cost. */
const FEW = 1;
const MANY = 21;
/** Entries a second of the busy organizations; those of {@link BUSY} at once are more than one core folds. */
const ENTRIES_PER_SECOND = 1000;
const BUSY = 2;
/** Megabytes of memory. */
const MEGA = 1e6;

interface Cost {
  readonly idleMs: number;
  readonly residentBytes: number;
  readonly busyMs: number;
}
type CostKind = 'idle' | 'busy';

/** One process that follows so many organizations; what is not asked for is 0. */
async function follow(
  { size }: ScenarioContext,
  organization: BenchOrganization,
  times: number,
  kinds: readonly CostKind[],
): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-followed-'));
  const args = [PROGRAM, organization.storeUrl(), organization.secretFile(), folder];
  const server = await ServerProcess.start({
    name: 'a process that follows',
    command: process.execPath,
    args: [...args, String(times)],
    env: { NODE_ENV: 'production' },
    cwd: folder,
  });
  try {
    let idleMs = 0;
    let residentBytes = 0;
    if (kinds.includes('idle')) {
      residentBytes = await quietResidentBytes(server);
      const before = server.usage().cpuMs;
      await pause(size.seconds * 1000);
      idleMs = server.usage().cpuMs - before;
    }
    if (!kinds.includes('busy')) return { idleMs, busyMs: 0, residentBytes };
    const { channelId, owner, address } = organization;
    const rate = { perSecond: ENTRIES_PER_SECOND, seconds: size.seconds };
    let marks: number[] = [];
    const driven = {
      address,
      usage: () => {
        const usage = server.usage();
        marks.push(usage.cpuMs);
        return usage;
      },
    };
    const plan = messagePlan(channelId, owner);
    await driveRequests(driven, plan, 32, rate, size.seconds);
    marks = marks.slice(-2);
    return { idleMs, busyMs: marks[1]! - marks[0]!, residentBytes };
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureOn(context: ScenarioContext, store: string | null): Promise<Figures> {
  const { clients: users, seconds } = context.size;
  const organization = await BenchOrganization.open({ users, store, remote: null });
  try {
    const few = await follow(context, organization, FEW, ['idle', 'busy']);
    const busy = await follow(context, organization, FEW + BUSY, ['busy']);
    const many = await follow(context, organization, MANY, ['idle']);
    const each = (of: (cost: Cost) => number): number => (of(many) - of(few)) / (MANY - FEW);
    return {
      mb_per_organization: rounded(each((one) => one.residentBytes) / MEGA),
      idle_us_per_second: rounded((each((one) => one.idleMs) * 1000) / seconds),
      us_per_folded_entry: rounded(
        ((busy.busyMs - few.busyMs) * 1000) / (BUSY * ENTRIES_PER_SECOND * seconds),
      ),
      process_mb: rounded(few.residentBytes / MEGA),
    };
  } finally {
    await organization.close();
  }
}

export const organizations: Scenario = {
  name: 'organizations',
  work: 'what an organization of N users costs a process that follows it, idle and at 1,000 entries a second',
  full: { clients: 1000, seconds: 10 },
  quick: { clients: 1000, seconds: 2 },
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote) return [];
    const point = new Point('organizations', `${size.clients} users each`, size);
    const add = async (target: string, on: string | null): Promise<void> => {
      context.progress(on ?? 'embedded');
      point.add(target, { figures: await measureOn(context, on), refused: null, latency: [] });
    };
    await add(OURS, store);
    if (store === null && (await RedisServer.isInstalled())) await add(OWN_REDIS, OWN_REDIS);
    return [point.result()];
  },
};
