import t from 'tap';
import { LOOK_AHEAD_MS, MAX_SOON } from '../../../../src/organization/scheduling/due-soon.js';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { bodies, DeliveryWorld, kinds } from './fixtures/delivery-world.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

void t.test(
  'delivered on time: the delivery begins, then the message and the end of its schedule are one entry',
  async (t) => {
    const world = await DeliveryWorld.start();
    const id = await world.schedule('hello', world.inSeconds(3));
    const author = await world.listen('hamlet');
    const reader = await world.listen('ophelia');
    await world.advance(2750);
    t.same(kinds(reader), []);
    const before = world.node.journal.nextSeq;
    await world.advance(250);
    t.same(kinds(author), ['message', 'scheduled_messages remove']);
    t.same(bodies(author)[1], {
      type: 'scheduled_messages',
      op: 'remove',
      scheduled_message_id: id,
    });
    t.same(kinds(reader), ['message'], 'others are not told of the schedule');
    const { collections, due, journal } = world.node.memory;
    const [begun, ended, ...more] = [before, before + 1, before + 2].map((seq) => journal.get(seq));
    t.match(JSON.parse(begun!), {
      changes: [['scheduled_message', String(id), 'merge', { value: 'delivering' }]],
      events: [],
    });
    t.equal((JSON.parse(ended!) as { events: unknown[] }).events.length, 2);
    t.same(more, [undefined]);
    t.equal(collections.get('scheduled_message')?.size, 0);
    t.equal(due.get(DELIVERY_INDEX)?.size, 0);
    t.equal(world.delivery.active, 0);
    t.same(world.faults, []);
  },
);

void t.test('what is far off has no armed deadline and no document in memory', async (t) => {
  const world = await DeliveryWorld.start();
  await world.schedule('far', world.inSeconds(400 * DAY));
  await world.schedule('near', world.inSeconds(LOOK_AHEAD_MS / 1000 + 20));
  await world.settle();
  t.equal(world.delivery.active, 0);
  t.equal(world.org.scheduledMessages.uncommitted, 0, 'durable documents are let go');
  await world.advance(25_000);
  t.equal(world.delivery.active, 1);
  await world.advance(5_000);
  t.same(await world.texts('hamlet'), ['near']);
  world.node.clock.jumpTo(world.now + 400 * DAY * 1000);
  await world.advance(1000);
  t.same(await world.texts('hamlet'), ['near', 'far'], 'beyond the 24.8 days of a timer');
});

void t.test('an edit to another time', async (t) => {
  const world = await DeliveryWorld.start();
  const id = await world.schedule('moved', world.inSeconds(3));
  await world.advance(1000);
  const at = world.inSeconds(5);
  await world.call('update-scheduled-message', 'hamlet', {
    scheduled_message_id: id,
    scheduled_delivery_timestamp: at,
  });
  await world.advance(4750);
  t.same(await world.texts('hamlet'), []);
  await world.advance(500);
  t.same(await world.texts('hamlet'), ['moved']);
  const far = await world.schedule('far', world.inSeconds(DAY));
  await world.call('update-scheduled-message', 'hamlet', {
    scheduled_message_id: far,
    scheduled_delivery_timestamp: world.inSeconds(1),
    content: 'near',
  });
  await world.advance(1250);
  t.same(await world.texts('hamlet'), ['moved', 'near']);
  const near = await world.schedule('put off', world.inSeconds(2));
  await world.settle();
  t.equal(world.delivery.active, 1);
  await world.call('update-scheduled-message', 'hamlet', {
    scheduled_message_id: near,
    scheduled_delivery_timestamp: world.inSeconds(DAY),
  });
  await world.settle();
  t.equal(world.delivery.active, 0, 'what is put off waits in the store again');
});

void t.test('edit and cancel while the delivery has begun', async (t) => {
  const world = await DeliveryWorld.start();
  const at = world.inSeconds(2);
  const [edited, put, gone] = [
    await world.schedule('edited', at),
    await world.schedule('put off', at),
    await world.schedule('gone', at),
  ];
  await world.settle();
  // The deadline fires and asks for documents; nothing that waits goes on before the changes are made.
  const { clock } = world.node;
  clock.advance(2000);
  const change = (id: number, more: object) =>
    world.call('update-scheduled-message', 'hamlet', { scheduled_message_id: id, ...more });
  await Promise.all([
    change(edited, { content: 'edited in time' }),
    change(put, { scheduled_delivery_timestamp: world.inSeconds(60) }),
    world.call('delete-scheduled-message', 'hamlet', { scheduled_message_id: gone }),
  ]);
  await world.settle();
  t.same(await world.texts('hamlet'), ['edited in time']);
  await t.rejects(change(edited, { content: 'x' }), {
    status: 400,
    message: 'Scheduled message was already sent',
  });
  await t.rejects(change(gone, { content: 'x' }), {
    status: 404,
    message: 'Scheduled message does not exist',
  });
  await world.advance(60_250);
  t.same(await world.texts('hamlet'), ['edited in time', 'put off']);
  t.same(world.faults, []);
});

void t.test('a change that fails changes nothing', async (t) => {
  const world = await DeliveryWorld.start();
  const id = await world.schedule('stays', world.inSeconds(2));
  await world.settle();
  t.throws(() =>
    world.transact((tx) => {
      tx.org.scheduledMessages.delete(tx, id);
      throw new Error('after all not');
    }),
  );
  await world.advance(2250);
  t.same(await world.texts('hamlet'), ['stays']);
});

void t.test('the clock is set forwards and backwards', async (t) => {
  const world = await DeliveryWorld.start();
  await world.schedule('soon', world.inSeconds(5));
  await world.schedule('in an hour', world.inSeconds(HOUR));
  await world.settle();
  world.node.clock.jumpTo(world.now + HOUR * 1000);
  await world.advance(1000);
  t.same(await world.texts('hamlet'), ['soon', 'in an hour'], 'forwards: within a second');
  await world.schedule('next', world.inSeconds(5));
  await world.schedule('after', world.inSeconds(60));
  await world.settle();
  world.node.clock.jumpTo(world.now - HOUR * 1000);
  await world.advance(10_000, 500);
  t.equal((await world.texts('hamlet')).length, 2, 'backwards: not before its time');
  world.node.clock.jumpTo(world.now + HOUR * 1000);
  await world.advance(1000);
  t.equal((await world.texts('hamlet')).length, 3);
  await world.advance(60_000, 500);
  t.equal((await world.texts('hamlet')).length, 4);
});

void t.test('overdue at start-up: at once, in order of their times', async (t) => {
  const world = await DeliveryWorld.start({ start: false });
  const now = world.inSeconds(0);
  for (const [text, at] of [
    ['c', 30],
    ['a', 10],
    ['b', 20],
    ['b2', 20],
    ['later', 4000],
  ] as const) {
    await world.schedule(text, now + at);
  }
  await world.settle();
  const next = await world.restart((now + 60) * 1000);
  t.same(await next.texts('hamlet'), ['a', 'b', 'b2', 'c']);
  t.equal(next.org.scheduledMessages.size, 1);
});

void t.test('overdue by more than two hours: failed, and the author is told', async (t) => {
  const world = await DeliveryWorld.start({ start: false });
  const at = world.inSeconds(10);
  const old = await world.schedule('too late', at);
  await world.schedule('late', at + 60);
  await world.settle();
  const next = await world.restart((at + 2 * HOUR + 1) * 1000);
  t.same(await next.texts('hamlet'), ['late']);
  const { scheduled_messages } = await next.call('get-scheduled-messages', 'hamlet', {});
  t.match(scheduled_messages, [{ scheduled_message_id: old, failed: true }]);
  const time = new Date(at * 1000).toISOString().replace('.000Z', 'Z');
  t.same(await next.texts('notification-bot'), [
    `The message you scheduled for <time:${time}> was not sent because of the following error: ` +
      'Message could not be sent at the scheduled time.',
  ]);
  t.equal(next.node.memory.due.get(DELIVERY_INDEX)?.size, 0, 'it is not tried again');
  const again = await next.restart(next.now + 1000);
  t.equal((await again.texts('notification-bot')).length, 1);
});

void t.test('a message later than the configured bound fails with a notice', async (t) => {
  const world = await DeliveryWorld.start({ start: false });
  const at = world.inSeconds(10);
  await world.schedule('late', at);
  await world.settle();
  const next = await world.restart((at + 11) * 1000, { lateLimitMs: 10_000 });
  t.same(await next.texts('hamlet'), []);
  t.match(await next.texts('notification-bot'), [/could not be sent at the scheduled time\.$/]);
});

void t.test('while the store takes no commits deliveries wait and go on afterwards', async (t) => {
  const world = await DeliveryWorld.start();
  for (let i = 0; i < 5; i++) await world.schedule(`m${i}`, world.inSeconds(2 + i));
  const reader = await world.listen('ophelia');
  const { gate } = world.node;
  gate.holding = true;
  await world.advance(2000);
  t.equal(gate.held.length, 1);
  gate.held.shift()!.refuse(new Error('no store'));
  await world.advance(3000);
  t.same(kinds(reader), [], 'nothing is told');
  gate.holding = false;
  for (const held of gate.held.splice(0)) await held.accept();
  if (world.node.journal.isFailing) await world.node.recovered();
  await world.advance(4000);
  const texts = bodies(reader).map(({ message }) => (message as { content: string }).content);
  t.same(texts, ['m0', 'm1', 'm2', 'm3', 'm4'], 'each once, in order');
  t.same(world.faults, []);
});

void t.test('an index that cannot be read is asked again', async (t) => {
  const world = await DeliveryWorld.start({ start: false });
  await world.schedule('patience', world.inSeconds(1));
  await world.settle();
  world.indexFails = true;
  world.delivery.start();
  await world.advance(1500);
  t.ok(world.reads > 1);
  t.match(world.faults[0], { message: 'no index' });
  world.indexFails = false;
  await world.advance(1000);
  t.same(await world.texts('hamlet'), ['patience']);
});

void t.test('more than may be armed at the same time', async (t) => {
  const world = await DeliveryWorld.start();
  const count = 2 * MAX_SOON + 500;
  const at = world.inSeconds(5);
  for (let i = 0; i < count; i++) {
    await world.schedule(`m${i}`, at);
    if (i % 200 === 0) await world.settle(5);
  }
  await world.settle();
  t.ok(world.delivery.active <= MAX_SOON, `${world.delivery.active} at once`);
  const before = await world.schedule('before them', at - 1);
  t.ok(before > 0);
  await world.advance(4500);
  t.same(await world.texts('hamlet'), ['before them'], 'what is earlier is not kept waiting');
  await world.advance(1000);
  await world.settle(400);
  const texts = await world.texts('hamlet');
  t.equal(texts.length, count + 1);
  t.equal(new Set(texts).size, count + 1, 'each once');
  t.equal(world.org.scheduledMessages.size, 0);
  t.same(world.faults, []);
});

void t.test('nothing happens after the end', async (t) => {
  const world = await DeliveryWorld.start();
  await world.schedule('never', world.inSeconds(1));
  await world.settle();
  world.delivery.stop();
  await world.advance(3000);
  t.same(await world.texts('hamlet'), []);
});

void t.test('an idle organization sets no timer', async (t) => {
  const world = await DeliveryWorld.start();
  await world.settle();
  t.equal(world.node.clock.pending, 0);
  await world.schedule('one', world.inSeconds(1));
  await world.advance(1500);
  await world.advance(1000);
  t.equal(world.node.clock.pending, 0, 'nor after the last was delivered');
});
