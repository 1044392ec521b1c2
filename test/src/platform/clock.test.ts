import t from 'tap';
import { MAX_TIMER_MS } from '../../../actors/clock.js';
import { replacePlatform } from '../../../src/platform/bound.js';
import { Elapsed, systemClock } from '../../../src/platform/clock.js';
import { nodePlatform } from '../../../src/platform/node-platform.js';

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

void t.test('the time that went by is that of the clock which is further ahead', (t) => {
  const times = { monotonic: 0, wall: 0 };
  const time = {
    ...nodePlatform.time,
    monotonicTime: () => times.monotonic,
    wallTime: () => times.wall,
  };
  t.teardown(replacePlatform({ ...nodePlatform, time }));
  const elapsed = new Elapsed();
  times.monotonic = times.wall = 1000;
  t.equal(elapsed.ms, 1000);
  times.wall = 61_000;
  t.equal(elapsed.ms, 61_000, 'the machine slept');
  times.wall = -3_600_000;
  t.equal(elapsed.ms, 1000, 'the wall clock was set back');
  t.end();
});
