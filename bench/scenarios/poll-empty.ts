import type { RequestPlan, Seat } from '../exchange/jobs.js';
import { BUILT_IN, type ExchangeSample } from '../exchange/sample.js';
import { driveRequests, saturate, type Rate } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { plainSeats, strangers } from '../harness/load/publish.js';
import { floorRequests } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { startPeer } from '../harness/targets.js';

/** The same rate for all targets; far below what any of them carries. */
const PER_SECOND = 3000;

function emptyPolls(seats: readonly Seat[]): RequestPlan {
  return {
    method: 'GET',
    path: '/api/v1/events?queue_id={queue}&last_event_id={cursor}&dont_block=true',
    body: null,
    accounts: seats.map(({ authorization, queueId, lastEventId }) => ({
      authorization,
      fields: { queue: queueId, cursor: String(lastEventId) },
    })),
  };
}

interface Ours {
  readonly points: readonly Point[];
  readonly headers?: ExchangeSample['headers'];
}

async function ours(context: ScenarioContext, rate: Rate): Promise<Ours> {
  const { size, remote, store } = context;
  const { clients } = size;
  context.progress('parley: preparing');
  const organization = await BenchOrganization.open({ users: clients, remote, store });
  try {
    const plan = emptyPolls(await organization.seats(clients, ['message']));
    context.progress('parley: measuring');
    // First: at the fixed rate alone, half of the runs would measure code that is not compiled for good yet.
    const full = new Point('poll-empty', 'as many as go', size);
    full.add(OURS, await saturate(organization, plan, clients, size.seconds));
    const paced = new Point('poll-empty', `${PER_SECOND} requests a second`, size);
    paced.add(OURS, await driveRequests(organization, plan, clients, rate));
    return { points: [paced, full], headers: await organization.replyHeaders() };
  } finally {
    await organization.close();
  }
}

async function tornado(context: ScenarioContext, point: Point, rate: Rate): Promise<void> {
  if (!context.wants('tornado')) return;
  const options = { sample: BUILT_IN.message, replyBytes: 2 };
  const peer = await startPeer('tornado', options);
  if (!peer) return context.progress('tornado: not installed, left out');
  context.progress('tornado: measuring');
  try {
    const plan = emptyPolls(plainSeats(context.size.clients, 'peer', []));
    const outcome = await driveRequests(peer.server, plan, context.size.clients, {
      ...rate,
      // A third of what it carries on one core of the machines we know.
      perSecond: Math.min(rate.perSecond, 1000),
    });
    point.add('tornado', outcome, peer.version);
  } finally {
    await peer.server.stop();
  }
}

export const pollEmpty: Scenario = {
  name: 'poll-empty',
  work: 'polls that are answered at once with nothing (dont_block)',
  full: { clients: 64, seconds: 15 },
  quick: { clients: 64, seconds: 2 },
  async run(context): Promise<Result[]> {
    const { size } = context;
    const rate = { perSecond: PER_SECOND, seconds: size.seconds };
    const { points, headers }: Ours = context.wants(OURS)
      ? await ours(context, rate)
      : { points: [new Point('poll-empty', `${PER_SECOND} requests a second`, size)] };
    const plan = emptyPolls(plainSeats(size.clients, 'floor', strangers(size.clients)));
    const work = { plan, connections: size.clients, rate, replyBytes: 0, headers };
    await floorRequests(context, points[0]!, work);
    if (points[1]) {
      // As many as ours answered, up to what a generator surely sends.
      const most = points[1].outcomes.get(OURS)?.figures?.ops_per_second ?? PER_SECOND;
      const paced = { ...rate, perSecond: Math.min(most, 25_000) };
      await floorRequests(context, points[1], { ...work, rate: paced, isPaced: true });
    }
    await tornado(context, points[0]!, rate);
    return points.map((point) => point.result());
  },
};
