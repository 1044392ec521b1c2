import t from 'tap';
import { DeliveryLedger } from '../../../bench/generators/ledger.js';

function ledger(clients: number, until: number): DeliveryLedger {
  const made = new DeliveryLedger(clients);
  for (let client = 0; client < clients; client++) made.expect(client, until);
  return made;
}

void t.test('every event exactly once and in order completes the round', async (t) => {
  const book = ledger(2, 2);
  for (const client of [0, 1]) {
    t.notOk(book.complete);
    t.ok(book.take(client, 0));
    t.ok(book.take(client, 1));
  }
  t.ok(book.complete);
  book.close();
  t.strictSame([book.lost, book.repeated], [0, 0]);
});

void t.test('an event that is skipped is lost', async (t) => {
  const book = ledger(1, 3);
  book.take(0, 0);
  t.notOk(book.take(0, 2));
  t.ok(book.complete);
  t.strictSame([book.lost, book.repeated], [1, 0]);
});

void t.test('an event that never comes is lost when the round is given up', async (t) => {
  const book = ledger(2, 3);
  book.take(0, 0);
  book.close();
  t.equal(book.lost, 5);
  t.ok(book.complete);
});

void t.test('an event that comes again is repeated', async (t) => {
  const book = ledger(1, 2);
  book.take(0, 0);
  t.notOk(book.take(0, 0));
  t.notOk(book.complete);
  book.take(0, 1);
  t.notOk(book.take(0, 1), 'also after the end');
  t.strictSame([book.lost, book.repeated], [0, 2]);
});

void t.test('order counts: an event after a later one is lost and repeated', async (t) => {
  const book = ledger(1, 2);
  book.take(0, 1);
  book.take(0, 0);
  t.strictSame([book.lost, book.repeated], [1, 1]);
});

void t.test('the next round goes on where the last one ended', async (t) => {
  const book = ledger(1, 1);
  book.take(0, 0);
  book.expect(0, 2);
  t.notOk(book.complete);
  t.notOk(book.take(0, 5), 'nobody sent that one yet');
  t.ok(book.take(0, 1));
  t.ok(book.complete);
});

void t.test('on several lanes only what one of them published has an order', async (t) => {
  const book = new DeliveryLedger(1, 2);
  book.expect(0, 5);
  for (const mark of [1, 0, 3, 2]) t.ok(book.take(0, mark), String(mark));
  t.notOk(book.complete);
  t.ok(book.take(0, 4));
  t.ok(book.complete);
  t.notOk(book.take(0, 3), 'again');
  t.strictSame([book.lost, book.repeated], [0, 1]);
});

void t.test('what was given up may come late: it is neither lost again nor repeated', async (t) => {
  const book = ledger(1, 2);
  book.close();
  t.equal(book.lost, 2);
  t.notOk(book.take(0, 1));
  t.strictSame([book.lost, book.repeated], [2, 0]);
});
