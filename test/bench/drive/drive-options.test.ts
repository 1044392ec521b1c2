import { writeFileSync } from 'node:fs';
import t from 'tap';
import { goalOf, judge, verdictText } from '../../../bench/drive/goals.js';
import { findLimit, SearchTime } from '../../../bench/drive/limit.js';
import { stepSeconds } from '../../../bench/drive/limit-search.js';
import { clientsOf, mixOf, stagesOf } from '../../../bench/drive/mix.js';
import { intendedMs, steadyPace } from '../../../bench/exchange/pace.js';
import { Latencies } from '../../../bench/generators/latencies.js';
import { readOptions, UsageError } from '../../../bench/options.js';
import { testFolder } from '../../fixtures/test-folder.js';

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

/** A server that answers one request after another, so many a second: p99 of a rate in milliseconds. */
function queueP99(perSecond: number, rate: number, seconds: number): number {
  const latencies = Latencies.empty();
  const pace = steadyPace(rate);
  let freeAt = 0;
  for (let i = 0; i < rate * seconds; i++) {
    const intended = intendedMs(pace, i);
    freeAt = Math.max(freeAt, intended) + 1000 / perSecond;
    latencies.record(freeAt - intended);
  }
  return latencies.percentile(99);
}

interface Queue {
  readonly perSecond: number;
  /** The step whose outcome is turned round. */
  readonly noisy?: number;
  /** So many steps find code that is not compiled yet: the server is half as fast. */
  readonly cold?: number;
}

/** Looks for the limit of such a server. @returns it over the true one, and how many steps that took */
async function searched({ perSecond, noisy, cold = 0 }: Queue) {
  const goal = goalOf('p99<200ms');
  let steps = 0;
  const limit = await findLimit(20, async (rate, isCoarse) => {
    const isCold = steps < cold;
    const p99_ms = p99Of(isCold ? perSecond / 2 : perSecond, rate, isCoarse ? 2 : 5);
    const { isMet } = judge(goal, { write: { p99_ms } });
    return { isKept: steps++ === noisy ? !isMet : isMet, isAtEnd: false, seen: p99_ms };
  });
  // In five seconds a queue that is asked for so much too much has grown to the goal.
  const over = limit!.rate / (perSecond * (1 + 0.2 / (5 * 0.99)));
  return { over, steps, limit: limit! };
}

const known = new Map<string, number>();
function p99Of(...of: [number, number, number]): number {
  const key = of.join();
  const p99 = known.get(key) ?? queueP99(...of);
  known.set(key, p99);
  return p99;
}

void t.test(
  'the limit of a known server is found within 5 %, whichever step is noisy',
  async (t) => {
    for (const perSecond of [37, 437, 3100]) {
      const quiet = await searched({ perSecond });
      t.ok(quiet.steps < 30, `${quiet.steps} steps`);
      t.equal(quiet.limit.seen.length, 2, 'confirmed');
      t.ok(quiet.limit.failed! / quiet.limit.rate <= 1.041, 'and so is what is not kept');
      for (let noisy = -1; noisy < quiet.steps + 5; noisy++) {
        const { over } = await searched({ perSecond, noisy });
        const seen = `${perSecond} a second, step ${noisy}: ${over.toFixed(3)} of the limit`;
        t.ok(over > 0.95 && over <= 1.001, seen);
      }
    }
  },
);

void t.test('a server that was cold during the ramp is found as fast as it is', async (t) => {
  for (const cold of [5, 10, 15]) {
    const { over, limit } = await searched({ perSecond: 700, cold });
    t.ok(over > 0.95 && over <= 1.001, `${cold} cold steps: ${limit.rate}`);
  }
});

void t.test('no limit where the first rate is not kept; and all rates may be kept', async (t) => {
  const always = (isKept: boolean) =>
    findLimit(10, async () => ({ isKept, isAtEnd: false, seen: 0 }));
  t.equal(await always(false), null);
  t.match(await always(true), { failed: null, isGenerators: false });
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

void t.test('a search ends within its time, with the best that it knows', async (t) => {
  const ended = async (seconds: number) => {
    let now = 5000;
    const time = new SearchTime(seconds, () => now);
    const limit = await findLimit(10, async (rate, isCoarse) => {
      const takes = isCoarse ? 2 : 10;
      time.take(takes);
      now += takes * 1000;
      return { isKept: rate <= 700, isAtEnd: false, seen: rate };
    });
    t.ok(time.passed <= seconds, `${time.passed} of ${seconds} s`);
    return limit;
  };
  t.equal(await ended(1), null, 'no try had room');
  t.match(await ended(9), { rate: 80, failed: null, isUnfinished: true });
  t.match(await ended(60), { rate: 640, failed: 761, tries: 1, isUnfinished: true });
  const whole = await ended(600);
  t.equal(whole?.isUnfinished, false);
  t.ok(whole!.rate > 670 && whole!.rate <= 700, String(whole!.rate));
  const line = 'drive --find-limit p99<200ms --within 3';
  t.match(readOptions(line.split(' ')), { load: { within: 180 } });
});

void t.test('a rate is driven until its rarest requests have a 99th percentile', async (t) => {
  const mix = mixOf('poll=1,write=8,typing=1,presence=1');
  t.equal(stepSeconds(1100, mix, 5), 5);
  t.equal(stepSeconds(100, mix, 5), 20, '200 of 10 a second');
  t.equal(stepSeconds(20, mix, 5), 30, 'and no longer than that');
  t.equal(stepSeconds(20, mix, 60), 60, 'but as long as was asked for');
});

void t.test('a load is read from a file, and what the command line says counts', async (t) => {
  const file = `${testFolder(t)}/load.json`;
  const write = (load: unknown): void => writeFileSync(file, JSON.stringify(load));
  const read = (more = '') => readOptions(`drive --load ${file}${more}`.split(' '));
  write({ clients: 7, stages: '1s:5-20', goal: ['p99<1s', 'errors<1%'], slow: '10' });
  t.match(read(), {
    load: {
      clients: 7,
      pace: [{ seconds: 1, from: 5, to: 20 }],
      goals: [{ figure: 'p99_ms', bound: 1000 }, { figure: 'errors_percent' }],
      slow: 0.1,
    },
  });
  t.match(read(' --clients 9 --goal max<2s'), {
    load: { clients: 9, goals: [{ figure: 'max_ms' }] },
  });
  const refusal = (load: unknown): string => {
    write(load);
    try {
      read();
      return '';
    } catch (error) {
      t.type(error, UsageError);
      return (error as Error).message.split('\n')[0]!.replace(file, 'load.json');
    }
  };
  t.equal(refusal({ client: 7 }), 'load.json: no load has client; did you mean clients?');
  t.equal(refusal({ clients: [7] }), 'load.json: clients is text or a number');
  t.equal(refusal({ goal: [{}] }), 'load.json: goal is text or a number, or a list of them');
  t.equal(refusal([]), 'load.json: flags by name are expected, such as {"clients": 50}');
  t.equal(refusal({ goal: 'p99' }).startsWith('p99 is no goal'), true);
  t.match(refusal('{'), /^load.json: flags by name/);
  t.throws(() => readOptions(['drive', '--load', '/no/such/file']), /\/no\/such\/file: ENOENT/);
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
