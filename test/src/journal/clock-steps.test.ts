import t from 'tap';
import { createSteadyClock } from '../../../actors/clock.js';
import { SimulatedClock } from '../../fixtures/simulated-clock.js';
import { HEARTBEAT_INTERVAL_MS } from '../../../actors/event-queue.js';
import { CoreNode } from '../../fixtures/core-node.js';

const HOUR_MS = 3_600_000;
const IDLE_MS = 600_000;

for (const [step, ms] of [
  ['back', -HOUR_MS],
  ['forward', HOUR_MS],
] as const) {
  void t.test(`the clock is set ${step} an hour: heartbeats and expiry go on`, async (t) => {
    const node = await CoreNode.start();
    const polled = await node.register(1, {}, IDLE_MS);
    const idle = await node.register(1, {}, IDLE_MS);
    const witness = node.attach(polled);
    node.clock.advance(10_000);
    node.clock.jumpTo(node.clock.now() + ms);
    node.clock.advance(HEARTBEAT_INTERVAL_MS - 11_000);
    t.same(witness.heard, [], 'not before its time');
    node.clock.advance(2000);
    await node.journal.barrier();
    await new Promise((done) => setImmediate(done));
    t.equal(witness.heard.length, 1, 'a heartbeat in time');
    t.match(witness.heard[0], /"type":"heartbeat"/);
    t.notOk(idle.hasEnded);
    node.clock.advance(IDLE_MS);
    t.ok(idle.hasEnded, 'an idle queue expires in time');
  });
}

void t.test(
  'a queue is shown with its deadline by the wall clock, in whole milliseconds',
  async (t) => {
    const node = await CoreNode.start();
    node.clock.advance(0.4296875);
    const wall = node.clock.now() + HOUR_MS;
    node.clock.jumpTo(wall);
    const queue = await node.register(1, {}, IDLE_MS);
    const { value, context } = node.queues.shown(queue);
    t.equal(value, 'live');
    t.equal(context.deadline, Math.floor(wall) + IDLE_MS);
  },
);

void t.test('the steady clock counts on from the wall clock at its making', async (t) => {
  let wall = 1_800_000_000_000;
  let elapsed = 5000;
  const steady = createSteadyClock(
    new SimulatedClock(),
    () => wall,
    () => elapsed,
  );
  t.equal(steady.now(), wall);
  elapsed += 250;
  wall -= HOUR_MS;
  t.equal(steady.now(), 1_800_000_000_250);
});
