import t from 'tap';
import { nextRound, SnapshotGate } from '../../../../src/resources/register/snapshot-gate.js';

void t.test('one snapshot in a round of the event loop, first come, first served', async (t) => {
  const gate = new SnapshotGate();
  const served: number[] = [];
  const visit = async (number: number): Promise<void> => {
    await gate.enter();
    served.push(number);
    gate.leave();
  };
  const visits = Array.from({ length: 2500 }, (_, number) => visit(number));
  await Promise.resolve();
  t.strictSame(served, [0], 'the others wait');
  let most = 0;
  while (served.length < 2500) {
    const before = served.length;
    await nextRound();
    most = Math.max(most, served.length - before);
  }
  await Promise.all(visits);
  t.strictSame(
    served,
    Array.from({ length: 2500 }, (_, number) => number),
  );
  t.equal(most, 1);
  await nextRound();
  await visit(-1);
  t.equal(served.at(-1), -1, 'nobody waits any more');
});

void t.test('too many that wait are refused', async (t) => {
  const gate = new SnapshotGate();
  await gate.enter();
  const waiting = Array.from({ length: 20_000 }, () => gate.enter());
  await t.rejects(gate.enter(), { status: 503, message: 'Too many registrations at once' });
  gate.leave();
  await waiting[0];
});
