import t from 'tap';
import { serviceUnavailable } from '../../../../src/errors/index.js';
import type { NodeMessage } from '../../../../src/http/forwarding/node-message.js';
import { QueuedRequest, RequestQueue } from '../../../../src/http/forwarding/request-queue.js';

/** A queue at a clock that stands, and what has become of its requests, by the names that they were given. */
function queueOf() {
  const told: string[] = [];
  const queue = new RequestQueue(
    () => 0,
    () => serviceUnavailable('it took too long'),
  );
  const named = new Map<QueuedRequest, string>();
  const request = (name: string): QueuedRequest => {
    const made = new QueuedRequest({} as NodeMessage, 1000, {
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
  return { queue, request, told, taken };
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
