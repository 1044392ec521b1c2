import fc from 'fast-check';
import t from 'tap';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import { messageDocument } from '../../../../../bench/seed/documents.js';
import { Organization } from '../../../../../src/organization/state/organization.js';
import type { EntryChange } from '../../../../../src/store/port.js';
import { difference } from '../../../../fixtures/following/difference.js';

const MESSAGES = 40;

/** An organization of messages alone; the store would have `stored`. */
function organization(stored: ReadonlyMap<number, MessageDocument> = new Map()): Organization {
  const getMany = async (ids: readonly number[]) => ids.map((id) => stored.get(id));
  return new Organization({ url: '', botDomain: '', generation: 0 }, { getMany }, () => 0);
}

function place(channel: number) {
  return { stream_id: channel, recipient_id: channel + 100 };
}

function message(id: number, fields: Partial<MessageDocument> = {}): MessageDocument {
  const at = { streamId: 1, recipientId: 101 };
  return { ...messageDocument(id, id * 2, (id % 3) + 1, at, 'lunch', id * 1000), ...fields };
}

function change(op: 'set' | 'merge', id: number, fields: Partial<MessageDocument>): EntryChange {
  return { op, key: { collection: 'message', id: String(id) }, fields };
}

function removal(id: number): EntryChange {
  return { op: 'delete', key: { collection: 'message', id: String(id) } };
}

const users = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 });
const hop = fc.tuple(fc.constantFrom(1, 2, 3), fc.integer({ min: 1, max: 2 }));
/** What a change names of a message: any of the indexed fields. */
const fields = fc.record(
  {
    topic: fc.constantFrom('lunch', 'Lunch', 'dinner'),
    moved: fc.array(hop, { minLength: 1, maxLength: 2 }),
    mentioned: users,
    topic_wildcard: users,
    alerted: users,
    channel_wildcard: fc.boolean(),
    has_link: fc.boolean(),
    reactions: fc.constantFrom(0, 1),
  },
  { requiredKeys: [] },
);
const REACTION = {
  emoji_name: 'tada',
  emoji_code: '1f389',
  reaction_type: 'unicode_emoji' as const,
  user_id: 1,
};

/** Fields that name nothing else than what an entry would. */
function fieldsOf(random: typeof fields extends fc.Arbitrary<infer T> ? T : never) {
  const { moved, reactions, ...rest } = random;
  return {
    ...rest,
    ...(moved ? { ...place(moved.at(-1)![0]), route: { from: 1, hops: moved } } : {}),
    ...(reactions === undefined
      ? {}
      : { reactions: Array.from({ length: reactions }, () => REACTION) }),
  };
}

const ids = fc.uniqueArray(fc.integer({ min: 1, max: MESSAGES }), { minLength: 1, maxLength: 20 });
const entry = fc.record({ ids, fields, op: fc.constantFrom('merge', 'merge', 'delete', 'set') });

void t.test('after any changes the index is what a start would make it', (t) => {
  const scenario = fc.array(entry, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(scenario, fc.nat(8), (entries, again) => {
      const documents = new Map<number, MessageDocument>();
      for (let id = 1; id <= MESSAGES; id += 2) documents.set(id, message(id));
      const folded = organization();
      for (const document of documents.values()) folded.messages.load(document);
      const all = entries.map(({ ids: chosen, op, fields: random }) =>
        chosen.flatMap((id): EntryChange[] => {
          const former = documents.get(id);
          const named = fieldsOf(random);
          if (op === 'set') {
            if (former) return [];
            documents.set(id, message(id, named));
            return [change('set', id, documents.get(id)!)];
          }
          if (!former) return [];
          if (op === 'delete') documents.delete(id);
          else documents.set(id, { ...former, ...named });
          return [op === 'delete' ? removal(id) : change('merge', id, named)];
        }),
      );
      for (const [i, changes] of all.entries()) folded.fold(changes, i + 1);
      // As if the start had read documents that were newer than the entries.
      for (const [i, changes] of all.slice(again).entries()) {
        folded.fold(changes, again + i + 1, { tolerant: true });
      }
      const started = organization();
      for (const [, document] of [...documents].sort(([a], [b]) => a - b)) {
        started.messages.load(document);
      }
      t.equal(difference(folded, started), null);
    }),
    { numRuns: 200 },
  );
  t.end();
});

void t.test(
  'documents in memory follow, and those of many that change at once are dropped',
  (t) => {
    const { messages, ...org } = followed();
    org.fold(change('set', 1, message(1)), change('set', 2, message(2)));
    t.equal(messages.uncommitted, 0);
    const pinned = messages.pin();
    pinned.documents.set(1, message(1));
    org.fold(change('merge', 1, { topic: 'dinner' }), removal(2));
    t.equal(messages.resident(1)?.topic, 'dinner');
    t.equal(messages.resident(1)?.content, message(1).content);
    t.equal(pinned.documents.get(1)?.topic, 'dinner');
    t.equal(messages.resident(2), undefined);
    const many = Array.from({ length: 100 }, (_, i) => i + 1000);
    org.fold(...many.map((id) => change('set', id, message(id))));
    t.equal(messages.resident(1050)?.topic, 'lunch');
    org.fold(...[1, ...many].map((id) => change('merge', id, { topic: 'tea' })));
    t.equal(messages.resident(1050), undefined);
    t.notOk(pinned.documents.has(1));
    t.equal(messages.index.topic(101, 'tea')?.list.length, 101);
    t.end();
  },
);

void t.test('a read of a message that changes meanwhile is made again', async (t) => {
  const stored = new Map([1, 2, 3].map((id) => [id, message(id)]));
  const { messages, ...org } = followed(stored);
  for (const document of stored.values()) messages.load(document);
  const reading = messages.fetch([1, 2, 3]);
  stored.set(1, message(1, { content: 'edited' }));
  stored.delete(2);
  org.fold(change('merge', 1, { content: 'edited' }), removal(2));
  const found = await reading;
  t.same([...found.keys()], [3, 1]);
  t.equal(found.get(1)?.content, 'edited');
});

function followed(stored?: ReadonlyMap<number, MessageDocument>) {
  const org = organization(stored);
  return {
    messages: org.messages,
    fold: (...changes: EntryChange[]) => org.fold(changes, 1),
  };
}
