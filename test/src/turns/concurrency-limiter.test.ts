import t from 'tap';
import { ConcurrencyLimiter } from '../../../src/turns/concurrency-limiter.js';

void t.test('so many at once, so many wait, in order; one more is refused', async (t) => {
  const turns = new ConcurrencyLimiter(2, 2, 'Too many');
  const began: number[] = [];
  const ends: (() => void)[] = [];
  const work = (number: number) =>
    turns.take(async () => {
      began.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      return number;
    });
  const first = work(1);
  const failing = turns.take(async () => {
    began.push(2);
    await new Promise<void>((resolve) => ends.push(resolve));
    throw new Error('no');
  });
  const third = work(3);
  const fourth = work(4);
  await t.rejects(work(5), { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Too many' });
  t.strictSame(began, [1, 2]);
  ends[1]!();
  await t.rejects(failing, { message: 'no' });
  t.strictSame(began, [1, 2, 3], 'also after a failure the next has its turn');
  ends[0]!();
  t.equal(await first, 1);
  t.strictSame(began, [1, 2, 3, 4]);
  ends[2]!();
  ends[3]!();
  t.strictSame(await Promise.all([third, fourth]), [3, 4]);
  const later = work(6);
  ends[4]!();
  t.equal(await later, 6);
});

void t.test('accounts take turns', async (t) => {
  const turns = new ConcurrencyLimiter(1, 10, 'Too many');
  const began: string[] = [];
  const work = (name: string, account: number) =>
    turns.take(async () => void began.push(name), account);
  await Promise.all([...['a1', 'a2', 'a3', 'a4'].map((name) => work(name, 1)), work('b1', 2)]);
  t.same(began, ['a1', 'a2', 'b1', 'a3', 'a4']);
});
