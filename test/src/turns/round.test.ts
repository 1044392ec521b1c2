import t from 'tap';
import { EventLoopYield, inStretches } from '../../../src/turns/event-loop-yield.js';
import { atEndOfRound, inNextRound } from '../../../src/turns/next-round.js';
import { Round, round, ROUND_MS } from '../../../src/turns/round.js';
import { clock, longestRound, useClockOfWork, work } from './clock-of-work.js';

/** Delivers for so many milliseconds, as a late fan-out does: within the share of each round. */
function delivers(ms: number): Promise<void> {
  return new Promise((resolve) => {
    let left = ms;
    const turn = (): void => {
      const end = clock.now + round.share(28);
      do {
        work(1);
        left -= 1;
      } while (left > 0 && clock.now < end);
      if (left > 0) round.schedule('delivery', turn);
      else resolve();
    };
    round.schedule('delivery', turn);
  });
}

function writes(count: number, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    for (let i = 0; i < count; i++) {
      inNextRound(() => {
        work(ms);
        atEndOfRound(() => (left -= 1) === 0 && resolve());
      }, i);
    }
  });
}

async function follows(entries: number): Promise<void> {
  const pause = new EventLoopYield(true);
  for (let i = 0; i < entries; i++) {
    work(0.5);
    if (pause.isDue) await pause.take();
  }
}

void t.test('the dearest work of every kind at once keeps nobody waiting for 50 ms', async (t) => {
  useClockOfWork(t);
  const searches = [1, 2, 3].map((user) =>
    inStretches(
      Array.from({ length: 100 }, (_, i) => i),
      () => work(1),
      user,
    ),
  );
  const all = [writes(200, 2), delivers(300), follows(300), ...searches];
  const longest = await longestRound(Promise.all(all));
  t.ok(longest > ROUND_MS / 2, `${longest} ms: the kinds share a round`);
  t.ok(longest < 50, `${longest} ms`);
});

void t.test('each kind alone has what it takes of a round, and no more', async (t) => {
  useClockOfWork(t);
  t.equal(await longestRound(writes(30, 1)), 16, 'writes');
  t.equal(await longestRound(delivers(60)), 28, 'deliveries that are late');
  t.equal(await longestRound(follows(100)), 8, 'a stretch');
});

void t.test('work of a round comes by its kind: writes, deliveries, stretches', async (t) => {
  const own = new Round();
  const done: string[] = [];
  const over = new Promise<void>((resolve) => {
    own.schedule('stretches', () => {
      done.push('stretch');
      resolve();
    });
  });
  own.schedule('delivery', () => done.push('delivery'));
  own.schedule('writes', () => {
    done.push('write');
    own.schedule('writes', () => done.push('write of the next round'));
  });
  t.same(done, [], 'never at once');
  await over;
  t.same(done, ['write', 'delivery', 'stretch']);
  await new Promise(setImmediate);
  t.same(done.slice(3), ['write of the next round']);
});

void t.test(
  'a share is the smaller, the more kinds are to come and the longer the round goes on',
  async (t) => {
    let time = 100;
    const own = new Round(() => time);
    const shares: number[] = [];
    const over = new Promise<void>((resolve) => {
      own.schedule('writes', () => {
        shares.push(own.share(100));
        time += 20;
      });
      own.schedule('delivery', () => {
        shares.push(own.share(100));
        time += 10;
      });
      own.schedule('stretches', () => {
        shares.push(own.share(100));
        resolve();
      });
    });
    await over;
    // 32 less 4 for each kind that comes; then 12 less 4; then the least.
    t.same(shares, [24, 8, 4]);
  },
);

void t.test('what a round was overrun before it came to begins the next one', async (t) => {
  let time = 100;
  const own = new Round(() => time);
  const done: string[] = [];
  const takes = (name: string, ms: number) => () => {
    done.push(`${name} in ${own.number}`);
    time += ms;
  };
  own.schedule('writes', takes('a write of 31 ms', 31));
  own.schedule('delivery', takes('delivery', 1));
  own.schedule('stretches', takes('a stretch of 40 ms', 40));
  setImmediate(() => own.schedule('writes', takes('a write that came meanwhile', 1)));
  while (done.length < 4) await new Promise(setImmediate);
  t.same(done, [
    'a write of 31 ms in 0',
    'delivery in 1',
    'a stretch of 40 ms in 1',
    'a write that came meanwhile in 2',
  ]);
});

void t.test(
  'single pieces of every kind that take most of a round each have a round each',
  async (t) => {
    useClockOfWork(t);
    const parts = async (): Promise<void> => {
      const pause = new EventLoopYield();
      for (let i = 0; i < 5; i++) {
        await pause.take();
        work(31);
      }
    };
    t.equal(await longestRound(Promise.all([writes(5, 31), parts(), parts()])), 31);
    t.equal(await longestRound(writes(5, 10)), 10, 'nor do two writes that are too long together');
  },
);

void t.test('a round that was asked for begins anew when the event loop has gone on', async (t) => {
  let time = 100;
  const own = new Round(() => time);
  t.notOk(own.hasBegun);
  t.equal(own.beginning(1), 99);
  time = 110;
  t.equal(own.beginning(1), 99);
  const { number } = own;
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  t.notOk(own.hasBegun);
  t.equal(own.number, number + 1);
  t.equal(own.beginning(), 110);
});
