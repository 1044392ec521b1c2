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
  const ask = (source: string, account = source, name = `${source} ${account}`) => {
    const outcome = limiter.run({ source, account }, async () => {
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
