import t from 'tap';
import {
  EventLoopYield,
  inStretches,
  mapInStretches,
  STRETCH_MS,
} from '../../../src/turns/event-loop-yield.js';
import { useClockOfWork, work } from './clock-of-work.js';

/** The most pieces of work done between two rounds of the event loop, until all tasks are done. */
async function mostInARound(
  done: readonly unknown[],
  ...tasks: Promise<unknown>[]
): Promise<number> {
  let [most, last, ended] = [done.length, done.length, false];
  const round = (): void => {
    most = Math.max(most, done.length - last);
    last = done.length;
    if (!ended) setImmediate(round);
  };
  setImmediate(round);
  await Promise.all(tasks);
  ended = true;
  return most;
}

void t.test('long work leaves rounds of the event loop to others', async (t) => {
  useClockOfWork(t);
  const items = Array.from({ length: 60 }, (_, i) => i);
  const done: number[] = [];
  const most = await mostInARound(
    done,
    inStretches(items, (item) => {
      work(1);
      done.push(item);
    }),
  );
  t.same(done, items, 'all of it, in order');
  t.equal(most, STRETCH_MS);
});

void t.test('several long works share one stretch a round', async (t) => {
  useClockOfWork(t);
  const items = Array.from({ length: 30 }, (_, i) => i);
  const done: number[] = [];
  const works = Array.from({ length: 10 }, () =>
    mapInStretches(items, (item) => {
      work(1);
      done.push(item);
      return 2 * item;
    }),
  );
  const most = await mostInARound(done, ...works);
  // Ten stretches would be 80. At the beginning each does one piece before it looks at the clock.
  t.ok(most < STRETCH_MS + works.length, `${most} in a round`);
  const doubled = items.map((item) => 2 * item);
  for (const made of await Promise.all(works)) t.same(made, doubled);
});

void t.test('a stretch begins anew when the event loop has gone on', async (t) => {
  useClockOfWork(t);
  const pause = new EventLoopYield();
  t.notOk(pause.isDue);
  work(1);
  t.notOk(pause.isDue, 'the round counts from here on, and one millisecond before');
  work(STRETCH_MS - 1);
  t.ok(pause.isDue);
  await pause.take();
  t.notOk(pause.isDue);
  work(STRETCH_MS);
  t.ok(new EventLoopYield().isDue, 'what begins now shares the round');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  t.notOk(new EventLoopYield().isDue);
});

void t.test('long works of several users take turns', async (t) => {
  useClockOfWork(t);
  const done: string[] = [];
  const search = (name: string, account: number): Promise<void> =>
    inStretches(
      [1, 2, 3],
      (part) => {
        work(STRETCH_MS);
        done.push(`${name} ${part}`);
      },
      account,
    );
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => search(name, 1));
  all.push(search('other', 2));
  await Promise.all(all);
  const other = done.filter((name) => name.startsWith('other'));
  t.same(other, ['other 1', 'other 2', 'other 3']);
  t.ok(done.indexOf('other 3') <= 10, `not behind all of one user: ${done.join(', ')}`);
});
