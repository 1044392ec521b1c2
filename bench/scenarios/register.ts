import type { RequestPlan } from '../exchange/jobs.js';
import type { ExchangeSample } from '../exchange/sample.js';
import { storm } from '../harness/load/drive.js';
import { OURS } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { strangers } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario } from '../harness/scenario.js';
import type { Account } from '../seed/seed.js';

/** Connections of a storm; more clients than that wait for one, and their latency says so. */
const CONNECTIONS = 100;
/** The floor answers at this rate: its bytes are what counts. */
const FLOOR_PER_SECOND = 50;

/** What a mobile app sends: everything. */
function registerPlan(accounts: readonly Account[]): RequestPlan {
  return {
    method: 'POST',
    path: '/api/v1/register',
    body: 'apply_markdown=true&slim_presence=true&client_gravatar=false&include_subscribers=false',
    accounts: accounts.map(({ authorization }) => ({ authorization })),
  };
}

export const register: Scenario = {
  name: 'register',
  work: 'a storm of registrations with the whole snapshot, one for ten users',
  full: { clients: 10_000, seconds: 10 },
  quick: { clients: 2000, seconds: 2 },
  async run(context) {
    const { size, remote, store } = context;
    const requests = Math.max(10, Math.round(size.clients / 10));
    const label = `${requests} at once, ${size.clients} users`;
    const point = new Point('register', label, size);
    let headers: ExchangeSample['headers'] | undefined;
    let accounts: readonly Account[] = strangers(requests);
    if (context.wants(OURS)) {
      context.progress('parley: preparing');
      const organization = await BenchOrganization.open({ users: size.clients, remote, store });
      try {
        accounts = organization.members.slice(0, requests);
        headers = await organization.replyHeaders();
        context.progress('parley: measuring');
        const plan = registerPlan(accounts);
        point.add(OURS, await storm(organization, plan, requests, CONNECTIONS));
      } finally {
        await organization.close();
      }
    }
    const replyBytes = replyBytesOf(point.outcomes.get(OURS), 100000);
    const rate = { perSecond: FLOOR_PER_SECOND, seconds: size.seconds };
    const plan = registerPlan(accounts);
    await floorRequests(context, point, {
      plan,
      connections: CONNECTIONS,
      rate,
      replyBytes,
      headers,
    });
    return [point.result()];
  },
};
