import t from 'tap';
import { serviceUnavailable } from '../../../../src/errors/index.js';
import type { NodeMessage } from '../../../../src/http/forwarding/node-message.js';
import { QueuedRequest, RequestQueue } from '../../../../src/http/forwarding/request-queue.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue at a clock that a test moves, and what has become of its requests, by the names that they were given. */
function queueOf() {
  const told: string[] = [];
  const clock = { now: 0 };
  const queue = new RequestQueue({
    now: () => clock.now,
    waitMs: 1000,
    expired: () => serviceUnavailable('it took too long'),
  });
  const named = new Map<QueuedRequest, string>();
  const request = (name: string, account = 1): QueuedRequest => {
    const made = new QueuedRequest({} as NodeMessage, clock.now, account, {
      replied: () => told.push(`${name} replied`),
      refused: ({ message }) => told.push(`${name} refused: ${message}`),
    });
    named.set(made, name);
    return made;
  };
  const taken = (): string[] => {
    const names: string[] = [];
    for (let next = queue.take(); next; next = queue.take()) names.push(named.get(next)!);
    return names;
  };
  return { queue, clock, request, told, taken };
}

void t.test('requests leave in their order, those that a node did not accept first', (t) => {
  const { queue, request, taken } = queueOf();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => request(name));
  for (const one of [a!, b!, c!]) queue.add(one);
  queue.take();
  queue.take();
  queue.add(d!);
  queue.add(b!, true);
  queue.add(a!, true);
  t.equal(queue.length, 4);
  t.strictSame(taken(), ['b', 'a', 'c', 'd']);
  t.equal(queue.length, 0);
  queue.refuseAll(serviceUnavailable('the end'));
  t.end();
});

void t.test('accounts take turns, so that one with many requests delays its own', (t) => {
  const { queue, request, taken } = queueOf();
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.add(request(name, 1));
  queue.add(request('b1', 2));
  queue.add(request('c1', 3));
  const again = queue.take()!;
  queue.add(request('b2', 2));
  queue.add(again, true);
  t.equal(queue.length, 7);
  t.strictSame(taken(), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  queue.refuseAll(serviceUnavailable('the end'));
  t.end();
});

void t.test('one that waited too long is refused where none was served so long', async (t) => {
  const { queue, clock, request, told, taken } = queueOf();
  const [early, other, late] = [request('early'), request('other', 2), request('late')];
  queue.add(early);
  queue.add(other);
  clock.now = 500;
  queue.add(late);
  queue.served();
  // The interval of its checks goes by the machine's clock: one of a queue that waits for longer has gone by.
  const checked = async (): Promise<void> => {
    const before = queueOf();
    before.queue.add(before.request('x'));
    before.clock.now = 1000;
    while (before.told.length === 0) await turn();
  };
  clock.now = 1499;
  await checked();
  t.strictSame(told, [], 'one was served a second ago');
  queue.served();
  clock.now = 2498;
  await checked();
  t.strictSame(told, [], 'and again');
  clock.now = 2499;
  while (queue.length > 0) await turn();
  t.strictSame(told, [
    'early refused: it took too long',
    'late refused: it took too long',
    'other refused: it took too long',
  ]);
  const { told: others, taken: left } = await served(queueOf());
  t.strictSame(others, ['old refused: it took too long']);
  t.strictSame(left(), ['new']);
  t.strictSame(taken(), []);
});

/** One that has waited too long, and one that has not, while nothing is served. */
async function served(one: ReturnType<typeof queueOf>) {
  const { queue, clock, request, told } = one;
  queue.add(request('old'));
  clock.now = 1;
  queue.add(request('new'));
  clock.now = 1000;
  while (told.length === 0) await turn();
  return one;
}

void t.test('one that nobody waits for leaves wherever it waits; one that was sent stays', (t) => {
  const { queue, request, told, taken } = queueOf();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => request(name));
  for (const one of [a!, b!, c!]) queue.add(one);
  queue.add(queue.take()!, true);
  t.equal(queue.cancel(a!), true, 'which would have been next');
  t.equal(queue.cancel(b!), true);
  t.equal(a!.state, 'over');
  t.equal(queue.take(), c);
  t.equal(queue.cancel(c!), false);
  t.equal(c!.state, 'waiting', 'for whoever took it');
  t.strictSame(taken(), []);
  t.strictSame(told, []);
  queue.refuseAll(serviceUnavailable('the end'));
  t.end();
});

void t.test('all that wait are refused at the end', (t) => {
  const { queue, request, told } = queueOf();
  queue.add(request('first'));
  queue.add(request('second'));
  queue.add(request('again'), true);
  queue.refuseAll(serviceUnavailable('the end'));
  t.strictSame(told, [
    'again refused: the end',
    'first refused: the end',
    'second refused: the end',
  ]);
  t.equal(queue.length, 0);
  t.end();
});
