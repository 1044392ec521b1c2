import t, { type Test } from 'tap';
import { replacePlatform } from '../../../src/platform/bound.js';
import { monotonicTime } from '../../../src/platform/time.js';
import { setTimeout } from '../../../src/platform/timers.js';
import { Beat } from '../../../src/turns/beat.js';
import { VirtualPlatform } from '../../fixtures/virtual-platform.js';

function virtual(t: Test): VirtualPlatform {
  const platform = new VirtualPlatform(1, 0);
  t.teardown(replacePlatform(platform));
  return platform;
}

void t.test('beats that began at different times come together', async (t) => {
  const platform = virtual(t);
  const times: number[] = [];
  for (const [startMs, ms] of [
    [130, 1000],
    [420, 2000],
    [777, 1000],
    [901, 500],
  ] as const) {
    setTimeout(() => new Beat(ms, () => times.push(monotonicTime())).start(), startMs);
  }
  await platform.run(4400);
  t.same([...new Set(times)], [1000, 1500, 2000, 2500, 3000, 3500, 4000]);
  t.equal(times.filter((time) => time === 2000).length, 4, 'those of each period');
});

void t.test('a beat says how late it is, and those left out are not made up for', async (t) => {
  const platform = virtual(t);
  const beats: [at: number, late: number][] = [];
  const beat = new Beat(100, (late) => beats.push([monotonicTime(), late]));
  beat.start();
  setTimeout(() => platform.spend(420), 150);
  await platform.run(750);
  t.same(beats, [
    [100, 0],
    [570, 370],
    [700, 0],
  ]);
  beat.stop();
  await platform.run(1000);
  t.equal(beats.length, 3, 'none comes once it is stopped');
});
