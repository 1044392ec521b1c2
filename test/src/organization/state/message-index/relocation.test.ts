import fc from 'fast-check';
import t from 'tap';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import type { Relocation } from '../../../../../src/organization/state/message-index/relocation.js';
import type { Transaction } from '../../../../../src/organization/state/transaction.js';
import { SmallOrganization } from '../../messages/fixtures/small-organization.js';

/** More than are moved one by one. */
const MESSAGES = 300;
const TOPICS = ['lunch', 'Lunch', 'dinner', 'tea'];
const CHANNELS = [101, 102];

/** Everything the index answers about where messages lie. */
function picture({ org }: SmallOrganization): unknown {
  const { index } = org.messages;
  const ids = Array.from({ length: MESSAGES + 2 }, (_, i) => i);
  const topicsOf = (id: number): unknown[] =>
    index
      .topics(id)
      .map(({ key, name, list }): [string, unknown] => [key, [name, list.toArray()]])
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    size: index.size,
    rows: ids.map((id) => index.peek(id) ?? null),
    names: ids.map((id) => index.topicNameOf(id) ?? null),
    conversations: CHANNELS.map((id) => index.conversation(id).toArray()),
    topics: CHANNELS.map(topicsOf),
    mentions: index.notified.mentionsOf(1).toArray(),
    moved: CHANNELS.map((id) =>
      index.moved
        .into(id)
        .map(({ from, hops, list }) => JSON.stringify([from, hops, list.toArray()]))
        .sort(),
    ),
    out: CHANNELS.map((id) => index.moved.outOf(id - 100).toArray()),
    ways: ids.map((id) => index.moved.of(id)?.hops ?? null),
  };
}

function seeded(): SmallOrganization {
  const small = new SmallOrganization();
  for (let id = 1; id <= MESSAGES; id++) {
    const channel = id % 3 === 0 ? 2 : 1;
    small.message({
      id,
      seq: 1,
      topic: TOPICS[id % 2]!,
      stream_id: channel,
      recipient_id: channel + 100,
      mentioned: id % 5 === 0 ? [1] : [],
      edit_history: id % 7 === 0 ? [{ user_id: 2, timestamp: 3 }] : undefined,
    });
  }
  small.seq = 1;
  return small;
}

/** An organization that starts with what the store has. */
function restarted(small: SmallOrganization): SmallOrganization {
  const other = new SmallOrganization();
  for (const id of [...small.stored.keys()].sort((a, b) => a - b)) {
    other.message(structuredClone(small.stored.get(id)!));
  }
  return other;
}

interface Move {
  readonly whom: (message: MessageDocument) => boolean;
  readonly topic: string | null;
  readonly channel: number | null;
}

const move = fc.record({
  topic: fc.option(fc.constantFrom(...TOPICS)),
  channel: fc.option(fc.constantFrom(1, 2)),
  // Every message, those of one channel, or all but each third.
  whom: fc.constantFrom<Move['whom'][]>(
    () => true,
    ({ stream_id, id }) => stream_id === 1 || id > 150,
    ({ id }) => id % 3 > 0,
  ),
});

/** What a move does: the messages before, and what the index and the documents are told. */
interface Moving {
  readonly documents: readonly MessageDocument[];
  readonly relocation: Relocation;
}

function movingOf(small: SmallOrganization, { whom, topic, channel }: Move): Moving {
  const seq = small.seq + 1;
  const ways = new Map<string, NonNullable<MessageDocument['route']>>();
  const routeOf = ({ stream_id, route }: MessageDocument) => {
    const { from, hops } = route ?? { from: stream_id!, hops: [] };
    const way = { from, hops: [...hops, [channel!, seq] as [number, number]] };
    const key = JSON.stringify(way);
    if (!ways.has(key)) ways.set(key, way);
    return ways.get(key)!;
  };
  const place = {
    ...(topic === null ? {} : { topic }),
    ...(channel === null ? {} : { stream_id: channel, recipient_id: channel + 100 }),
  };
  const fieldsOf = (document: MessageDocument) => ({
    ...place,
    ...(channel === null ? {} : { route: routeOf(document) }),
    ...(topic === null ? {} : { topic_links: [] }),
    last_moved_timestamp: seq,
  });
  const documents = [...small.stored.values()]
    .filter(whom)
    .filter(({ stream_id }) => channel === null || stream_id !== channel)
    .sort((a, b) => a.id - b.id);
  return {
    documents,
    relocation: { place, fieldsOf, routeOf: channel === null ? null : routeOf },
  };
}

const relocate = (tx: Transaction, { documents, relocation }: Moving): void =>
  tx.org.messages.relocateAll(documents, relocation, tx.seq);

void t.test('after moves of many the index is what a restart would make it', (t) => {
  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 4 }), (moves) => {
      const small = seeded();
      for (const one of moves) {
        const moving = movingOf(small, one);
        const { documents, relocation } = moving;
        const { content } = small.run((tx) => relocate(tx, moving));
        t.equal(content.writes.length, documents.length);
        for (const previous of documents) {
          const fields = relocation.fieldsOf(previous);
          t.matchOnly(small.stored.get(previous.id), { ...previous, ...fields });
        }
      }
      t.same(picture(small), picture(restarted(small)));
    }),
    { numRuns: 15 },
  );
  t.end();
});

void t.test('a failed move of many leaves everything as it was', (t) => {
  fc.assert(
    fc.property(move, move, (first, second) => {
      const small = seeded();
      const before = movingOf(small, first);
      small.run((tx) => relocate(tx, before), false);
      const was = picture(small);
      const residents = () =>
        [...small.stored.keys()].map((id) => small.org.messages.resident(id) ?? null);
      const documents = residents();
      const moving = movingOf(small, second);
      t.throws(
        () =>
          small.run((tx) => {
            relocate(tx, moving);
            const first = moving.documents[0];
            const moved = first && tx.org.messages.resident(first.id)!;
            if (moved) tx.org.messages.update(moved, { content: 'changed' }, tx.seq);
            throw new Error('refused');
          }),
        /refused/,
      );
      t.same(picture(small), was);
      t.same(residents(), documents);
    }),
    { numRuns: 10 },
  );
  t.end();
});

void t.test('what moved with many others is read from memory until it is durable', async (t) => {
  const small = seeded();
  const held = small.org.messages.pin();
  held.documents.set(1, small.stored.get(1)!);
  const moving = movingOf(small, { whom: () => true, topic: 'supper', channel: null });
  const before = structuredClone(small.stored.get(1)!);
  const { content } = small.run((tx) => relocate(tx, moving), false);
  small.stored.set(1, before);
  t.equal((await small.org.messages.fetch([1])).get(1)!.topic, 'supper');
  t.notOk(held.documents.has(1), 'whoever holds it asks for it again');
  t.same(small.reads, []);
  const changed = content.writes.length;
  const { content: both } = small.run((tx) => {
    relocate(tx, movingOf(small, { whom: () => true, topic: 'brunch', channel: null }));
    const moved = tx.org.messages.resident(1)!;
    tx.org.messages.update(moved, { content: 'changed' }, tx.seq);
  });
  t.equal(both.writes.length, changed, 'one write of each document');
  t.match(
    both.writes.find(({ key }) => key.id === '1'),
    {
      op: 'merge',
      fields: { topic: 'brunch', content: 'changed' },
      document: { topic: 'brunch', content: 'changed', sender_id: before.sender_id },
    },
  );
});

void t.test(
  'messages in the same state share what a move changes, however long that state is',
  (t) => {
    const small = seeded();
    const moving = movingOf(small, { whom: () => true, topic: 'supper', channel: null });
    const made: number[] = [];
    const fieldsOf: Relocation['fieldsOf'] = (message) => {
      made.push(message.id);
      return moving.relocation.fieldsOf(message);
    };
    // Edited each in its own way; moved together many times; and the rest by their topics.
    const stateOf = ({ id, topic }: MessageDocument): string =>
      id <= 3 ? `${id}`.repeat(3000) : id <= 100 ? 'moved'.repeat(1000) : topic;
    const { content } = small.run((tx) => {
      const gathered = tx.org.messages.moving(false, null, stateOf);
      for (const one of moving.documents) gathered.add(one);
      tx.org.messages.relocate(gathered, { ...moving.relocation, fieldsOf }, tx.seq);
    });
    t.equal(content.writes.length, MESSAGES);
    t.same(made, [1, 2, 3, 4, 101, 102]);
    for (const previous of moving.documents) {
      const fields = moving.relocation.fieldsOf(previous);
      t.matchOnly(small.stored.get(previous.id), { ...previous, ...fields });
    }
    t.end();
  },
);
