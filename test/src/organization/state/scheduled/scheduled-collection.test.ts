import t from 'tap';
import type { DamagedError, Document } from '../../../../../src/store/port.js';
import { Organization } from '../../../../../src/organization/state/organization.js';
import {
  currentOf,
  ownedNow,
} from '../../../../../src/organization/state/scheduled/loaded-items.js';
import {
  DELIVERY_INDEX,
  type ScheduledDocument,
} from '../../../../../src/organization/state/scheduled/scheduled-collection.js';
import { Transaction } from '../../../../../src/organization/state/transaction.js';
import type { ReminderDocument } from '../../../../../schemas/scheduling/scheduled-messages.js';

function reminder(
  id: number,
  fields: Partial<ReminderDocument['context']> = {},
  value: ReminderDocument['value'] = 'pending',
): ReminderDocument {
  return {
    ...{ machine: 'scheduled-message', version: 2, value },
    context: {
      id,
      user_id: 7,
      message_id: 1,
      note: '',
      content: `content ${id}`,
      rendered_content: '',
      deliver_at: 1000 + id,
      failure: null,
      ...fields,
    },
  };
}

/** A collection over a store that answers when the test lets it. */
class World {
  readonly stored = new Map<string, Document>();
  readonly damaged: DamagedError[] = [];
  /** Reads that wait, oldest first. */
  readonly reads: (() => void)[] = [];
  /** Keys of every read. */
  readonly asked: string[][] = [];
  readonly org = new Organization(
    { url: '', botDomain: '', generation: 0 },
    { getMany: () => Promise.resolve([]) },
    () => 0,
    (keys) => {
      const found = keys.map(({ collection, id }) => this.stored.get(`${collection}:${id}`));
      this.asked.push(keys.map(({ id }) => id));
      return new Promise((resolve) => this.reads.push(() => resolve(found)));
    },
    (error) => void this.damaged.push(error),
  );
  readonly collection = this.org.reminders;
  private seq = 0;

  run(work: (tx: Transaction) => void) {
    const tx = new Transaction(this.org, ++this.seq, 0);
    return this.org.unit.run(tx, work).content;
  }

  /** As after a start: in the store, and in the index. */
  load(document: ScheduledDocument): void {
    this.stored.set(`reminder:${document.context.id}`, document);
    this.collection.load(document as ReminderDocument);
  }
}

void t.test('a write, and its place in the due index, are one entry', async (t) => {
  const world = new World();
  const { collection } = world;
  t.match(
    world.run((tx) => collection.set(tx, reminder(1))),
    {
      writes: [{ op: 'set', key: { collection: 'reminder', id: '1' } }],
      due: [{ index: DELIVERY_INDEX, id: 'reminder:1', at: 1_001_000 }],
    },
  );
  t.match(
    world.run((tx) => collection.set(tx, reminder(1, {}, 'failed'))),
    { due: [{ id: 'reminder:1', at: null }] },
    'what failed waits no more',
  );
  t.same(collection.index.get(1), { id: 1, owner: 7, state: 'failed', due: 1_001_000 });
  t.equal(collection.index.deadlineOf(1), null);
  t.match(
    world.run((tx) => collection.delete(tx, 1)),
    { writes: [{ op: 'delete' }], due: [{ id: 'reminder:1', at: null }] },
  );
  t.equal(collection.size, 0);
});

void t.test('documents are kept until they are durable, then read from the store', async (t) => {
  const world = new World();
  const { collection } = world;
  for (let id = 1; id <= 3000; id++) world.run((tx) => collection.set(tx, reminder(id)));
  t.equal(collection.uncommitted, 3000);
  t.equal((await collection.fetch([1, 3000])).size, 2, 'without the store');
  collection.durable(2999);
  t.equal(collection.uncommitted, 1);
  t.equal(collection.resident(1), undefined, 'the cache has a bound');
  t.ok(collection.resident(3000));
  for (let id = 1; id <= 3000; id++) world.load(reminder(id));
  const read = collection.fetch([1, 2999]);
  world.reads.shift()!();
  t.equal((await read).get(1)!.context.content, 'content 1');
  t.same(world.asked, [['1']], 'only what is not in memory');
});

void t.test('what changes while it is read is read again, or from memory', async (t) => {
  const world = new World();
  const { collection } = world;
  for (let id = 1; id <= 3; id++) world.load(reminder(id));
  const read = collection.fetch([1, 2, 3, 4]);
  world.run((tx) => collection.set(tx, reminder(1, { content: 'newer' })));
  world.run((tx) => collection.delete(tx, 2));
  world.reads.shift()!();
  const found = await read;
  t.same([...found.keys()].sort(), [1, 3]);
  t.equal(found.get(1)!.context.content, 'newer');
});

void t.test('a transaction that fails leaves everything as it was', async (t) => {
  const world = new World();
  const { collection } = world;
  world.load(reminder(1));
  world.run((tx) => collection.set(tx, reminder(2)));
  const heard: string[] = [];
  collection.watch((key) => heard.push(key));
  t.throws(() =>
    world.run((tx) => {
      collection.set(tx, reminder(1, { content: 'x', deliver_at: 5 }));
      collection.deliver(tx, reminder(2));
      collection.set(tx, reminder(3));
      throw new Error('no');
    }),
  );
  t.same(collection.index.ofUser(7).sort(), [1, 2]);
  t.equal(collection.index.get(1)!.due, 1_001_000);
  t.equal(collection.resident(1), undefined);
  t.equal(collection.resident(2)!.context.content, 'content 2');
  t.notOk(collection.wasDelivered(2, 7));
  t.same(new Set(heard), new Set(['reminder:1', 'reminder:2', 'reminder:3']));
});

void t.test('what was delivered is remembered for a while, for its owner', async (t) => {
  const world = new World();
  const { collection } = world;
  for (let id = 1; id <= 10_001; id++) world.load(reminder(id));
  for (let id = 1; id <= 10_001; id++) world.run((tx) => collection.deliver(tx, reminder(id)));
  t.notOk(collection.wasDelivered(1, 7), 'the oldest is forgotten');
  t.ok(collection.wasDelivered(10_001, 7));
  t.notOk(collection.wasDelivered(10_001, 8));
  t.notOk(collection.wasDelivered(99_999, 7));
});

void t.test('a document that the store lacks is a fault', async (t) => {
  const world = new World();
  world.collection.load(reminder(1));
  world.load(reminder(2));
  const read = world.collection.fetch([1, 2]);
  world.reads.shift()!();
  const found = await read;
  t.same([...found.keys()], [2]);
  t.match(world.damaged, [{ message: /^reminder:1 in the store is damaged: it is missing/ }]);
  t.throws(() => currentOf(world.collection, 1, found), { name: 'DamagedError' });
  t.same(ownedNow(world.collection, 7, found), [reminder(2)]);
});
