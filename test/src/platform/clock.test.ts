import t from 'tap';
import { MAX_TIMER_MS } from '../../../actors/clock.js';
import { systemClock } from '../../../src/platform/clock.js';

void t.test('the system clock fires timers and deferred calls', async (t) => {
  const before = Date.now();
  await new Promise<void>((resolve) => systemClock.setTimer(1, resolve));
  await new Promise<void>((resolve) => systemClock.defer(resolve));
  t.ok(systemClock.now() >= before);
});

void t.test('a cancelled timer of the system clock does not fire', async (t) => {
  const fired: string[] = [];
  const cancelTimer = systemClock.setTimer(0, () => fired.push('timer'));
  const cancelDeferred = systemClock.defer(() => fired.push('deferred'));
  cancelTimer();
  cancelDeferred();
  await new Promise<void>((resolve) => systemClock.setTimer(2, resolve));
  t.same(fired, []);
});

void t.test(
  'the system clock refuses a delay that a Node timer would turn into 1 ms',
  async (t) => {
    t.throws(() => systemClock.setTimer(MAX_TIMER_MS + 1, () => {}), RangeError);
    t.throws(() => systemClock.setTimer(Number.NaN, () => {}), RangeError);
    systemClock.setTimer(MAX_TIMER_MS, () => {})();
  },
);
