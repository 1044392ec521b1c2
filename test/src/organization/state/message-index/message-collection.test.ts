import t from 'tap';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import { MessageCollection } from '../../../../../src/organization/state/message-index/message-collection.js';
import { messageDocument, SmallOrganization } from '../../messages/fixtures/small-organization.js';

/** Everything the index answers, in comparable form. */
function picture({ org }: SmallOrganization): unknown {
  const { index } = org.messages;
  const ids = Array.from({ length: 20 }, (_, i) => i);
  return {
    size: index.size,
    rows: ids.map((id) => index.peek(id) ?? null),
    conversations: [101, 102].map((id) => index.conversation(id).toArray()),
    topics: [101, 102].map((id) =>
      index.topics(id).map(({ key, name, list }) => [key, name, list.toArray()]),
    ),
    senders: [1, 2].map((id) => index.sentBy(id).toArray()),
    mentions: index.notified.mentionsOf(1).toArray(),
    wildcards: index.notified.channelWildcards.toArray(),
    topicWildcards: index.notified.topicWildcardsOf(1).toArray(),
    alerts: index.notified.alertsOf(1).toArray(),
    resident: ids.map((id) => org.messages.resident(id) ?? null),
    uncommitted: org.messages.uncommitted,
  };
}

function seeded(): SmallOrganization {
  const small = new SmallOrganization();
  small.message({ id: 2, topic: 'Lunch', mentioned: [1], seq: 2 });
  small.message({ id: 5, topic: 'lunch', sender_id: 2, seq: 3 });
  small.message({ id: 9, topic: 'dinner', channel_wildcard: true, seq: 7 });
  return small;
}

void t.test('a failed transaction leaves index, cache and pins as they were', async (t) => {
  const small = seeded();
  await small.org.messages.fetch([5]);
  const before = picture(small);
  const fail = (work: (documents: MessageDocument[]) => void): void => {
    const documents = [2, 5, 9].map((id) => small.stored.get(id)!);
    t.throws(() =>
      small.run((tx) => {
        t.equal(tx.org, small.org);
        work(documents);
        throw new Error('refused');
      }),
    );
    t.same(picture(small), before);
  };
  const { messages } = small.org;
  fail(() => messages.insert(messageDocument({ id: 12, topic: 'LUNCH', mentioned: [1] })));
  fail(([first]) => messages.delete(first!));
  fail(([, , last]) => messages.delete(last!));
  fail(([, second]) =>
    messages.update(
      second!,
      { topic: 'DINNER', recipient_id: 102, mentioned: [1], alerted: [1], topic_wildcard: [1] },
      9,
    ),
  );
  fail(([, second, last]) => {
    const inserted = messages.insert(messageDocument({ id: 12 }));
    messages.update(inserted, { content: 'changed' }, 12);
    messages.delete(second!);
    messages.delete(last!);
  });
});

void t.test('the index follows moves, edits and deletions', async (t) => {
  const small = seeded();
  const { messages } = small.org;
  const [first, second] = [2, 5].map((id) => small.stored.get(id)!);
  small.run((tx) => {
    messages.update(second!, { topic: 'DINNER' }, tx.seq);
    messages.update(
      first!,
      {
        mentioned: [],
        reactions: [
          { emoji_name: 'a', emoji_code: '1', reaction_type: 'unicode_emoji', user_id: 1 },
        ],
      },
      tx.seq,
    );
  });
  const { index } = messages;
  t.same(index.topic(101, 'dinner')!.list.toArray(), [5, 9]);
  t.equal(index.topic(101, 'dinner')!.name, 'dinner', 'the newest message decides the spelling');
  t.same(index.topic(101, 'LUNCH')!.list.toArray(), [2]);
  t.same(index.notified.mentionsOf(1).toArray(), []);
  t.ok(messages.peek(2)!.has_reaction);
  small.run(() => messages.delete(small.stored.get(2)!));
  t.notOk(messages.has(2));
  t.equal(index.topic(101, 'lunch'), undefined, 'a topic without messages is gone');
  t.same(index.conversation(101).toArray(), [5, 9]);
  t.equal(index.size, 2);
});

void t.test('what is not durable is read from memory, however small the cache', async (t) => {
  const asked: number[] = [];
  const unit = {
    record: () => undefined,
    recordAll: () => undefined,
    recordSetting: () => undefined,
  };
  const messages = new MessageCollection(
    unit,
    {
      getMany: async (ids) => {
        asked.push(...ids);
        return ids.map((id) => messageDocument({ id, content: 'stored' }));
      },
    },
    () => undefined,
    { entries: 1, bytes: 1_000_000 },
  );
  for (const id of [1, 2, 3]) messages.insert(messageDocument({ id, content: 'fresh' }));
  const fresh = await messages.fetch([1, 2, 3, 4]);
  t.same([...fresh.keys()], [1, 2, 3], 'what does not exist is left out');
  t.same(asked, []);
  messages.durable(2);
  t.equal(messages.uncommitted, 1);
  const later = await messages.fetch([1, 2, 3]);
  t.same(asked, [1, 2]);
  t.same(
    [1, 2, 3].map((id) => later.get(id)!.content),
    ['stored', 'stored', 'fresh'],
  );
});

void t.test('reads of one message share one question to the store', async (t) => {
  const small = seeded();
  const { messages } = small.org;
  const answers = await Promise.all([messages.fetch([2, 5]), messages.fetch([5, 9])]);
  t.same(small.reads, [[2, 5], [9]]);
  t.same(
    answers.map((answer) => [...answer.keys()].sort()),
    [
      [2, 5],
      [5, 9],
    ],
  );
  await messages.fetch([2, 5, 9]);
  t.equal(small.reads.length, 2, 'then the cache answers');
});

void t.test('a write while the store is read is not overwritten by the older answer', async (t) => {
  const small = seeded();
  const { messages } = small.org;
  let open = (): void => undefined;
  small.gate = new Promise((resolve) => (open = resolve));
  const reading = messages.fetch([2, 5, 9]);
  await Promise.resolve();
  await Promise.resolve();
  t.same(small.reads, [[2, 5, 9]], 'the store was asked before the write');
  small.run((tx) => {
    messages.update(small.stored.get(2)!, { content: 'edited' }, tx.seq);
    messages.delete(small.stored.get(5)!);
  });
  open();
  const found = await reading;
  t.equal(found.get(2)!.content, 'edited');
  t.notOk(found.has(5));
  t.ok(found.has(9));
  t.equal(messages.resident(2)!.content, 'edited');
});

void t.test('a message that the store lost is an error, not an absence', async (t) => {
  const small = seeded();
  small.stored.delete(5);
  await t.rejects(
    small.org.messages.fetchAll([5, 9]),
    /^message:5 in the store is damaged: it is missing/,
  );
  t.same(
    [...(await small.org.messages.fetch([5, 9])).keys()],
    [9],
    'who wants many gets the others',
  );
  small.message({ id: 11 });
  t.ok((await small.org.messages.fetch([11])).has(11), 'other reads go on');
});
