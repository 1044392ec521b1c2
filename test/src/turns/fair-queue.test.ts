import t from 'tap';
import { accountOf, FairQueue, organizationOf } from '../../../src/turns/fair-queue.js';

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

void t.test('organizations take turns before their accounts do', async (t) => {
  const queue = new FairQueue<string>();
  for (const user of [1, 2, 3, 4]) queue.add(`a${user}`, accountOf(0, user));
  queue.add('a4 again', accountOf(0, 4));
  // The same ids, and addresses, of another organization.
  queue.add('b1', accountOf(1, 1));
  queue.add('b1 again', accountOf(1, 1));
  queue.add('b address', accountOf(1, '192.0.2.1'));
  queue.add('c', accountOf(2, null));
  const order: (string | undefined)[] = [];
  while (queue.size > 0) order.push(queue.take());
  const expected = ['a1', 'b1', 'c', 'a2', 'b address', 'a3', 'b1 again', 'a4', 'a4 again'];
  t.same(order, expected);
  t.equal(queue.take(), undefined);
});

void t.test(
  'accounts of one organization are its ids and addresses; others have a number',
  async (t) => {
    t.equal(accountOf(0, 17), 17);
    t.equal(accountOf(0, '192.0.2.1'), '192.0.2.1');
    t.equal(accountOf(0, null), null);
    const accounts = [
      accountOf(1000, 2 ** 31),
      accountOf(1000, 0),
      accountOf(1000, '::1'),
      accountOf(1000, null),
    ];
    t.equal(new Set(accounts).size, 4);
    for (const account of accounts) t.equal(organizationOf(account), 1000);
    for (const account of [17, '192.0.2.1', null]) t.equal(organizationOf(account), 0);
    t.equal(organizationOf(accountOf(-1, '::1')), -1, 'of no organization');
  },
);
