import { setImmediate as round } from 'node:timers/promises';
import t from 'tap';
import { HeldReplies } from '../../../../src/http/limits/held-replies.js';
import { ReplyTurns } from '../../../../src/http/limits/reply-turns.js';

/** Turns of which some are taken at once, and the names of those that have begun. */
function turns(concurrency: number, held = new HeldReplies()) {
  const all = new ReplyTurns(held, { concurrency, maxWaiting: 3, maxWaitMs: 60_000 });
  const begun: string[] = [];
  const ask = (source: string, name = source) => {
    const turn = all.of(source);
    const began = turn.begin().then(() => void begun.push(name));
    began.catch(() => undefined);
    return { ...turn, began };
  };
  return { ask, begun };
}

void t.test('a few large replies are made at once, the others when one is made', async (t) => {
  const { ask, begun } = turns(2);
  const [a, b, c] = [ask('a'), ask('b'), ask('c')];
  await Promise.all([a.began, b.began]);
  await round();
  t.same(begun, ['a', 'b']);
  b.end();
  b.end();
  await c.began;
  t.same(begun, ['a', 'b', 'c']);
});

void t.test('who has had the fewest is next, and the last in turn is refused', async (t) => {
  const { ask, begun } = turns(1);
  const first = ask('greedy', 'greedy 1');
  await first.began;
  const second = ask('greedy', 'greedy 2');
  const third = ask('greedy', 'greedy 3');
  const fourth = ask('greedy', 'greedy 4');
  await round();
  const modest = ask('modest');
  await t.rejects(fourth.began, {
    status: 503,
    code: 'SERVICE_UNAVAILABLE',
    message: 'Too many large replies are being made',
  });
  first.end();
  await modest.began;
  modest.end();
  await second.began;
  second.end();
  await third.began;
  t.same(begun, ['greedy 1', 'modest', 'greedy 2', 'greedy 3']);
});

void t.test('a source that does not read what it has gets no turn, and keeps none', async (t) => {
  const held = new HeldReplies(1000, 100);
  const { ask, begun } = turns(1, held);
  const unread = held.hold(100, 'deaf', () => undefined);
  const deaf = ask('deaf');
  const other = ask('other');
  await other.began;
  t.same(begun, ['other']);
  other.end();
  unread.ended();
  await deaf.began;
  t.same(begun, ['other', 'deaf']);
});

void t.test('a request that ended while it waited gives its turn to the next one', async (t) => {
  const { ask, begun } = turns(1);
  const first = ask('a');
  await first.began;
  const gone = ask('b');
  const next = ask('c');
  gone.end();
  first.end();
  await next.began;
  t.same(begun.includes('c'), true);
});
