import t from 'tap';
import { FairLimiter } from '../../../src/turns/fair-limiter.js';

const REFUSED = { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Too many' };

/** Work that ends when it is told to, and what has begun. */
function setUp(limits: { concurrency?: number; maxWaiting?: number; maxWaitMs?: number } = {}) {
  const limiter = new FairLimiter(
    { concurrency: 1, maxWaiting: 4, maxWaitMs: 60_000, ...limits },
    'Too many',
  );
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (
    source: string,
    account = source,
    name = `${source} ${account}`,
    isKnown = false,
  ) => {
    const outcome = limiter.run({ source, account, isKnown }, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    outcome.catch(() => undefined);
    return outcome;
  };
  /** Ends what runs, until nothing does. */
  const finish = async () => {
    while (ends.length > 0) {
      ends.shift()!();
      await new Promise(setImmediate);
    }
  };
  return { ask, began, ends, finish };
}

void t.test('a source with many requests delays itself, not the others', async (t) => {
  const { ask, began, finish } = setUp({ maxWaiting: 10 });
  for (let i = 0; i < 5; i++) void ask('storm', `account ${i}`);
  void ask('honest');
  void ask('another');
  await finish();
  t.strictSame(began.slice(0, 3), ['storm account 0', 'honest honest', 'another another']);
  t.equal(began.length, 7, 'the storm is served too, afterwards');
});

void t.test('what a source had before counts, also where nobody of it waits', async (t) => {
  const { ask, began, finish } = setUp();
  for (let i = 0; i < 3; i++) {
    void ask('storm');
    await finish();
  }
  void ask('other');
  void ask('storm');
  void ask('honest');
  await finish();
  t.strictSame(began.slice(3), ['other other', 'honest honest', 'storm storm']);
});

void t.test('within one source, accounts have their turns in the same way', async (t) => {
  const { ask, began, finish } = setUp({ maxWaiting: 10 });
  for (let i = 0; i < 4; i++) void ask('proxy', 'guessed');
  void ask('proxy', 'honest');
  await finish();
  t.strictSame(began.slice(0, 2), ['proxy guessed', 'proxy honest']);
});

void t.test('where no more may wait, whoever would be last is refused', async (t) => {
  const { ask, began, finish } = setUp();
  const storm = Array.from({ length: 5 }, (_, i) => ask('storm', `account ${i}`));
  const refused = ask('storm', 'account 5');
  await t.rejects(refused, REFUSED, 'the newcomer of the same source');
  const honest = ask('honest');
  await t.rejects(storm[4]!, REFUSED, 'the last of the storm, for somebody else');
  await finish();
  await honest;
  await Promise.all(storm.slice(0, 4));
  t.equal(began.length, 5);
});

void t.test('so many sources that each has one place: those that had less go first', async (t) => {
  const { ask, began, finish } = setUp();
  for (let i = 0; i < 5; i++) void ask(`storm ${i}`);
  await finish();
  const storm = Array.from({ length: 5 }, (_, i) => ask(`storm ${i}`));
  const honest = ask('honest');
  await t.rejects(storm[4]!, REFUSED);
  await finish();
  await honest;
  t.strictSame(began.slice(5, 7), ['storm 0 storm 0', 'honest honest']);
});

void t.test('those who are known go first, and one of four turns is of the others', async (t) => {
  const { ask, began, finish } = setUp({ maxWaiting: 20 });
  void ask('first');
  for (let i = 0; i < 3; i++) void ask(`storm ${i}`, 'guessed', `storm ${i}`);
  for (let i = 0; i < 6; i++) void ask('home', `account ${i}`, `known ${i}`, true);
  await finish();
  t.strictSame(began.slice(1), [
    ...['known 0', 'known 1', 'known 2', 'storm 0', 'known 3', 'known 4', 'known 5', 'storm 1'],
    'storm 2',
  ]);
});

void t.test('a storm from very many sources takes no room of those who are known', async (t) => {
  const { ask, began, finish } = setUp({ maxWaiting: 8 });
  const storm = Array.from({ length: 9 }, (_, i) => ask(`storm ${i}`));
  // They had more lately than each of the storm.
  const home = Array.from({ length: 7 }, (_, i) => ask('home', 'a', `known ${i}`, true));
  await t.rejects(home[6]!, REFUSED, 'they have three quarters, and so the others have theirs');
  await Promise.allSettled(storm.slice(3));
  for (const one of storm.slice(3)) await t.rejects(one, REFUSED);
  await finish();
  await Promise.all([...home.slice(0, 6), ...storm.slice(0, 3)]);
  t.equal(began.length, 9);
});

void t.test('nobody waits longer than the bound; a failure frees its place', async (t) => {
  const { ask, ends, finish } = setUp({ maxWaitMs: 1 });
  const first = ask('a');
  const timers = setInterval(() => undefined, 50);
  await t.rejects(ask('b'), REFUSED);
  clearInterval(timers);
  ends.shift()!();
  await first;
  const limiter = new FairLimiter({ concurrency: 1, maxWaiting: 0, maxWaitMs: 1000 }, 'Too many');
  const key = { source: '', account: '' };
  await t.rejects(
    limiter.run(key, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  t.equal(await limiter.run(key, async () => 7), 7);
  await finish();
});
