import t from 'tap';
import { everyMs } from '../../../bench/exchange/pace.js';
import { BUILT_IN } from '../../../bench/exchange/sample.js';
import { consumerJobs, withGenerators } from '../../../bench/harness/load/drive.js';
import { measure, type Plan } from '../../../bench/harness/measuring/measure.js';
import {
  messagePlan,
  peerPlan,
  plainSeats,
  settingPlan,
  strangers,
} from '../../../bench/harness/load/publish.js';
import {
  dialectOf,
  peersOver,
  startFloor,
  startPeer,
  type PeerName,
} from '../../../bench/harness/targets.js';
import type {
  Addressing,
  Dialect,
  RequestPlan,
  Seat,
  Transport,
} from '../../../bench/exchange/jobs.js';
import type { ServerProcess } from '../../../bench/harness/processes/server-process.js';

const CLIENTS = 4;
const EVENTS = 8;
const people = strangers(CLIENTS);
const options = {
  all: { sample: BUILT_IN.message, replyBytes: 40 },
  one: { sample: BUILT_IN.personal, replyBytes: 40 },
};

interface Exchange {
  readonly transport: Transport;
  readonly addressing: Addressing;
  readonly dialect: Dialect;
  readonly seats: readonly Seat[];
  readonly publish: RequestPlan;
}

/** Lets events happen through real generator processes; fails when one is lost or repeated. */
async function exchange(server: ServerProcess, work: Exchange) {
  const { publish, ...audience } = work;
  const jobs = [
    ...consumerJobs(server.address, audience),
    { role: 'request' as const, server: server.address, plan: publish, connections: 1 },
  ];
  const plan: Plan = { kind: 'open', first: 0, count: EVENTS, pace: everyMs(2) };
  try {
    return await withGenerators(jobs, (generators) =>
      measure(
        server,
        generators.map((generator, index) => ({ generator, plan, counted: index === 0 })),
      ),
    );
  } finally {
    await server.stop();
  }
}

const floorCases = [
  { transport: 'poll', addressing: 'all', deliveries: CLIENTS * EVENTS },
  { transport: 'push', addressing: 'all', deliveries: CLIENTS * EVENTS },
  { transport: 'push', addressing: 'one', deliveries: EVENTS },
  { transport: 'stream', addressing: 'all', deliveries: CLIENTS * EVENTS },
] as const;

for (const { transport, addressing, deliveries } of floorCases) {
  void t.test(`the floor delivers: ${transport} to ${addressing}`, async (t) => {
    const outcome = await exchange(await startFloor(options[addressing]), {
      transport,
      addressing,
      dialect: 'parley',
      seats: plainSeats(CLIENTS, 'floor', people),
      publish: addressing === 'all' ? messagePlan(1, people[0]!) : settingPlan(people),
    });
    t.equal(outcome.figures?.operations, deliveries);
    t.type(outcome.figures?.cpu_us_per_op, 'number');
  });
}

async function peerCase(name: PeerName, transport: Transport, addressing: Addressing) {
  const peer = await startPeer(name, options[addressing]);
  if (!peer) return null;
  return exchange(peer.server, {
    transport,
    addressing,
    dialect: dialectOf(name),
    seats: plainSeats(CLIENTS, 'peer', []),
    publish: peerPlan(
      options[addressing].sample,
      addressing === 'one' ? CLIENTS : null,
      dialectOf(name),
    ),
  });
}

for (const transport of ['poll', 'push', 'stream'] as const) {
  for (const name of peersOver(transport)) {
    const addressing = transport === 'push' ? 'one' : 'all';
    void t.test(`${name} does the same work: ${transport} to ${addressing}`, async (t) => {
      const outcome = await peerCase(name, transport, addressing);
      if (outcome === null) return t.pass('not installed here');
      t.equal(outcome.figures?.operations, addressing === 'one' ? EVENTS : CLIENTS * EVENTS);
    });
  }
}
