import t from 'tap';
import { Value } from 'typebox/value';
import { scheduledMessageEvents } from '../../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import {
  deliverScheduledMessage,
  failScheduledMessage,
} from '../../../../src/organization/scheduling/scheduled-messages.js';
import { DELIVERY_INDEX } from '../../../../src/organization/state/scheduled/scheduled-collection.js';
import { START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { LATER, markdown, refused, World } from './fixtures/scheduling-world.js';

void t.test('PATCH: each field, announced by an update', async (t) => {
  const world = new World();
  const { general, owner } = world;
  const id = await world.id(world.create());
  const steps: [Body, Body][] = [
    [
      { content: 'new ~~text~~' },
      { content: 'new ~~text~~', rendered_content: '<p>new <del>text</del></p>' },
    ],
    [{ scheduled_delivery_timestamp: LATER + 5 }, { scheduled_delivery_timestamp: LATER + 5 }],
    [{ to: [owner.user_id] }, { to: [owner.user_id], content: 'new ~~text~~' }],
    [{ topic: 'ignored' }, { type: 'private', to: [owner.user_id] }],
    [
      { type: 'channel', to: general.stream_id, topic: 'plot' },
      { type: 'stream', to: general.stream_id, topic: 'plot' },
    ],
    [{ topic: 'twist' }, { topic: 'twist', to: general.stream_id }],
    [{ to: general.stream_id }, { topic: 'twist' }],
    [
      { type: 'direct', to: [owner.user_id] },
      { type: 'private', to: [owner.user_id] },
    ],
  ];
  for (const [changes, shown] of steps) {
    world.mark = world.position;
    t.strictSame(await world.edit(id, changes), {});
    const [record] = await world.list();
    t.match(record, { scheduled_message_id: id, failed: false, ...shown });
    t.strictSame(world.seen(), [
      { type: 'scheduled_messages', op: 'update', scheduled_message: record },
    ]);
  }
  t.notOk('topic' in (await world.list())[0]!);
  t.equal(world.document(id).context.client, 'editor', 'the newest program counts');
  t.same(world.lastDue, [
    { index: DELIVERY_INDEX, id: 'scheduled_message:1', at: (LATER + 5) * 1000 },
  ]);
});

void t.test('PATCH: refusals in the words of the contract', async (t) => {
  const world = new World();
  const { general, ophelia } = world;
  const direct = await world.id(world.create());
  const channel = await world.id(world.toChannel());
  const rows: [id: number, changes: Body, error: Body][] = [
    [direct, {}, { message: 'Nothing to change' }],
    [
      direct,
      { type: 'channel', topic: 'x' },
      { message: 'Recipient required when updating type of scheduled message.' },
    ],
    [
      direct,
      { type: 'stream', to: general.stream_id },
      { message: 'Topic required when updating scheduled message type to channel.' },
    ],
    [
      direct,
      { scheduled_delivery_timestamp: START_SECONDS },
      { message: 'Scheduled delivery time must be in the future.' },
    ],
    [direct, { to: [999] }, { message: 'Invalid user ID 999' }],
    [direct, { to: general.stream_id }, { message: 'Invalid data type for recipients' }],
    [direct, { content: '' }, { message: 'Message must not be empty' }],
    [channel, { to: 99 }, { code: 'STREAM_DOES_NOT_EXIST', fields: { stream_id: 99 } }],
    [channel, { topic: '\0' }, { message: 'Topic must not contain null bytes' }],
    [99, { content: 'x' }, { status: 404, message: 'Scheduled message does not exist' }],
  ];
  for (const [id, changes, error] of rows)
    await refused(t, world, () => world.edit(id, changes), error);
  await refused(t, world, () => world.edit(direct, { content: 'x' }, ophelia), {
    status: 404,
    message: 'Scheduled message does not exist',
  });
  // A change of content, type or recipient repeats the checks; a change of time does not.
  world.transact((tx) => tx.org.channels.update(general.stream_id, { is_archived: true }));
  for (const changes of [{ content: 'x' }, { topic: 'x' }]) {
    await refused(t, world, () => world.edit(channel, changes), {
      message: "Not authorized to send to channel 'general'",
    });
  }
  t.strictSame(await world.edit(channel, { scheduled_delivery_timestamp: LATER + 1 }), {});
});

void t.test('PATCH: what failed needs a future time, which clears the failure', async (t) => {
  const world = new World();
  const id = await world.id(world.create());
  const begun = world.wake(id);
  world.transact((tx) => failScheduledMessage(tx, markdown, begun, 'why'));
  t.equal(world.document(id).context.failure, 'why');
  await refused(t, world, () => world.edit(id, { content: 'better' }), {
    message: 'Scheduled delivery time must be in the future.',
  });
  await world.edit(id, { scheduled_delivery_timestamp: LATER + 60 });
  t.match(world.document(id), { value: 'pending', context: { failure: null } });
  t.match(world.lastDue, [{ at: (LATER + 60) * 1000 }]);
});

// [c:scheduled-delivered]
void t.test('PATCH and DELETE of what was delivered', async (t) => {
  const world = new World();
  const id = await world.id(world.create());
  const begun = world.wake(id);
  world.transact((tx) => deliverScheduledMessage(tx, markdown, begun, Infinity));
  const remove = (caller: UserDocument) =>
    world.do('delete-scheduled-message', { scheduled_message_id: id }, caller);
  const sent = { message: 'Scheduled message was already sent' };
  await refused(t, world, () => world.edit(id, { content: 'x' }), sent);
  const mark = world.position;
  t.strictSame(await remove(world.hamlet), {});
  t.strictSame(await remove(world.hamlet), {}, 'however often');
  t.strictSame(world.received(world.hamlet, mark), [], 'without an event');
  await refused(t, world, () => remove(world.ophelia), {
    status: 404,
    message: 'Scheduled message does not exist',
  });
});

void t.test(
  'PATCH and DELETE are refused once the delivery has begun, and change nothing',
  async (t) => {
    const world = new World();
    const id = await world.id(world.create());
    const begun = world.wake(id);
    t.equal(begun.value, 'delivering');
    const sent = { message: 'Scheduled message was already sent' };
    const later = { scheduled_delivery_timestamp: LATER + 60 };
    for (const changes of [{ content: 'x' }, later, { content: 'x', ...later }]) {
      await refused(t, world, () => world.edit(id, changes), sent);
    }
    const remove = () => world.do('delete-scheduled-message', { scheduled_message_id: id });
    await refused(t, world, remove, sent);
    t.equal(world.document(id), begun);
    const ends = [{ type: 'cancel' }, { type: 'edit', changes: {}, now: 0 }] as const;
    for (const event of ends) {
      t.throws(
        () => world.transact((tx) => tx.org.scheduledMessages.actors.send(tx, begun, event)),
        { message: `Item ${id} is delivering, and takes no ${event.type}` },
      );
    }
    world.transact((tx) => deliverScheduledMessage(tx, markdown, begun, Infinity));
    t.throws(
      () =>
        world.transact((tx) =>
          deliverScheduledMessage(tx, markdown, { ...begun, value: 'sent' }, Infinity),
        ),
      { message: `Item ${id} is sent, and takes no delivered` },
      'what was sent cannot be sent',
    );
  },
);

void t.test('DELETE removes the own scheduled message, once', async (t) => {
  const world = new World();
  const id = await world.id(world.create());
  world.mark = world.position;
  const remove = (caller = world.hamlet) =>
    world.do('delete-scheduled-message', { scheduled_message_id: id }, caller);
  await refused(t, world, () => remove(world.ophelia), {
    status: 404,
    message: 'Scheduled message does not exist',
  });
  t.strictSame(await remove(), {});
  t.strictSame(world.seen(), [
    { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id },
  ]);
  t.strictSame(await world.list(), []);
  t.same(world.lastDue, [{ index: DELIVERY_INDEX, id: 'scheduled_message:1', at: null }]);
  await refused(t, world, () => remove(), {
    status: 404,
    message: 'Scheduled message does not exist',
  });
});

// [c:scheduled-events]
void t.test('every event is as published', async (t) => {
  const world = new World();
  const id = await world.id(world.toChannel());
  await world.edit(id, { content: 'x' });
  const begun = world.wake(id);
  world.transact((tx) => failScheduledMessage(tx, markdown, begun, 'why'));
  await world.do('delete-scheduled-message', { scheduled_message_id: id });
  const events = world.seen();
  t.same(
    events.map(({ op }) => op),
    ['add', 'update', 'update', 'remove'],
  );
  for (const event of events) {
    t.ok(scheduledMessageEvents.some((schema) => Value.Check(schema, event)));
  }
});
