import t from 'tap';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { DeliveryWorld } from './fixtures/delivery-world.js';

const DAY = 24 * 3600;

type Stored = { value: string; version: number; machine: string };

/** Puts another state into the stored document of a scheduled message. */
function alter(world: DeliveryWorld, id: number, change: Partial<Stored>): void {
  const documents = world.node.memory.collections.get('scheduled_message')!;
  const stored = JSON.parse(documents.get(String(id))!) as Stored;
  documents.set(String(id), JSON.stringify({ ...stored, ...change }));
}

/** The stored states of all scheduled messages. */
function storedStates(world: DeliveryWorld): string[] {
  const documents = world.node.memory.collections.get('scheduled_message')!;
  return [...documents.values()].map((text) => (JSON.parse(text) as Stored).value);
}

void t.test('a start follows the state that is stored, whatever it was before', async (t) => {
  const change = (world: DeliveryWorld, id: number, params: object) =>
    world.call('update-scheduled-message', 'hamlet', { scheduled_message_id: id, ...params });
  const from = {
    pending: () => undefined,
    delivering: (world: DeliveryWorld, id: number) => {
      const { actors } = world.org.scheduledMessages;
      world.transact((tx) => actors.wake(tx, world.org.scheduledMessages.resident(id)!));
    },
    failed: (world: DeliveryWorld, id: number) => {
      const { actors } = world.org.scheduledMessages;
      const waiting = world.org.scheduledMessages.resident(id)!;
      const begun = world.transact((tx) => actors.wake(tx, waiting));
      world.transact((tx) => actors.send(tx, begun, { type: 'refused', failure: 'why' }));
    },
  };
  for (const [before, prepare] of Object.entries(from)) {
    for (const value of ['pending', 'delivering', 'failed', 'sent', 'cancelled']) {
      await t.test(`${before} becomes ${value}`, async (t) => {
        const world = await DeliveryWorld.start({ start: false });
        const at = world.inSeconds(60);
        const id = await world.schedule('hello', at);
        await world.settle();
        prepare(world, id);
        await world.settle();
        t.same(storedStates(world), [before]);
        alter(world, id, { value });
        // Where the store's due index has it is of no account for what has begun, or has ended.
        if (value === 'pending')
          world.node.memory.due.get(DELIVERY_INDEX)!.set(`scheduled_message:${id}`, at * 1000);
        const next = await world.restart(world.now + 1000);
        const listed = async () =>
          (await next.call('get-scheduled-messages', 'hamlet', {})).scheduled_messages as object[];
        if (value === 'pending') {
          t.same(await next.texts('hamlet'), [], 'not before its time');
          t.match(await listed(), [{ failed: false }]);
          await next.advance(61_000, 1000);
          t.same(await next.texts('hamlet'), ['hello']);
        } else if (value === 'delivering') {
          t.same(await next.texts('hamlet'), ['hello'], 'at once');
          await next.advance(61_000, 1000);
          t.same(await next.texts('hamlet'), ['hello'], 'once');
        } else if (value === 'failed') {
          t.match(await listed(), [{ failed: true }]);
          await next.advance(61_000, 1000);
          t.same(await next.texts('hamlet'), [], 'it rests');
          await change(next, id, { scheduled_delivery_timestamp: next.inSeconds(2) });
          await next.advance(2250);
          t.same(await next.texts('hamlet'), ['hello'], 'until it is edited');
        } else {
          t.same(await listed(), []);
          t.same(storedStates(next), [], 'what has ended leaves no document');
          await next.advance(61_000, 1000);
          t.same(await next.texts('hamlet'), []);
          await t.rejects(change(next, id, { content: 'x' }), {
            status: 404,
            message: 'Scheduled message does not exist',
          });
        }
        t.same(next.faults, []);
        t.equal(next.delivery.active, 0);
      });
    }
  }
});

void t.test(
  'a state, a machine or a version that is none of its own is set aside, and not delivered',
  async (t) => {
    for (const change of [{ value: 'asleep' }, { machine: 'nonsense' }, { version: 3 }]) {
      const world = await DeliveryWorld.start({ start: false });
      const id = await world.schedule('hello', world.inSeconds(60));
      await world.settle();
      alter(world, id, change);
      const next = await world.restart(world.now);
      t.equal(next.org.setAside.size, 1, Object.keys(change).join());
      await next.advance(61_000, 1000);
      t.same(await next.texts('hamlet'), []);
    }
  },
);

void t.test('one whose state is damaged while the server runs is not delivered', async (t) => {
  const first = await DeliveryWorld.start({ start: false });
  const at = first.inSeconds(2);
  const id = await first.schedule('odd', at);
  await first.schedule('even', at);
  await first.settle();
  const world = await first.restart(first.now);
  alter(world, id, { value: 'asleep' });
  await world.advance(3000);
  t.same(await world.texts('hamlet'), ['even']);
  alter(world, id, { value: 'pending' });
  await world.advance(61_000, 1000);
  t.same(await world.texts('hamlet'), ['even', 'odd'], 'once it is repaired');
});

void t.test('deliveries that had begun go on at the next start, in order, each once', async (t) => {
  const world = await DeliveryWorld.start();
  const at = world.inSeconds(2);
  for (const [text, seconds] of [
    ['c', 2],
    ['a', 0],
    ['b', 1],
  ] as const) {
    await world.schedule(text, at + seconds);
  }
  await world.settle();
  const { gate, clock } = world.node;
  world.delivery.stop();
  // As a crash after the entry that began them, and before those that end them.
  const { scheduledMessages } = world.org;
  clock.jumpTo((at + 3) * 1000);
  world.transact((tx) => {
    for (const id of scheduledMessages.index.ofUser(world.user('hamlet').user_id)) {
      scheduledMessages.actors.wake(tx, scheduledMessages.resident(id)!);
    }
  });
  await world.settle();
  t.equal(gate.held.length, 0);
  t.same(storedStates(world), ['delivering', 'delivering', 'delivering']);
  t.same(world.delivery.countByState(), { delivering: 3 });
  const next = await world.restart(world.now);
  t.same(await next.texts('hamlet'), ['a', 'b', 'c']);
  const again = await next.restart(next.now);
  t.same(await again.texts('hamlet'), ['a', 'b', 'c']);
  t.same(again.delivery.countByState(), {});
});

void t.test('all items are counted by state, those in the store too', async (t) => {
  const world = await DeliveryWorld.start();
  await world.schedule('far', world.inSeconds(400 * DAY));
  await world.schedule('further', world.inSeconds(800 * DAY));
  const id = await world.schedule('doomed', world.inSeconds(1));
  const { user_id } = world.user('ophelia');
  world.transact((tx) => tx.org.users.update(user_id, { is_active: false }));
  await world.advance(1250);
  t.same(world.delivery.countByState(), { pending: 2, failed: 1 });
  await world.call('delete-scheduled-message', 'hamlet', { scheduled_message_id: id });
  t.same(world.delivery.countByState(), { pending: 2 });
});
