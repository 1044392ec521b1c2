import t from 'tap';
import { HeldReplies } from '../../../../src/http/limits/held-replies.js';

void t.test('the clients go that have taken nothing for longest', (t) => {
  const replies = new HeldReplies(100);
  const gone: string[] = [];
  const hold = (name: string, bytes: number) => replies.hold(bytes, name, () => gone.push(name));
  const a = hold('a', 40);
  hold('b', 30);
  hold('c', 30);
  t.same(gone, []);
  a.progressed();
  hold('d', 31);
  t.same(gone, ['b', 'c'], 'as many as it takes');
  t.equal(replies.bytes, 71);
  a.ended();
  a.ended();
  a.progressed();
  t.equal(replies.bytes, 31);
  hold('e', 500);
  t.same(gone, ['b', 'c', 'd'], 'one alone may be larger');
  hold('f', 1);
  t.same(gone, ['b', 'c', 'd', 'e']);
  t.equal(replies.bytes, 1);
  t.end();
});

void t.test('a source has room for another large reply while it reads what it has', async (t) => {
  const replies = new HeldReplies(1000, 100);
  const hold = (bytes: number) => replies.hold(bytes, 'a', () => undefined);
  const first = hold(60);
  t.equal(replies.hasRoom('a'), true);
  const second = hold(60);
  t.equal(replies.hasRoom('a'), false);
  t.equal(replies.hasRoom('b'), true);
  const got: string[] = [];
  const one = replies.room('a').then(() => void got.push('one'));
  const two = replies.room('a').then(() => void got.push('two'));
  await replies.room('b');
  t.same(got, []);
  first.ended();
  await one;
  t.same(got, ['one'], 'one for each reply that ends');
  second.ended();
  await two;
  t.same(got, ['one', 'two']);
});
