import t from 'tap';
import { goalOf, judge, verdictText } from '../../../bench/drive/goals.js';
import { findLimit } from '../../../bench/drive/limit.js';
import { clientsOf, mixOf, stagesOf } from '../../../bench/drive/mix.js';
import { readOptions, UsageError } from '../../../bench/options.js';

/** What a load is asked for, and how it is judged. */

void t.test('a mix shares clients and rate; the shares of clients add up', async (t) => {
  const mix = mixOf('poll=1,socket=1,sse=1,write=3,typing=1');
  t.match(mix, { write: 0.75, typing: 0.25, presence: 0 });
  t.strictSame(clientsOf(mix, 10), { poll: 3, socket: 4, sse: 3 });
  t.throws(() => mixOf('pol=1'), /pol=1 is no share/);
  t.throws(() => mixOf('poll=1'), /requests nothing/);
});

void t.test('stages have a rate that stays or changes', async (t) => {
  t.strictSame(stagesOf('10s:0-100,2.5s:100'), [
    { seconds: 10, from: 0, to: 100 },
    { seconds: 2.5, from: 100, to: 100 },
  ]);
  t.throws(() => stagesOf('10:100'), /10:100 is no stage/);
});

void t.test('goals judge the worst part that they are about', async (t) => {
  const parts = {
    poll: { p99_ms: 12 },
    slow: { p99_ms: 2000 },
    write: { p99_ms: 30, errors_percent: 2 },
  };
  const verdict = (text: string) => verdictText(judge(goalOf(text), parts));
  t.equal(verdict('p99<20ms'), 'goal p99<20ms: NOT MET (write: 30)');
  t.equal(verdict('p99<0.1s'), 'goal p99<0.1s: met (write: 30)', 'the slow ones left out');
  t.equal(verdict('slow.p99<1s'), 'goal slow.p99<1s: NOT MET (slow: 2000)');
  t.equal(verdict('poll.errors<1%'), 'goal poll.errors<1%: NOT MET (nothing shows it)');
  for (const text of ['p99<fast', 'p98<1ms', 'errors<1ms', 'p99=1ms']) {
    t.throws(() => goalOf(text), /is no goal: one is p99<200ms/, text);
  }
});

void t.test('the limit is found within 4 %, whatever fails once', async (t) => {
  const tried: number[] = [];
  const limit = await findLimit(10, async (rate) => {
    const isFirst = !tried.includes(rate);
    tried.push(rate);
    return { isKept: rate <= 437 && !(isFirst && rate === 80), isAtEnd: false, seen: rate };
  });
  t.ok(limit!.rate <= 437 && limit!.rate > 437 / 1.04, `${limit!.rate} of 437`);
  t.equal(limit!.seen, limit!.rate);
  t.notOk(limit!.isGenerators);
  const none = await findLimit(10, async () => ({ isKept: false, isAtEnd: false, seen: 0 }));
  t.equal(none, null);
});

void t.test('a limit of the generators says so', async (t) => {
  const limit = await findLimit(10, async (rate) => ({
    isKept: true,
    isAtEnd: rate > 100,
    seen: rate,
  }));
  t.ok(limit!.isGenerators);
  t.ok(limit!.rate > 95 && limit!.rate <= 100, String(limit!.rate));
});

void t.test('a command line of drive is read, and what cannot be meant is refused', async (t) => {
  const line = 'drive --clients 7 --rate 30 --goal p99<1s --goal errors<1% --storm 2,4 --slow 10';
  t.match(readOptions(line.split(' ')), {
    command: 'drive',
    load: {
      clients: 7,
      pace: [{ seconds: 10, from: 30, to: 30 }],
      goals: [{ figure: 'p99_ms', bound: 1000 }, { figure: 'errors_percent' }],
      storms: [2, 4],
      slow: 0.1,
    },
  });
  for (const wrong of [
    'drive fast',
    'drive --mix poll=1',
    'drive --goal p99',
    'drive --stages 10s:1 --rate 5',
    'drive --accounts 5',
    'drive --worker http://h:1',
    'drive --worker ftp://h --token-file package.json',
    'worker',
    'worker --listen 9990 --token-file package.json',
  ]) {
    t.throws(() => readOptions(wrong.split(' ')), UsageError, wrong);
  }
});
