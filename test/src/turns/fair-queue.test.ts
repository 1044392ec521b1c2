import t from 'tap';
import { FairQueue } from '../../../src/turns/fair-queue.js';

void t.test('accounts take turns, each in order', async (t) => {
  const queue = new FairQueue<string>();
  t.equal(queue.take(), undefined);
  for (const name of ['a1', 'a2', 'a3', 'a4']) queue.add(name, 1);
  t.equal(queue.take(), 'a1');
  queue.add('b1', 2);
  queue.add('b2', 2);
  queue.add('nobody', null);
  t.equal(queue.size, 6);
  const rest: (string | undefined)[] = [];
  while (queue.size > 0) rest.push(queue.take());
  t.same(rest, ['a2', 'b1', 'nobody', 'a3', 'b2', 'a4']);
  t.equal(queue.take(), undefined);
});
