import t from 'tap';
import type { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';
import { newQueue } from '../../../fixtures/new-queue.js';

void t.test('a slowed server burns the time it was told at each delivery', async (t) => {
  const MICROSECONDS = 500;
  process.env.PARLEY_BENCH_SLOW_US = String(MICROSECONDS);
  await import('../../../../bench/harness/load/slow-delivery.js');
  const queue = newQueue({ filter: PLAIN_FILTER });
  const text = { id: 5, json: '{}', size: 2 } as Parameters<EventQueue['push']>[0];
  const began = performance.now();
  t.ok(queue.push(text, { maxEvents: 10, maxBytes: 100 }));
  t.ok(performance.now() - began >= MICROSECONDS / 1000);
  t.equal(queue.length, 1, 'and delivers as before');
});
