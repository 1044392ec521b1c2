import t from 'tap';
import { accountOf, type Account } from '../../../src/turns/fair-queue.js';
import { atEndOfRound, inNextRound } from '../../../src/turns/next-round.js';

void t.test(
  'work at the end of a round comes after all of the round, and before the next',
  async (t) => {
    const done: string[] = [];
    const over = new Promise<void>((resolve) => {
      inNextRound(() => {
        done.push('first');
        setImmediate(() => {
          done.push('next round');
          resolve();
        });
        atEndOfRound(() => {
          done.push('end');
          atEndOfRound(() => done.push('after the end'));
        });
      });
      inNextRound(() => done.push('second'));
    });
    atEndOfRound(() => done.push('outside'));
    t.same(done, [], 'never at once');
    await over;
    t.same(done, ['first', 'second', 'end', 'outside', 'next round']);
    await new Promise(setImmediate);
    t.same(done.slice(5), ['after the end'], 'what comes at the end is not part of it');
  },
);

void t.test('the end of a round comes although its work throws', async (t) => {
  const done: string[] = [];
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  inNextRound(() => {
    atEndOfRound(() => done.push('end'));
    throw new Error('that must not be');
  });
  t.match(await thrown, { message: 'that must not be' });
  t.same(done, ['end']);
  atEndOfRound(() => done.push('later'));
  t.same(done, ['end'], 'outside again');
});

/** Work that takes six milliseconds of a round, and says its name. */
function long(done: string[], name: string): () => void {
  return () => {
    done.push(name);
    const end = performance.now() + 6;
    while (performance.now() < end);
  };
}

void t.test('work that is too long for a round is divided; accounts take turns', async (t) => {
  const done: string[] = [];
  const mine = Array.from({ length: 12 }, (_, i) => `mine ${i}`);
  for (const name of mine) inNextRound(long(done, name), 1);
  await new Promise(setImmediate);
  const first = done.length;
  t.ok(first >= 1 && first <= 3, `${first} in the first round`);
  inNextRound(long(done, 'yours 0'), 2);
  inNextRound(long(done, 'yours 1'), 2);
  inNextRound(long(done, 'of nobody'));
  while (done.length < mine.length + 3) await new Promise(setImmediate);
  t.same(
    done.filter((name) => name.startsWith('mine')),
    mine,
    'of one account in order',
  );
  const others = done.filter((name) => !name.startsWith('mine'));
  t.same(others, ['yours 0', 'of nobody', 'yours 1']);
  t.equal(done.indexOf('yours 0'), first, 'before another one of who was first');
  t.ok(done.indexOf('yours 1') < mine.length, 'not after all of them');
});

void t.test('work behind one that throws is not lost', async (t) => {
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  inNextRound(() => {
    throw new Error('that must not be');
  });
  const next = new Promise((resolve) => inNextRound(() => resolve('done')));
  t.match(await thrown, { message: 'that must not be' });
  t.equal(await next, 'done');
});

void t.test('two organizations take turns, however many accounts one of them has', async (t) => {
  const done: string[] = [];
  const add = (name: string, account: Account): void => inNextRound(long(done, name), account);
  for (let user = 1; user <= 12; user++) add(`many ${user}`, accountOf(1, user));
  await new Promise(setImmediate);
  const begun = done.length;
  for (let i = 0; i < 3; i++) add(`few ${i}`, accountOf(2, 1));
  while (done.length < 15) await new Promise(setImmediate);
  const turns = done.slice(begun, begun + 6).map((name) => name.split(' ')[0]);
  t.same(turns, ['few', 'many', 'few', 'many', 'few', 'many']);
});
