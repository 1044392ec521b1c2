import t from 'tap';
import { CommitQueue, EarlierCommitError } from '../../../src/store/commit-queue.js';

/** A queue whose writes end when told, and the groups it wrote. */
function heldQueue() {
  const groups: (readonly number[])[] = [];
  const ends: ((error?: Error) => void)[] = [];
  let emptied = 0;
  const queue = new CommitQueue<number>(
    (group) => {
      groups.push(group);
      return new Promise<void>((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      });
    },
    () => emptied++,
  );
  const end = (error?: Error): void => ends.shift()?.(error);
  return { queue, groups, end, emptied: () => emptied };
}

/** Lets everything that follows from the last call happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

void t.test('what arrives during a write goes out together in the next', async (t) => {
  const { queue, groups, end } = heldQueue();
  const first = [queue.push(1, 1), queue.push(2, 1)];
  await settle();
  const second = [queue.push(3, 1), queue.push(4, 1), queue.push(5, 1)];
  await settle();
  t.same(groups, [[1, 2]], 'one write at a time');
  end();
  await Promise.all(first);
  await settle();
  t.same(groups, [
    [1, 2],
    [3, 4, 5],
  ]);
  let drained = false;
  const drain = queue.drain().then(() => (drained = true));
  await settle();
  t.notOk(drained);
  end();
  await Promise.all([...second, drain]);
  await queue.drain();
});

void t.test('groups are bounded by count and size', async (t) => {
  const { queue, groups, end } = heldQueue();
  const many = Array.from({ length: 1025 }, (_, i) => queue.push(i, 1));
  await settle();
  t.equal(groups[0]?.length, 1024);
  const large = [queue.push(1, 9_000_000), queue.push(2, 9_000_000)];
  end();
  await settle();
  end();
  await settle();
  end();
  await settle();
  t.same(groups.slice(1), [[1024], [1], [2]]);
  end();
  await Promise.all([...many, ...large]);
});

void t.test(
  'a failed write rejects all that wait, and the next commit starts afresh',
  async (t) => {
    const { queue, groups, end, emptied } = heldQueue();
    const failing = queue.push(1, 1);
    await settle();
    const behind = queue.push(2, 1);
    end(new Error('disk'));
    await t.rejects(failing, { message: 'disk' });
    await t.rejects(behind, EarlierCommitError);
    t.equal(emptied(), 1);
    const next = queue.push(3, 1);
    await settle();
    end();
    await next;
    t.same(groups, [[1], [3]]);
  },
);

void t.test('a refused commit lets those before it through and none behind it', async (t) => {
  const { queue, groups, end, emptied } = heldQueue();
  const before = [queue.push(1, 1), queue.push(2, 1)];
  const refused = t.rejects(queue.refuse(new Error('bad')), { message: 'bad' });
  const behind = t.rejects(queue.push(3, 1), EarlierCommitError);
  const again = t.rejects(queue.refuse(new Error('worse')), EarlierCommitError);
  await settle();
  end();
  await Promise.all([...before, refused, behind, again]);
  t.same(groups, [[1, 2]]);
  t.equal(emptied(), 1);
  const next = queue.push(4, 1);
  await settle();
  end();
  await next;
});

void t.test('refuses more than it will hold', async (t) => {
  const { queue, end } = heldQueue();
  const first = queue.push(0, 1);
  await settle();
  const waiting = Array.from({ length: 65_536 }, () => queue.push(1, 1));
  const over = [queue.push(2, 1), queue.push(3, 1)];
  end(new Error('disk'));
  const results = await Promise.allSettled([first, ...waiting, ...over]);
  const reasons = results.map((result) =>
    result.status === 'rejected' ? String(result.reason) : '',
  );
  t.same(reasons.at(-2), 'Error: More than 65536 commits are waiting');
  t.same(reasons.at(-1), 'EarlierCommitError: An earlier commit failed');
});
