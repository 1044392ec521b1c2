import { machineNow } from '../clock.js';
import { OURS, rounded } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario } from '../harness/scenario.js';

/** Messages in the store for each queue. */
const MESSAGES_PER_QUEUE = 10;
const USERS = 1000;

/** A seeded queue gets a message; resolves when it was delivered. */
async function deliverOne(organization: BenchOrganization): Promise<void> {
  const { api, owner, channelId, members, queueIds } = organization;
  const poll = api.call('GET', '/events', members[0]!.authorization, {
    queue_id: queueIds[0]!,
    last_event_id: -1,
  });
  const sent = api.call('POST', '/messages', owner.authorization, {
    type: 'stream',
    to: channelId,
    topic: 'load',
    content: 'first message after the restart',
  });
  const [{ events }] = await Promise.all([poll, sent]);
  if (!Array.isArray(events) || events.length === 0) throw new Error('Nothing was delivered');
}

export const restart: Scenario = {
  name: 'restart',
  work: 'kill -9 with N queues and ten times as many messages, until ready and first delivery',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 5000, seconds: 0 },
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote || store !== null) return [];
    const queues = size.clients;
    const messages = queues * MESSAGES_PER_QUEUE;
    const point = new Point('restart', `${queues} queues, ${messages} messages`, size);
    context.progress('parley: preparing');
    const plan = { users: USERS, queues, messages, remote, store };
    const organization = await BenchOrganization.open(plan);
    try {
      await deliverOne(organization);
      await organization.halt('kill');
      context.progress('parley: restarting');
      const killedAt = machineNow();
      await organization.start();
      const readyAt = machineNow();
      await deliverOne(organization);
      const deliveredAt = machineNow();
      const resident = organization.usage()?.residentBytes ?? 0;
      point.add(OURS, {
        refused: null,
        latency: [],
        figures: {
          ready_seconds: rounded((readyAt - killedAt) / 1000),
          first_delivery_seconds: rounded((deliveredAt - killedAt) / 1000),
          rss_mb: rounded(resident / 1e6),
        },
      });
    } finally {
      await organization.close();
    }
    return [point.result()];
  },
};
