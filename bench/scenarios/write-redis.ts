import { saturate } from '../harness/load/drive.js';
import { OURS, type Outcome } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { settingPlan } from '../harness/load/publish.js';
import { OWN_REDIS, RedisServer } from '../harness/processes/redis-server.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** What the embedded store is called beside Redis. */
const EMBEDDED = 'embedded';

async function measureOn(context: ScenarioContext, store: string | null): Promise<Outcome> {
  const { clients, seconds } = context.size;
  const organization = await BenchOrganization.open({ users: clients, remote: null, store });
  try {
    const accounts = Array.from({ length: clients }, (_, index) => organization.account(index));
    return await saturate(organization, settingPlan(accounts), clients, seconds);
  } finally {
    await organization.close();
  }
}

export const writeRedis: Scenario = {
  name: 'write-redis',
  work: 'PATCH /settings, durable on Redis (log written each second), next to the embedded store',
  full: { clients: 256, seconds: 10 },
  quick: { clients: 256, seconds: 2 },
  async run(context) {
    const { size, remote, store } = context;
    const url = store ?? OWN_REDIS;
    if (!context.wants(OURS) || remote || !url.startsWith('redis')) return [];
    if (store === null && !(await RedisServer.isInstalled())) {
      context.progress('left out: redis-server is not installed');
      return [];
    }
    const point = new Point('write-redis', `PATCH /settings, ${size.clients} in flight`, size);
    context.progress('parley on Redis');
    point.add(OURS, await measureOn(context, url));
    context.progress('parley on the embedded store');
    point.add(EMBEDDED, await measureOn(context, null));
    return [point.result()];
  },
};
