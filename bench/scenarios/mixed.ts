import { driveDeliveries, type Background } from '../harness/drive.js';
import { OURS } from '../harness/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { messagePlan } from '../harness/publish.js';
import { Point, type Scenario } from '../harness/scenario.js';
import { pingPlan, presenceCursor } from './presence.js';

/** Of ten clients, so many poll; the others have sockets. */
const POLLING_OF_TEN = 8;
const PING_SECONDS = 60;

function backgroundOf(organization: BenchOrganization, cursor: number): Background[] {
  const { members, channelId } = organization;
  const typing = {
    method: 'POST' as const,
    path: '/api/v1/typing',
    body: `type=stream&op=start&stream_id=${channelId}&topic=load`,
    accounts: members.map(({ authorization }) => ({ authorization })),
  };
  return [
    // Somebody types before most messages.
    { plan: typing, connections: 4, perSecond: 1 },
    {
      plan: pingPlan(members, cursor, 'own'),
      connections: 16,
      perSecond: Math.max(1, members.length / PING_SECONDS),
    },
  ];
}

export const mixed: Scenario = {
  name: 'mixed',
  work: 'a channel of N: 80 % pollers, 20 % sockets; messages, typing, presence',
  full: { clients: 1000, seconds: 30 },
  quick: { clients: 500, seconds: 4 },
  async run(context) {
    const { size, quick, remote, store } = context;
    const { clients, seconds } = size;
    const perSecond = quick ? 5 : 20;
    const point = new Point('mixed', `${clients} members, ${perSecond} messages a second`, size);
    if (!context.wants(OURS)) return [];
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users: clients, remote, store });
    try {
      const seats = await organization.seats(clients, ['message', 'typing', 'presence']);
      const polling = Math.ceil((clients * POLLING_OF_TEN) / 10);
      const shared = { dialect: 'parley', addressing: 'all' } as const;
      const audiences = [
        { ...shared, transport: 'poll' as const, seats: seats.slice(0, polling) },
        { ...shared, transport: 'push' as const, seats: seats.slice(polling) },
      ].filter((audience) => audience.seats.length > 0);
      const publish = messagePlan(organization.channelId, organization.owner);
      const background = backgroundOf(organization, await presenceCursor(organization));
      context.progress('parley: measuring');
      const rate = { perSecond, seconds };
      const outcome = await driveDeliveries(organization, audiences, publish, rate, background);
      point.add(OURS, outcome);
    } finally {
      await organization.close();
    }
    return [point.result()];
  },
};
