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
  const beats: Beat[] = [];
  for (const [startMs, ms] of [
    [130, 1000],
    [420, 2000],
    [777, 1000],
    [901, 500],
  ] as const) {
    const beat = new Beat(ms, () => times.push(monotonicTime()));
    beats.push(beat);
    setTimeout(() => beat.start(), startMs);
  }
  await platform.run(4400);
  t.same([...new Set(times)], [1000, 1500, 2000, 2500, 3000, 3500, 4000]);
  t.equal(times.filter((time) => time === 2000).length, 4, 'those of each period');
  for (const beat of beats) beat.stop();
});

void t.test('beats that come together wake the process once', async (t) => {
  const platform = virtual(t);
  const beats = [500, 1000, 1000, 2000].map((ms) => new Beat(ms, () => undefined));
  for (const beat of beats) beat.start();
  const { timers } = platform;
  const set = t.capture(timers, 'setTimeout', timers.setTimeout.bind(timers));
  await platform.run(4000);
  t.equal(set().length, 8, 'one timer for each half of a second');
  for (const beat of beats) beat.stop();
  await platform.run(4000);
  t.equal(set().length, 0, 'and none once they are stopped');
});

void t.test('a beat that another one stops or whose action fails', async (t) => {
  const platform = virtual(t);
  let came = 0;
  const second = new Beat(100, () => (came += 1));
  const first = new Beat(100, () => {
    second.stop();
    first.stop();
    throw new Error('a fault');
  });
  const third = new Beat(100, () => (came += 10));
  first.start();
  second.start();
  third.start();
  await t.rejects(platform.run(100), { message: 'a fault' });
  await platform.run(200);
  t.equal(came, 20, 'the stopped one does not come, the others go on with the next one');
  third.stop();
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
