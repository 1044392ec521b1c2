import t from 'tap';
import { FollowedJournal } from '../../../src/journal/followed-journal.js';

const at = (seq: number, slots = 0) => ({ seq, span: 1, slots });

void t.test('who waits for a position goes on when it is folded, in order', async (t) => {
  const journal = new FollowedJournal(at(10, 2));
  t.equal(journal.nextSeq, 11);
  t.equal(journal.reached(10), null, 'there already');
  const passed: number[] = [];
  const waits = [13, 11, 12].map((seq) => journal.reached(seq)!.then(() => passed.push(seq)));
  journal.advance(at(12));
  await Promise.all([waits[1], waits[2]]);
  t.same(passed, [11, 12], 'those that are reached');
  journal.advance(at(14));
  await waits[0];
  t.same(passed, [11, 12, 13]);
  t.same(journal.durableHead, at(14));
});

void t.test('a node that leads has everything', async (t) => {
  const journal = new FollowedJournal(at(1));
  const waiting = journal.reached(5);
  journal.end();
  await waiting;
  t.equal(journal.reached(9), null);
});

void t.test('who waits for what never comes is told so', async (t) => {
  const journal = new FollowedJournal(at(1));
  const waiting = journal.reached(2)!;
  journal.fail(new Error('The node stops'));
  await t.rejects(waiting, { message: 'The node stops' });
  await t.rejects(journal.reached(3)!, { message: 'The node stops' });
  t.equal(journal.reached(1), null, 'what is there is there');
});

void t.test('a position that clients name is waited for so long, and forgotten then', async (t) => {
  const journal = new FollowedJournal(at(1));
  t.equal(journal.reachedWithin(1, 0), null, 'there already');
  const [soon, late] = [journal.reachedWithin(2, 600_000), journal.reachedWithin(9e14, 1)];
  t.equal(await late, false);
  const { waiters } = journal as unknown as { waiters: { waiting: readonly unknown[] } };
  t.equal(waiters.waiting.length, 1, 'nothing is kept of it');
  journal.advance(at(2));
  t.equal(await soon, true);
  const vain = journal.reachedWithin(3, 600_000);
  journal.fail(new Error('The node stops'));
  t.equal(await vain, false, 'told, and not thrown, as nobody may listen yet');
  t.equal(await journal.reachedWithin(3, 600_000), false);
});

void t.test(
  'those who wait are told in the order of positions, whoever came or went before',
  async (t) => {
    const journal = new FollowedJournal(at(1));
    const told: string[] = [];
    const waits = (seq: number, name: string, ms = 600_000): Promise<number> =>
      journal.reachedWithin(seq, ms)!.then((inTime) => told.push(`${name} ${inTime}`));
    void waits(5, 'five');
    void waits(3, 'three');
    const goes = waits(5, 'five that goes', 1);
    void waits(4, 'four');
    void waits(5, 'five again');
    void waits(3, 'three again');
    await goes;
    journal.advance(at(4));
    await new Promise(setImmediate);
    t.strictSame(told, ['five that goes false', 'three true', 'three again true', 'four true']);
    journal.advance(at(9));
    await new Promise(setImmediate);
    t.strictSame(told.slice(4), ['five true', 'five again true']);
  },
);

void t.test('all that a node has followed is durable', async (t) => {
  const journal = new FollowedJournal(at(1));
  t.match(journal, { owes: false, pending: 0 });
  await journal.barrier();
});
