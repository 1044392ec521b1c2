import t from 'tap';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { DeliveryWorld } from './fixtures/delivery-world.js';

/*
 * The due index is derived from the documents of scheduled messages and reminders. Whatever has become of it, the next
 * term delivers what they say, when they say it.
 */

/** Slots of the index by id. */
function slotsOf(world: DeliveryWorld): Map<string, number> {
  const { due } = world.node.memory;
  if (!due.has(DELIVERY_INDEX)) due.set(DELIVERY_INDEX, new Map());
  return due.get(DELIVERY_INDEX)!;
}

/** What the documents say of it. */
function documentsSay(world: DeliveryWorld): Record<string, number> {
  const said: Record<string, number> = {};
  for (const { index, name } of [world.org.scheduledMessages, world.org.reminders]) {
    for (const { id } of index.rows()) {
      const at = index.deadlineOf(id);
      if (typeof at === 'number') said[`${name}:${id}`] = at;
    }
  }
  return said;
}

void t.test('a term makes the due index anew where it differs from the documents', async (t) => {
  const first = await DeliveryWorld.start();
  const ids = [];
  for (const [content, seconds] of [
    ['lost', 20],
    ['late', 40],
    ['early', 60],
    ['as it was', 80],
  ] as const) {
    ids.push(await first.schedule(content, first.inSeconds(seconds)));
  }
  await first.settle();
  const [lost, late, early] = ids.map((id) => `scheduled_message:${id}`);
  const slots = slotsOf(first);
  const whole = new Map(slots);
  slots.delete(lost!);
  slots.set(late!, whole.get(late!)! + 9_000_000);
  slots.set(early!, whole.get(early!)! - 30_000);
  slots.set('scheduled_message:999', 5);
  slots.set('of another time', 7);

  const world = await first.restart(first.now);
  t.strictSame(slotsOf(world), whole);
  t.strictSame(world.remade, [{ missing: 1, moved: 2, surplus: 2 }]);
  for (const expected of [
    ['lost'],
    ['lost', 'late'],
    ['lost', 'late', 'early'],
    ['lost', 'late', 'early', 'as it was'],
  ]) {
    await world.advance(20_000);
    t.strictSame(await world.texts('hamlet'), expected);
  }
  t.strictSame(world.faults, []);
});

void t.test('an index that is gone holds nothing back, what comes new neither', async (t) => {
  const first = await DeliveryWorld.start();
  await first.schedule('before', first.inSeconds(30));
  await first.settle();
  first.node.memory.due.clear();
  const world = await first.restart(first.now);
  await world.schedule('after', world.inSeconds(40));
  await world.advance(41_000);
  t.strictSame(await world.texts('hamlet'), ['before', 'after']);
  t.strictSame(world.remade, [{ missing: 1, moved: 0, surplus: 0 }]);
});

void t.test('a whole index is read, and nothing is written or told', async (t) => {
  const first = await DeliveryWorld.start();
  await first.schedule('due', first.inSeconds(3600));
  await first.settle();
  const { nextSeq } = first.node.journal;
  const world = await first.restart(first.now);
  t.equal(world.node.journal.nextSeq, nextSeq);
  t.strictSame(world.remade, []);
});

void t.test('whatever an index has become, the next term has what the documents say', async (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    let state = seed;
    const below = (end: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % end;
    };
    const first = await DeliveryWorld.start();
    for (let i = 0; i < 8; i++) {
      const id = await first.schedule(`m${i}`, first.inSeconds(10 + below(100)));
      if (below(4) === 0) {
        const edit = { scheduled_message_id: id, content: 'edited' };
        await first.call('update-scheduled-message', 'hamlet', edit);
      }
    }
    await first.settle();
    const slots = slotsOf(first);
    for (const id of [...slots.keys()]) {
      const kind = below(4);
      if (kind === 0) slots.delete(id);
      if (kind === 1) slots.set(id, below(2_000_000_000));
      if (kind === 2) slots.set(`reminder:${below(50)}`, first.now + below(100_000));
    }
    const world = await first.restart(first.now);
    t.strictSame(Object.fromEntries(slotsOf(world)), documentsSay(world), `seed ${seed}`);
    await world.advance(115_000, 2500);
    t.equal((await world.texts('hamlet')).length, 8, `seed ${seed}: everything is delivered`);
    world.delivery.stop();
  }
});
