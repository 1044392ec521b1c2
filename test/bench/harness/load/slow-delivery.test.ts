import t from 'tap';
import { EventQueue } from '../../../../src/journal/queues/event-queue.js';

void t.test('a slowed server burns the time it was told at each delivery', async (t) => {
  const MICROSECONDS = 500;
  process.env.PARLEY_BENCH_SLOW_US = String(MICROSECONDS);
  await import('../../../../bench/harness/load/slow-delivery.js');
  const filter = {} as ConstructorParameters<typeof EventQueue>[2];
  const queue = new EventQueue('q', 1, filter, 0, 1000, { cursor: 0, now: 0, live: true });
  const text = { id: 5, json: '{}', size: 2 } as Parameters<EventQueue['push']>[0];
  const began = performance.now();
  t.ok(queue.push(text, { maxEvents: 10, maxBytes: 100 }));
  t.ok(performance.now() - began >= MICROSECONDS / 1000);
  t.equal(queue.length, 1, 'and delivers as before');
});
