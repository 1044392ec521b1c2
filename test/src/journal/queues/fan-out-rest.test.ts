import t from 'tap';
import { SharedEvent } from '../../../../src/journal/queues/delivery.js';
import { FanOut } from '../../../../src/journal/queues/fan-out.js';
import { replacePlatform } from '../../../../src/platform/bound.js';
import { monotonicTime } from '../../../../src/platform/time.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';
import { newQueue } from '../../../fixtures/new-queue.js';
import { VirtualPlatform } from '../../../fixtures/virtual-platform.js';

const LIMITS = { maxEvents: 10, maxBytes: 1_000_000 };

/** Makes events with these positions durable, a commit each. */
function say(fanOut: FanOut, ...seqs: number[]): void {
  for (const seq of seqs) {
    const event = { type: 'note', audience: { to: 'all' as const }, data: {}, slots: 1 };
    const shared = new SharedEvent(event, undefined, seq, seq, new Map());
    const membership = { wasSubscribed: () => false };
    fanOut.deliver({ shared, subscribers: null, membership });
    fanOut.wake();
  }
}

void t.test('events that come faster than they are sent are sent together', async (t) => {
  const platform = new VirtualPlatform(1, 0);
  t.teardown(replacePlatform(platform));
  const sent: [at: number, seqs: number[]][] = [];
  /** Queues whose consumers take so many milliseconds each; what the first one sent is recorded. */
  const fanOutTo = (count: number, ms: number): FanOut => {
    const fanOut = new FanOut(LIMITS, () => undefined, { clock: monotonicTime });
    for (let i = 0; i < count; i++) {
      const queueId = `${i}`;
      const queue = newQueue({
        queueId,
        userId: i,
        filter: PLAIN_FILTER,
        since: 0,
        idleTimeoutMs: 1,
      });
      fanOut.admit(queue);
      const wake = (): void => {
        platform.spend(ms);
        if (i === 0) sent.push([monotonicTime(), queue.pending().map(({ seq }) => seq)]);
        queue.acknowledge(queue.newestId);
      };
      const [heartbeat, end] = [() => undefined, () => undefined];
      queue.setConsumer({ kind: 'socket', deliveredAt: 0, wake, heartbeat, end });
    }
    return fanOut;
  };

  const three = fanOutTo(3, 1);
  say(three, 1);
  t.same(sent, [[1, [1]]], 'one that comes alone goes out at once');
  say(three, 2, 3);
  await platform.run(2.9);
  t.equal(sent.length, 1, 'consumers rest for as long as it took to wake them');
  await platform.run(10);
  t.same(sent.slice(1), [[7, [2, 3]]]);
  await platform.run(10);
  say(three, 4);
  t.equal(sent.length, 3, 'who has rested waits for nothing');
  t.equal(platform.waitingTimers, 0, 'and a rest in which nothing comes wakes no process');
  await platform.run(100);

  sent.length = 0;
  const many = fanOutTo(12, 1);
  const began = monotonicTime();
  say(many, 5, 6, 7);
  await platform.run(100);
  t.same(
    sent.map(([at, seqs]) => [at - began, seqs]),
    [
      [1, [5]],
      [12 + 5 + 1, [6, 7]],
    ],
    'five milliseconds at most',
  );

  sent.length = 0;
  say(fanOutTo(3, 0.25), 8, 9);
  t.same(
    sent.map(([, seqs]) => seqs),
    [[8], [9]],
    'few never wait',
  );
});
