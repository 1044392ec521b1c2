import t from 'tap';
import { DeliveryWorld } from './fixtures/delivery-world.js';

/** Ids of all messages there are. */
function messageIds({ org }: DeliveryWorld): Set<number> {
  const last = Math.max(org.counters.last('message'), org.counters.last('scheduled_message'));
  const ids = Array.from({ length: last + 1 }, (_, id) => id);
  return new Set(ids.filter((id) => org.messages.has(id)));
}

/** `id`s that both have. */
function shared(scheduled: readonly number[], messages: ReadonlySet<number>): number[] {
  return scheduled.filter((id) => messages.has(id));
}

// [c:scheduled-id-no-message]
void t.test('no scheduled message has the id of a message, its own least of all', async (t) => {
  const world = await DeliveryWorld.start();
  const scheduled: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i <= round; i++) {
      scheduled.push(await world.schedule(`${round}.${i}`, world.inSeconds(1 + (i % 2))));
    }
    await world.advance(3000);
  }
  t.equal((await world.texts('hamlet')).length, scheduled.length, 'all were delivered');
  t.same(shared(scheduled, messageIds(world)), []);
  t.equal(new Set(scheduled).size, scheduled.length);
});

void t.test('a store of before, where both were numbered on their own', async (t) => {
  const world = await DeliveryWorld.start();
  const given = await world.schedule('to come', world.inSeconds(2));
  const former = world.org.scheduledMessages.resident(given)!;
  await world.settle();
  // As the base commit left it: the schedule has the number that the next message would get.
  const { org } = world;
  const next = org.counters.last('message') + 1;
  world.transact((tx) => {
    org.scheduledMessages.delete(tx, given);
    org.scheduledMessages.actors.begin(tx, { ...former.context, id: next });
    org.counters.insert({ name: 'scheduled_message', last: next + 7 });
  });
  await world.settle();
  const after = await world.restart(world.now);
  const fresh = await after.schedule('also', after.inSeconds(3));
  await after.advance(4000);
  t.same(await after.texts('hamlet'), ['to come', 'also'], 'it keeps its id and is delivered');
  t.same(shared([next, fresh], messageIds(after)), []);
  t.ok(
    Math.min(...[...messageIds(after)].filter((id) => id >= next)) > next + 7,
    'above all of them',
  );
});
