import { machineNow } from '../clock.js';
import { OURS, rounded, type Outcome } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { quietResidentBytes } from '../harness/measuring/memory.js';
import { OWN_REDIS, RedisServer } from '../harness/processes/redis-server.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

const SUBSCRIPTIONS_PER_USER = 10;
/** Mega, as in megabytes. */
const MEGA = 1e6;

/** Starts on a store with that many users, and looks how long that takes and how much memory. */
async function loadFrom(
  context: ScenarioContext,
  target: string,
  store: string | null,
): Promise<Outcome> {
  context.progress(`${target}: preparing`);
  const users = context.size.clients;
  const furtherChannels = Array.from(
    { length: SUBSCRIPTIONS_PER_USER - 1 },
    (_, i) => `bench ${i + 2}`,
  );
  const organization = await BenchOrganization.open({
    ...{ users, furtherChannels, store },
    remote: null,
  });
  try {
    await organization.halt();
    context.progress(`${target}: loading`);
    const begun = machineNow();
    await organization.start();
    const ready = machineNow();
    const { cpuMs } = organization.usage()!;
    const peak = organization.server!.peakResidentBytes();
    const quiet = await quietResidentBytes(organization);
    return {
      refused: null,
      latency: [],
      figures: {
        ready_seconds: rounded((ready - begun) / 1000),
        cpu_seconds: rounded(cpuMs / 1000),
        peak_rss_mb: rounded(peak / MEGA),
        rss_mb: rounded(quiet / MEGA),
      },
    };
  } finally {
    await organization.close();
  }
}

export const load: Scenario = {
  name: 'load',
  work: `a start with N users and ${SUBSCRIPTIONS_PER_USER} subscriptions each, embedded and from Redis`,
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 2000, seconds: 0 },
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote) return [];
    const subscriptions = size.clients * SUBSCRIPTIONS_PER_USER;
    const point = new Point('load', `${size.clients} users, ${subscriptions} subscriptions`, size);
    if (store !== null) {
      point.add(OURS, await loadFrom(context, OURS, store));
      return [point.result()];
    }
    point.add(OURS, await loadFrom(context, OURS, null));
    if (await RedisServer.isInstalled())
      point.add(OWN_REDIS, await loadFrom(context, OWN_REDIS, OWN_REDIS));
    return [point.result()];
  },
};
