import t from 'tap';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type {
  Receiver,
  RenderableEvent,
} from '../../../../src/journal/renderers/event-renderer.js';
import { messageFlagsRenderer } from '../../../../src/journal/renderers/message-flags.js';
import {
  messageRenderer,
  type MessageEventData,
} from '../../../../src/journal/renderers/message.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import { messageDocument } from '../../organization/messages/fixtures/small-organization.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';

const renderer: EventRenderer = messageRenderer;
const flagsRenderer: EventRenderer = messageFlagsRenderer;

const PLAIN_FILTER: QueueFilter = {
  event_types: null,
  apply_markdown: false,
  client_gravatar: false,
  slim_presence: false,
  include_subscribers: false,
  all_public_streams: false,
  narrow: [],
  capabilities: {},
};

const DATA: MessageEventData = {
  sender: { full_name: 'Ann', email: 'ann@example.com', avatar_url: 'https://a', computable: true },
  realm: 'example',
  recipient: 'general',
};

function receiver(filter: Partial<QueueFilter> = {}, rest: Partial<Receiver> = {}): Receiver {
  return {
    userId: 2,
    queueId: 'q2',
    inAudience: true,
    ...rest,
    filter: { ...PLAIN_FILTER, ...filter },
  };
}

function eventOf(
  data: Partial<MessageEventData>,
  message: Partial<MessageDocument> = {},
): RenderableEvent {
  return {
    type: 'message',
    data: { ...DATA, ...data },
    subject: messageDocument({ id: 7, ...message }),
  };
}

function bodyFor(event: RenderableEvent, to: Receiver): Record<string, unknown> | null {
  const variant = renderer.variant(event, to);
  return variant === null ? null : renderer.bodies(event, variant)[0]!;
}

void t.test('the event of a channel message, whole', async (t) => {
  t.same(bodyFor(eventOf({}), receiver({ apply_markdown: true })), {
    type: 'message',
    flags: [],
    message: {
      id: 7,
      sender_id: 1,
      content: '<p>message 7</p>',
      content_type: 'text/html',
      recipient_id: 101,
      timestamp: 1_700_000_007,
      client: 'test',
      subject: 'lunch',
      topic_links: [],
      is_me_message: false,
      reactions: [],
      submessages: [],
      sender_full_name: 'Ann',
      sender_email: 'ann@example.com',
      sender_realm_str: 'example',
      display_recipient: 'general',
      type: 'stream',
      stream_id: 1,
      avatar_url: 'https://a',
    },
  });
});

void t.test('a direct message has participants, and no channel', async (t) => {
  const people = [{ id: 1, email: 'a', full_name: 'Ann', is_mirror_dummy: false as const }];
  const event = eventOf(
    { recipient: people },
    { stream_id: null, topic: '', content: '/me waves' },
  );
  const { message } = bodyFor(event, receiver()) as { message: Record<string, unknown> };
  t.match(message, {
    type: 'private',
    subject: '',
    display_recipient: people,
    is_me_message: true,
    content_type: 'text/x-markdown',
  });
  t.notOk('stream_id' in message);
});

void t.test('queues differ in what they asked for', async (t) => {
  const message = (event: RenderableEvent, to: Receiver) =>
    bodyFor(event, to)!.message as Record<string, unknown>;
  t.equal(message(eventOf({}), receiver({ client_gravatar: true })).avatar_url, null);
  const uploaded = eventOf({ sender: { ...DATA.sender, computable: false } });
  t.equal(message(uploaded, receiver({ client_gravatar: true })).avatar_url, 'https://a');
  const empty = eventOf({}, { topic: '' });
  t.equal(message(empty, receiver()).subject, 'general chat');
  t.equal(message(empty, receiver({ capabilities: { empty_topic_name: true } })).subject, '');
  t.equal(
    renderer.variant(uploaded, receiver({ client_gravatar: true })),
    renderer.variant(uploaded, receiver({ capabilities: { empty_topic_name: true } })),
    'queues share a text when the difference does not show',
  );
});

void t.test('flags are the receiver’s', async (t) => {
  const event = eventOf({
    everyone: ['stream_wildcard_mentioned', 'wildcard_mentioned'],
    flags: { 1: ['read'], 2: ['mentioned', 'has_alert_word'] },
    public: true,
  });
  const flags = (to: Receiver) => bodyFor(event, to)!.flags;
  t.same(flags(receiver()), [
    'mentioned',
    'stream_wildcard_mentioned',
    'wildcard_mentioned',
    'has_alert_word',
  ]);
  t.same(flags(receiver({}, { userId: 1 })), [
    'read',
    'stream_wildcard_mentioned',
    'wildcard_mentioned',
  ]);
  t.same(flags(receiver({}, { userId: 3 })), ['stream_wildcard_mentioned', 'wildcard_mentioned']);
  t.same(flags(receiver({}, { inAudience: false })), [], 'who did not receive it has no flags');
});

void t.test('only the queue that sent it learns the local id', async (t) => {
  const event = eventOf({ local: { queue_id: 'q1', local_id: 'a;b' } });
  const sender = receiver({}, { userId: 1, queueId: 'q1' });
  t.equal(bodyFor(event, sender)!.local_message_id, 'a;b');
  t.notOk('local_message_id' in bodyFor(event, receiver({}, { userId: 1, queueId: 'q9' }))!);
  t.notOk(
    'local_message_id' in bodyFor(event, receiver({}, { userId: 2, queueId: 'q1' }))!,
    'a sender cannot reach into the queue of somebody else',
  );
});

void t.test('queues outside the audience get public messages that pass their narrow', async (t) => {
  const outside = { inAudience: false };
  t.equal(bodyFor(eventOf({}), receiver({}, outside)), null, 'private channels are not for them');
  t.ok(bodyFor(eventOf({ public: true }), receiver({}, outside)));
  const passes = (
    narrow: QueueFilter['narrow'],
    data: Partial<MessageEventData> = {},
    message: Partial<MessageDocument> = {},
  ) => bodyFor(eventOf({ public: true, ...data }, message), receiver({ narrow })) !== null;
  const direct = { stream_id: null, topic: '' };
  const cases: [boolean, boolean][] = [
    [passes([['stream', 'GENERAL']]), true],
    [passes([['channel', 'other']]), false],
    [passes([['channel', 'general']], { recipient: [] }, direct), false],
    [passes([['topic', 'Lunch']]), true],
    [passes([['topic', 'general chat']], {}, { topic: '' }), true],
    [passes([['topic', '']], { recipient: [] }, direct), false],
    [passes([['sender', 'ANN@example.com']]), true],
    [passes([['sender', 'bob@example.com']]), false],
    [passes([['is', 'dm']]), false],
    [passes([['is', 'private']], { recipient: [] }, direct), true],
    [passes([['is', 'unread']]), true],
    [passes([['is', 'unread']], { flags: { 2: ['read'] } }), false],
    [passes([['is', 'alerted']], { flags: { 2: ['mentioned'] } }), true],
    [passes([['is', 'mentioned']]), false],
    [passes([['is', 'starred']]), false],
    [passes([['is', 'resolved']], {}, { topic: '✔ lunch' }), true],
    [passes([['is', 'resolved']]), false],
    [passes([['is', 'followed']]), false],
    [passes([['is', 'anything']]), true],
    [
      passes([
        ['stream', 'general'],
        ['topic', 'dinner'],
      ]),
      false,
    ],
  ];
  for (const [i, [actual, expected]] of cases.entries()) t.equal(actual, expected, `case ${i}`);
});

void t.test('a message that is gone from the journal goes to nobody', async (t) => {
  t.equal(renderer.variant({ ...eventOf({}), subject: undefined }, receiver()), null);
});

void t.test(
  'details of unread messages name the empty topic as the queue can show it',
  async (t) => {
    const details = (topic: string) => ({
      type: 'stream' as const,
      stream_id: 1,
      topic,
      unmuted_stream_msg: true,
    });
    const direct = { type: 'private' as const, user_ids: [3] };
    const event: RenderableEvent = {
      type: 'update_message_flags',
      data: { op: 'remove', message_details: { 1: details(''), 2: details('a'), 3: direct } },
      subject: undefined,
    };
    const body = (capabilities: QueueFilter['capabilities']) => {
      const variant = flagsRenderer.variant(event, receiver({ capabilities }))!;
      return flagsRenderer.bodies(event, variant)[0]!;
    };
    t.same(body({ empty_topic_name: true }), { type: event.type, ...event.data });
    t.same(body({}), {
      type: event.type,
      op: 'remove',
      message_details: { 1: details('general chat'), 2: details('a'), 3: direct },
    });
  },
);
