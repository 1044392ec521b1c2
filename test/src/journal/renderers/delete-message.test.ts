import t from 'tap';
import { deleteMessageEvents } from '../../../../schemas/messages/message-deletion.js';
import { Value } from 'typebox/value';
import {
  deleteMessageRenderer,
  type MessagesDeleted,
} from '../../../../src/journal/renderers/delete-message.js';
import { SharedEvent } from '../../../../src/journal/queues/delivery.js';
import type {
  Receiver,
  RenderableEvent,
} from '../../../../src/journal/renderers/event-renderer.js';
import { queueFilter } from '../../../fixtures/receive.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';

const renderer: EventRenderer = deleteMessageRenderer;

const CHANNEL: MessagesDeleted = {
  message_type: 'stream',
  message_ids: [3, 5, 8],
  stream_id: 7,
  topic: 'Lunch',
};
const DIRECT: MessagesDeleted = { message_type: 'private', message_ids: [4] };

function receiver(capabilities: Receiver['filter']['capabilities']): Receiver {
  return { userId: 1, queueId: 'queue', filter: queueFilter({ capabilities }), inAudience: true };
}

function bodies(data: MessagesDeleted, capabilities: Receiver['filter']['capabilities']) {
  const event: RenderableEvent = { type: 'delete_message', data, subject: undefined };
  const variant = renderer.variant(event, receiver(capabilities))!;
  const found = renderer.bodies(event, variant);
  for (const body of found) {
    const fits = deleteMessageEvents.filter((schema) => Value.Check(schema, body));
    t.equal(fits.length, 1, 'a body of exactly one published form');
  }
  return found;
}

void t.test('bulk_message_deletion: one event with message_ids', async (t) => {
  t.strictSame(bodies(CHANNEL, { bulk_message_deletion: true }), [
    {
      type: 'delete_message',
      message_type: 'stream',
      stream_id: 7,
      topic: 'Lunch',
      message_ids: [3, 5, 8],
    },
  ]);
  t.strictSame(bodies(DIRECT, { bulk_message_deletion: true }), [
    { type: 'delete_message', message_type: 'private', message_ids: [4] },
  ]);
});

void t.test('without it: one event per message, with message_id', async (t) => {
  t.strictSame(
    bodies(CHANNEL, {}),
    [3, 5, 8].map((message_id) => ({
      type: 'delete_message',
      message_type: 'stream',
      stream_id: 7,
      topic: 'Lunch',
      message_id,
    })),
  );
  t.strictSame(bodies(DIRECT, { bulk_message_deletion: false }), [
    { type: 'delete_message', message_type: 'private', message_id: 4 },
  ]);
});

void t.test('the empty topic is named for queues that cannot show it', async (t) => {
  const empty: MessagesDeleted = { ...CHANNEL, topic: '' };
  const bulk = { bulk_message_deletion: true };
  t.match(bodies(empty, bulk), [{ topic: 'general chat' }]);
  t.match(bodies(empty, { ...bulk, empty_topic_name: true }), [{ topic: '' }]);
  t.match(bodies(empty, {}), [{ topic: 'general chat', message_id: 3 }, {}, {}]);
  t.match(bodies(empty, { empty_topic_name: true }), [{ topic: '', message_id: 3 }, {}, {}]);
  const shared = [{}, { empty_topic_name: true }].map((capabilities) =>
    renderer.variant(
      { type: 'delete_message', data: CHANNEL, subject: undefined },
      receiver(capabilities),
    ),
  );
  t.equal(shared[0], shared[1], 'other topics are serialized once for both');
});

void t.test(
  'each of one by one has an id of its own; a cursor among them leaves the rest',
  async (t) => {
    const renderers = new Map([['delete_message', renderer]]);
    const event = {
      type: 'delete_message',
      audience: { to: 'users', users: [1] },
      data: CHANNEL,
      slots: 3,
    } as const;
    const shared = new SharedEvent(event, undefined, 5, 6, renderers);
    const text = shared.textFor(receiver({}))!;
    const parsed = (json: string) =>
      (JSON.parse(`[${json}]`) as { id: number; message_id: number }[]).map((one) => [
        one.id,
        one.message_id,
      ]);
    t.same(parsed(text.json), [
      [6, 3],
      [7, 5],
      [8, 8],
    ]);
    t.equal(text.id, 8);
    t.equal(text.first, 6);
    t.equal(text.after(text.first - 1), text);
    t.same(parsed(text.after(text.first).json), [
      [7, 5],
      [8, 8],
    ]);
    const bulk = shared.textFor(receiver({ bulk_message_deletion: true }))!;
    t.equal(bulk.id, 6, 'the bulk event has the first of the ids');
    t.equal(bulk.first, bulk.id);
  },
);
