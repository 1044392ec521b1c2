import t from 'tap';
import { MAX_TIMER_MS } from '../../actors/clock.js';
import { SimulatedClock } from '../fixtures/simulated-clock.js';

void t.test('the simulated clock refuses what a Node timer would turn into 1 ms', async (t) => {
  const clock = new SimulatedClock();
  t.throws(() => clock.setTimer(MAX_TIMER_MS + 1, () => {}), RangeError);
  t.throws(() => clock.setTimer(Number.NaN, () => {}), RangeError);
  clock.setTimer(MAX_TIMER_MS, () => {})();
});

void t.test('a timer armed by a timer counts from its own due time', async (t) => {
  const clock = new SimulatedClock(1000);
  const seen: number[] = [];
  clock.setTimer(10, () => {
    seen.push(clock.now());
    clock.setTimer(10, () => seen.push(clock.now()));
  });
  clock.advance(20);
  t.same(seen, [1010, 1020]);
  t.equal(clock.now(), 1020);
  t.equal(clock.pending, 0);
});

void t.test(
  'simulated timers fire in the order of their times, then of their setting',
  async (t) => {
    const clock = new SimulatedClock();
    const seen: string[] = [];
    clock.setTimer(20, () => seen.push('late'));
    clock.setTimer(10, () => seen.push('first'));
    clock.setTimer(10, () => seen.push('second'));
    const cancel = clock.setTimer(10, () => seen.push('cancelled'));
    clock.defer(() => seen.push('deferred'));
    cancel();
    clock.advance(9);
    t.same(seen, ['deferred']);
    clock.advance(11);
    t.same(seen, ['deferred', 'first', 'second', 'late']);
  },
);

void t.test('a jump of the simulated wall clock leaves timers the time they had', async (t) => {
  const clock = new SimulatedClock(0);
  const seen: number[] = [];
  clock.setTimer(10, () => seen.push(clock.now()));
  clock.jumpTo(500);
  t.equal(clock.now(), 500);
  clock.advance(9);
  t.same(seen, []);
  clock.advance(1);
  t.same(seen, [510]);
});
