import t from 'tap';
import { EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { QueueIndex } from '../../../../src/journal/queues/delivery.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';

function queueOf(userId: number, types: readonly string[] | null, allPublic = false): EventQueue {
  const filter = { ...PLAIN_FILTER, event_types: types, all_public_streams: allPublic };
  const options = { cursor: 0, now: 0, live: true };
  return new EventQueue(`${userId}`, userId, filter, 0, 1, options);
}

/** Users of the queues that an event of a type visits, with a mark where each queue must be asked. */
function visited(index: QueueIndex, type: string): string[] {
  return index
    .admitting(type)
    .flatMap(({ byUser, isMixed }) => [...byUser.keys()].map((id) => `${id}${isMixed ? '?' : ''}`))
    .sort();
}

void t.test('an event visits the queues that admit its type, and no others', (t) => {
  const index = new QueueIndex();
  const [all, notes, others, both, reordered, odd] = [
    queueOf(1, null),
    queueOf(2, ['note']),
    queueOf(3, ['other']),
    queueOf(4, ['note', 'other']),
    queueOf(5, ['other', 'note', 'note']),
    queueOf(6, ['note,other']),
  ];
  for (const queue of [all, notes, others, both, reordered, odd]) index.add(queue);
  t.same(visited(index, 'note'), ['1', '2', '4', '5']);
  t.same(visited(index, 'other'), ['1', '3', '4', '5']);
  t.same(visited(index, 'note,other'), ['1', '6']);
  t.same(visited(index, 'rest'), ['1']);
  t.equal(index.admitting('note').length, 3, 'queues with equal types share a group');
  index.remove(all);
  index.remove(both);
  t.same(visited(index, 'note'), ['2', '5']);
  t.end();
});

void t.test('with many lists of types the later ones share a group', (t) => {
  const index = new QueueIndex();
  const queues = Array.from({ length: 12 }, (_, i) => queueOf(i, [`t${i}`]));
  for (const queue of queues) index.add(queue);
  const mixed = ['10?', '11?', '8?', '9?'];
  t.same(visited(index, 't0'), ['0', ...mixed]);
  t.same(visited(index, 't9'), mixed);
  // A queue stays where it is when a group becomes free; the next list of types gets that.
  index.remove(queues[0]!);
  index.add(queueOf(20, ['t11']));
  t.same(visited(index, 't11'), [...mixed.slice(0, 2), '20', ...mixed.slice(2)].sort());
  index.remove(queues[11]!);
  t.same(visited(index, 't11'), ['10?', '20', '8?', '9?']);
  t.end();
});

void t.test('the queues of a user, in whatever group', (t) => {
  const index = new QueueIndex();
  const queues = [queueOf(1, null), queueOf(1, ['note']), queueOf(2, ['note'], true)];
  for (const queue of queues) index.add(queue);
  t.same(index.of(1), [queues[0], queues[1]]);
  t.same(index.of(3), []);
  const publicOnes = () =>
    index.admitting('note').flatMap(({ allPublic }) => [...allPublic.values()]);
  t.match(publicOnes(), [{ userId: 2, queueId: '2', inAudience: false }]);
  index.remove(queues[2]!);
  t.same(publicOnes(), []);
  t.end();
});
