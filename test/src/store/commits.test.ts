import fc from 'fast-check';
import t from 'tap';
import {
  compareIds,
  isStorableId,
  numericId,
  CommitQueue,
  EarlierCommitError,
} from '../../../src/store/commits.js';

void t.test('an id is numeric exactly when it is how its number is written', async () => {
  const id = fc.oneof(
    fc.maxSafeNat().map(String),
    fc.stringMatching(/^[0-9]{0,18}$/),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(id, (id) => {
      const number = Number(id);
      const canonical = Number.isSafeInteger(number) && number >= 0 && String(number) === id;
      return numericId(id) === (canonical ? number : -1);
    }),
  );
});

void t.test('ids have one order', async (t) => {
  t.same(['10', 'b', '2', '', '02', 'a'].sort(compareIds), ['2', '10', '', '02', 'a', 'b']);
  t.ok(compareIds('\uffff', '\u{10000}') < 0, 'by code point, not by UTF-16 unit');
});

void t.test('an id is well-formed and at most 1024 bytes', async (t) => {
  t.ok(isStorableId('é'.repeat(512)));
  t.notOk(isStorableId('é'.repeat(513)));
  t.ok(isStorableId('x'.repeat(1024)));
  t.ok(isStorableId('\u{1f600}'));
  t.notOk(isStorableId('\ude00\ud83d'));
});

/** A queue whose writes end when told, and what it wrote. */
function heldQueue() {
  const written: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  let emptied = 0;
  const queue = new CommitQueue<number>(
    (item) => {
      written.push(item);
      return new Promise<void>((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      });
    },
    () => emptied++,
  );
  const end = (error?: Error): void => ends.shift()?.(error);
  return { queue, written, end, emptied: () => emptied };
}

/** Lets everything that follows from the last call happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

void t.test(
  'commits are written one at a time, in the order in which they were given',
  async (t) => {
    const { queue, written, end } = heldQueue();
    const commits = [queue.push(1), queue.push(2)];
    await settle();
    commits.push(queue.push(3));
    await settle();
    t.same(written, [1], 'one write at a time');
    end();
    await commits[0];
    await settle();
    t.same(written, [1, 2]);
    let drained = false;
    const drain = queue.drain().then(() => (drained = true));
    end();
    await commits[1];
    await settle();
    t.same(written, [1, 2, 3]);
    t.notOk(drained);
    end();
    await Promise.all([...commits, drain]);
    await queue.drain();
  },
);

void t.test(
  'a failed write rejects all that wait, and the next commit starts afresh',
  async (t) => {
    const { queue, written, end, emptied } = heldQueue();
    const failing = queue.push(1);
    await settle();
    const behind = queue.push(2);
    end(new Error('disk'));
    await t.rejects(failing, { message: 'disk' });
    await t.rejects(behind, EarlierCommitError);
    t.equal(emptied(), 1);
    const next = queue.push(3);
    await settle();
    end();
    await next;
    t.same(written, [1, 3]);
  },
);

void t.test('a refused commit lets those before it through and none behind it', async (t) => {
  const { queue, written, end, emptied } = heldQueue();
  const before = [queue.push(1), queue.push(2)];
  const refused = t.rejects(queue.refuse(new Error('bad')), { message: 'bad' });
  const behind = t.rejects(queue.push(3), EarlierCommitError);
  const again = t.rejects(queue.refuse(new Error('worse')), EarlierCommitError);
  await settle();
  end();
  await settle();
  end();
  await Promise.all([...before, refused, behind, again]);
  t.same(written, [1, 2]);
  t.equal(emptied(), 1);
  const next = queue.push(4);
  await settle();
  end();
  await next;
});

void t.test('refuses more than it will hold', async (t) => {
  const { queue, end } = heldQueue();
  const first = queue.push(0);
  await settle();
  const waiting = Array.from({ length: 65_536 }, () => queue.push(1));
  const over = [queue.push(2), queue.push(3)];
  end(new Error('disk'));
  const results = await Promise.allSettled([first, ...waiting, ...over]);
  const reasons = results.map((result) =>
    result.status === 'rejected' ? String(result.reason) : '',
  );
  t.same(reasons.at(-2), 'Error: More than 65536 commits are waiting');
  t.same(reasons.at(-1), 'EarlierCommitError: An earlier commit failed');
});
