import t from 'tap';
import { machineNow } from '../../../bench/clock.js';
import type { RoundReport, Transport } from '../../../bench/exchange/jobs.js';
import { everyMs } from '../../../bench/exchange/pace.js';
import { Consumers } from '../../../bench/generators/consumers.js';
import { markDigits, markOf, messageContent } from '../../../bench/exchange/sample.js';
import { IncorrectRun, verify } from '../../../bench/harness/measuring/measure.js';
import {
  startPollServer,
  startPushServer,
  startReplyServer,
  startStreamServer,
  type Misbehaviour,
  type ToyServer,
} from './toy-servers.js';

const COUNT = 5;
/** All but the last delivery arrive in this time also where other programs have the processors. */
const GRACE_MS = 1000;

async function receive(server: ToyServer, transport: Transport, graceMs: number) {
  const seat = { authorization: 'Basic eA==', queueId: 'q', lastEventId: 0 };
  const consumers = new Consumers({
    role: 'consume',
    server: server.address,
    transport,
    dialect: 'parley',
    addressing: 'all',
    seats: [seat, seat],
    offset: 0,
    total: 2,
  });
  try {
    await consumers.prepare();
    const running = consumers.run({
      kind: 'open',
      first: 0,
      count: COUNT,
      startAt: machineNow(),
      pace: everyMs(0),
      graceMs,
    });
    server.release();
    return await running;
  } finally {
    consumers.close();
    await server.close();
  }
}

const START = { poll: startPollServer, push: startPushServer, stream: startStreamServer };

async function run(transport: Transport, misbehaviour: Misbehaviour): Promise<RoundReport> {
  return receive(await START[transport](COUNT, misbehaviour), transport, 10_000);
}

for (const transport of ['poll', 'push', 'stream'] as const) {
  void t.test(`${transport}: a correct server passes, every delivery counted`, async (t) => {
    const report = await run(transport, 'none');
    verify([report]);
    t.equal(report.operations, 2 * COUNT);
    t.ok(report.bytes > 0);
  });

  void t.test(`${transport}: a server that drops a delivery fails the run`, async (t) => {
    const report = await run(transport, 'drops');
    t.equal(report.lost, 2, 'one for each client');
    t.throws(() => verify([report]), IncorrectRun);
  });

  void t.test(`${transport}: a server that repeats a delivery fails the run`, async (t) => {
    const report = await run(transport, 'repeats');
    t.equal(report.repeated, 2);
    t.throws(() => verify([report]), IncorrectRun);
  });

  void t.test(`${transport}: a server that changes the order fails the run`, async (t) => {
    const report = await run(transport, 'swaps');
    t.throws(() => verify([report]), IncorrectRun);
  });
}

void t.test('the last delivery missing fails the run when its time is over', async (t) => {
  const report = await receive(await startPollServer(COUNT - 1, 'none'), 'poll', GRACE_MS);
  t.equal(report.lost, 2);
  t.throws(() => verify([report]), IncorrectRun);
});

void t.test('clients that cannot attach stop the run', async (t) => {
  const server = await startReplyServer(async () => ({ status: 401, body: '{}' }));
  await t.rejects(receive(server, 'push', 50), /upgrade was refused: HTTP\/1\.1 401/);
});

void t.test('a message has its number, beyond a million, too', async (t) => {
  for (const mark of [0, 999_999, 1_000_000, 12_345_678]) {
    const content = messageContent(markDigits(mark));
    t.equal(markOf({ type: 'message', message: { content } }), mark);
  }
});
