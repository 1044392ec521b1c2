import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { snapshotTurns } from '../../../../../src/resources/queues/register/register.js';

void t.test('one snapshot in a round of the event loop, first come, first served', async (t) => {
  const turns = snapshotTurns();
  const served: number[] = [];
  const visit = (number: number): Promise<void> =>
    turns.take(() => {
      served.push(number);
      return Promise.resolve();
    });
  const visits = Array.from({ length: 2500 }, (_, number) => visit(number));
  await Promise.resolve();
  t.strictSame(served, [0], 'the others wait');
  let most = 0;
  while (served.length < 2500) {
    const before = served.length;
    await nextTurn();
    most = Math.max(most, served.length - before);
  }
  await Promise.all(visits);
  t.strictSame(
    served,
    Array.from({ length: 2500 }, (_, number) => number),
  );
  t.equal(most, 1);
  await nextTurn();
  await visit(-1);
  t.equal(served.at(-1), -1, 'nobody waits any more');
});

void t.test('too many that wait are refused', async (t) => {
  const turns = snapshotTurns();
  let leave = (): void => undefined;
  const first = turns.take(() => new Promise<void>((resolve) => (leave = resolve)));
  const waiting = Array.from({ length: 20_000 }, () => turns.take(() => Promise.resolve()));
  await t.rejects(
    turns.take(() => Promise.resolve()),
    { status: 503, message: 'Too many registrations at once' },
  );
  leave();
  await first;
  await waiting[0];
});
