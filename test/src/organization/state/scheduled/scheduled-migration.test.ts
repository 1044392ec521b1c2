import t from 'tap';
import { DELIVERY_INDEX } from '../../../../../src/organization/state/scheduled/scheduled-collection.js';
import { storedFault } from '../../../../../src/organization/state/stored-fault.js';
import { migrate, MIGRATIONS } from '../../../../../src/organization/state/migrations.js';
import type { Document } from '../../../../../src/store/port.js';
import { DeliveryWorld } from '../../scheduling/fixtures/delivery-world.js';

/** As the versions before the first migration wrote them. */
function former(id: number, user_id: number, more: Document): Document {
  return {
    ...{ id, user_id, type: 'private', to: [user_id], topic: '', content: `number ${id}` },
    ...{ rendered_content: `<p>number ${id}</p>`, deliver_at: 1, failed: false, failure: null },
    ...{ client: 'test', read_by_sender: false },
    ...more,
  };
}

void t.test(
  'documents of before: failed ones rest, the others wait, and a reminder, too',
  async (t) => {
    const world = await DeliveryWorld.start({ start: false });
    const { user_id } = world.user('hamlet');
    const deliver_at = world.inSeconds(5);
    const failure = 'Account is deactivated';
    const messages = [
      former(901, user_id, { deliver_at }),
      former(902, user_id, { deliver_at: deliver_at - 10, failed: true, failure }),
    ];
    const reminder: Document = {
      ...{ id: 7, user_id, message_id: 1, note: 'mind', content: 'c', rendered_content: '' },
      ...{ deliver_at, failed: false },
    };
    await world.settle();
    const { collections, due } = world.node.memory;
    const put = (name: string, documents: readonly Document[]): void =>
      void collections.set(
        name,
        new Map(documents.map((one) => [String(one['id'] as number), JSON.stringify(one)])),
      );
    put('scheduled_message', messages);
    put('reminder', [reminder]);
    // Enough that a step takes several entries.
    const many = Array.from({ length: 1000 }, (_, i) =>
      former(1000 + i, user_id, { deliver_at: 4e9 + i }),
    );
    put('scheduled_message', [...messages, ...many]);
    const slots = ['scheduled_message:901', 'reminder:7'].map(
      (key) => [key, deliver_at * 1000] as const,
    );
    due.set(DELIVERY_INDEX, new Map(slots));

    const { journal } = world.node;
    const first = journal.nextSeq;
    const run = migrate(
      { store: world.node.gate.store, journal, begun: () => undefined },
      MIGRATIONS,
    );
    await Promise.all([run, world.settle(200)]);
    const entries = journal.nextSeq - first;
    t.ok(entries >= 4 && entries < 20, `${entries} entries`);
    const stored = (name: string, id: number) =>
      JSON.parse(collections.get(name)!.get(String(id))!) as Document;
    const { failed: _, ...fields } = messages[1]!;
    t.strictSame(stored('scheduled_message', 902), {
      ...{ machine: 'scheduled-message', version: 2, value: 'failed' },
      context: fields,
    });
    t.match(stored('scheduled_message', 901), { value: 'pending', context: { failure: null } });
    t.match(stored('reminder', 7), { value: 'pending', context: { note: 'mind', failure: null } });
    for (const name of ['scheduled_message', 'reminder']) {
      for (const [id, text] of collections.get(name)!) {
        t.equal(storedFault(name, id, JSON.parse(text) as Document), null, `${name}:${id}`);
      }
    }

    const next = await world.restart(world.now);
    t.same(next.delivery.countByState(), { pending: 1002, failed: 1 });
    await next.advance(6000);
    t.same(await next.texts('hamlet'), ['number 901']);
    t.equal((await next.texts('notification-bot')).length, 1, 'the reminder');
    t.same(next.delivery.countByState(), { pending: 1000, failed: 1 });
    t.same(next.faults, []);
  },
);
