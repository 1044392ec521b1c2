import t from 'tap';
import { HeldReplies } from '../../../../src/http/limits/held-replies.js';

void t.test('the clients go that have taken nothing for longest', (t) => {
  const replies = new HeldReplies(100);
  const gone: string[] = [];
  const hold = (name: string, bytes: number) => replies.hold(bytes, () => gone.push(name));
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
