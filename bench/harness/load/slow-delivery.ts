import { EventQueue } from '../../../src/journal/queues/event-queue.js';

/**
 * Loaded into the benched server with `--import` when PARLEY_BENCH_SLOW_US is set for the bench: every
 * delivery to a queue then burns that many microseconds. It exists to prove that `compare` notices.
 */

const microseconds = Number(process.env.PARLEY_BENCH_SLOW_US);
// oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
const { push } = EventQueue.prototype;

EventQueue.prototype.push = function slowPush(...parameters) {
  const until = performance.now() + microseconds / 1000;
  while (performance.now() < until);
  return push.apply(this, parameters);
};
