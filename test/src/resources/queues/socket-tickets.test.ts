import t from 'tap';
import { SocketTickets } from '../../../../src/resources/queues/socket-tickets.js';

const of = (userId: number) => ({ userId, keyVersion: 'v1', email: `${userId}@example.com` });

function setUp() {
  const clock = { now: 0 };
  const passwords = new Map<number, string>();
  let next = 0;
  const tickets = new SocketTickets(
    () => clock.now,
    () => `t${next++}`,
    (userId) => passwords.get(userId) ?? null,
  );
  return { clock, tickets, passwords };
}

void t.test('a ticket works once, for its user, for thirty seconds', (t) => {
  const { clock, tickets } = setUp();
  const first = tickets.issue(of(7));
  t.same(first, { ticket: 't0', expires_in: 30 });
  t.same(tickets.redeem('t0'), of(7));
  t.equal(tickets.redeem('t0'), undefined);
  t.equal(tickets.redeem('nonsense'), undefined);
  tickets.issue(of(8));
  clock.now = 29_999;
  t.same(tickets.redeem('t1'), of(8));
  tickets.issue(of(9));
  clock.now = 59_999;
  t.equal(tickets.redeem('t2'), undefined);
  t.end();
});

void t.test('the tickets that wait are bounded, and expired ones make room', (t) => {
  const { clock, tickets } = setUp();
  for (let i = 0; i < 100_000; i++) tickets.issue(of(1));
  t.throws(() => tickets.issue(of(1)), { message: 'Too many tickets are waiting' });
  clock.now = 30_000;
  t.equal(tickets.issue(of(1)).ticket, 't100000');
  t.end();
});

void t.test('tickets end with the password of their user', (t) => {
  const { tickets, passwords } = setUp();
  for (const userId of [7, 8, 7, 7]) tickets.issue(of(userId));
  passwords.set(7, 'a hash');
  t.equal(tickets.redeem('t0'), undefined, 'the first password ended it');
  t.same(tickets.redeem('t1'), of(8), 'another user');
  const { ticket } = tickets.issue(of(7));
  t.same(tickets.redeem(ticket), of(7), 'a new one works');
  passwords.set(7, 'another hash');
  t.equal(tickets.redeem('t2'), undefined);
  passwords.delete(7);
  t.same(tickets.redeem('t3'), of(7));
  t.end();
});
