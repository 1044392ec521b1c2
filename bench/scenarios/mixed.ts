import { driveDeliveries, mostlyPolling, type Background } from '../harness/load/drive.js';
import { OURS } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { PING_SECONDS, pingPlan, presenceCursor, typingPlan } from '../harness/load/people.js';
import { messagePlan } from '../harness/load/publish.js';
import { Point, type Scenario } from '../harness/scenario.js';

function backgroundOf(organization: BenchOrganization, cursor: number): Background[] {
  const { members, channelId } = organization;
  const typing = typingPlan(members, channelId);
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
      const publish = messagePlan(organization.channelId, organization.owner);
      const background = backgroundOf(organization, await presenceCursor(organization));
      context.progress('parley: measuring');
      const rate = { perSecond, seconds };
      const outcome = await driveDeliveries(
        organization,
        mostlyPolling(seats),
        publish,
        rate,
        background,
      );
      point.add(OURS, outcome);
    } finally {
      await organization.close();
    }
    return [point.result()];
  },
};
