import t from 'tap';
import type { EndpointDescriptor } from '../../../../schemas/endpoint.js';
import { LARGEST_ANCHOR } from '../../../../schemas/limits.js';
import { ApiError } from '../../../../src/errors/index.js';
import type { CallerRequest } from '../../../../src/resources/kernel/handler.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import type { Reply } from '../../../../src/resources/kernel/route.js';
import { decoded } from '../../../fixtures/living-organization.js';
import {
  markdown,
  SmallOrganization,
} from '../../organization/messages/fixtures/small-organization.js';

type Operation = 'send-message' | 'get-messages' | 'get-message' | 'update-message-flags';

/** What the decoder fills in where a request says nothing. */
const DEFAULTS: Partial<Record<Operation, Record<string, unknown>>> = {
  'get-messages': {
    use_first_unread_anchor: false,
    include_anchor: true,
    narrow: [],
    client_gravatar: true,
    apply_markdown: true,
    allow_empty_topic_name: false,
  },
  'get-message': { apply_markdown: true, allow_empty_topic_name: false },
};

const handlers = new Map(messageHandlers(markdown).map((one) => [one.endpoint.operation, one]));

async function call(
  small: SmallOrganization,
  operation: Operation,
  params: Record<string, unknown>,
  userId = 1,
  clientName = 'test',
): Promise<Reply> {
  const handler = handlers.get(operation)!;
  const request = {
    params: { ...DEFAULTS[operation], ...params },
    clientName,
    remoteAddress: '',
    user: small.org.users.get(userId)!,
  } as unknown as CallerRequest<EndpointDescriptor>;
  const loaded = await handler.prepare?.(small.org, request);
  return decoded(small.run((tx) => handler.run(tx, request, loaded)).result);
}

async function refusal(...args: Parameters<typeof call>): Promise<Record<string, unknown>> {
  try {
    await call(...args);
  } catch (error) {
    if (error instanceof ApiError) return error.body();
    throw error;
  }
  throw new Error('It was not refused');
}

function team(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.channel(1, 'general');
  small.channel(2, '2024', {});
  small.channel(3, 'hidden', { invite_only: true });
  small.subscribe(1, 1);
  small.subscribe(2, 1);
  small.conversation(201, [1, 2]);
  small.load('counter', { name: 'recipient', last: 500 });
  return small;
}

void t.test('recipients in every form that clients send', async (t) => {
  const small = team();
  const where = async (type: string, to: unknown): Promise<number> => {
    const { id } = await call(small, 'send-message', { type, to, content: 'x', topic: 'a' });
    return small.stored.get(id as number)!.recipient_id;
  };
  const cases: [string, unknown, number][] = [
    ['stream', 'GENERAL', 101],
    ['channel', 1, 101],
    ['channel', [1], 101],
    ['stream', ['general'], 101],
    ['stream', 2024, 102],
    ['private', [2], 201],
    ['direct', 2, 201],
    ['direct', ['bob@example.com'], 201],
    ['private', 'bob@example.com', 201],
    ['private', 'bob@example.com, ann@example.com', 201],
    ['direct', ['user2@chat.example.com', 'bob@example.com'], 201],
  ];
  for (const [type, to, expected] of cases) {
    t.equal(await where(type, to), expected, `${type} ${JSON.stringify(to)}`);
  }
});

void t.test('refused recipients, in their words', async (t) => {
  const small = team();
  const cases: [string, unknown, Record<string, unknown>][] = [
    ['shout', 1, { msg: 'Invalid message type' }],
    ['stream', '', { msg: 'Missing channel' }],
    ['stream', [1, 2], { msg: 'Expected exactly one channel' }],
    ['stream', { id: 1 }, { msg: 'Invalid data type for channel' }],
    ['stream', 'nowhere', { code: 'STREAM_DOES_NOT_EXIST', stream: 'nowhere' }],
    ['stream', 9, { code: 'STREAM_DOES_NOT_EXIST', stream_id: 9 }],
    ['stream', 3, { code: 'STREAM_DOES_NOT_EXIST', stream_id: 3 }],
    ['direct', [], { msg: 'Message must have recipients' }],
    ['direct', '', { msg: 'Message must have recipients' }],
    ['direct', [77], { msg: 'Invalid user ID 77' }],
    ['direct', 'x@y.z', { msg: "Invalid email 'x@y.z'" }],
    ['direct', Array(1001).fill(2), { msg: 'Too many recipients (maximum 1000).' }],
    ['direct', [1.5], { msg: 'Invalid data type for recipients' }],
    [
      'direct',
      [1, 'x@y.z'],
      { msg: 'Recipient lists may contain emails or user IDs, but not both.' },
    ],
  ];
  for (const [type, to, expected] of cases) {
    t.match(await refusal(small, 'send-message', { type, to, content: 'x' }), expected);
  }
});

void t.test('text and topic are cleaned before they are stored', async (t) => {
  const small = team();
  const send = async (content: string, topic?: string) => {
    const { id } = await call(small, 'send-message', { type: 'stream', to: 1, content, topic });
    return small.stored.get(id as number)!;
  };
  t.equal((await send('  two \n\n')).content, '  two');
  t.equal((await send('x', '(no topic)')).topic, '');
  t.equal((await send('x', 'General Chat')).topic, '');
  t.equal((await send('x')).topic, '');
  t.equal((await send('x', 'y'.repeat(61))).topic, `${'y'.repeat(57)}...`);
  const long = await send('z'.repeat(10_001));
  t.equal(long.content.length, 10_000);
  t.ok(long.content.endsWith('\n[message truncated]'));
  const refused = async (content: string) =>
    (await refusal(small, 'send-message', { type: 'stream', to: 1, content })).msg;
  t.equal(await refused(' \n'), 'Message must not be empty');
  t.equal(await refused('a\0b'), 'Message must not contain null bytes');
});

void t.test('interactive clients have read what they send', async (t) => {
  const small = team();
  const reads = async (client: string, read_by_sender?: boolean): Promise<boolean> => {
    const params = { type: 'stream', to: 1, content: 'x', read_by_sender };
    const { id } = await call(small, 'send-message', params, 1, client);
    return small.org.readState.isRead(1, 101, id as number);
  };
  t.same(
    [await reads('ZulipTerminal'), await reads('website'), await reads('Foo Desktop App')],
    [true, true, true],
  );
  t.same([await reads('ZulipPython'), await reads('website', false)], [false, false]);
  t.equal(await reads('ZulipPython', true), true);
});

void t.test('a page of messages as the viewer sees them', async (t) => {
  const small = team();
  small.message({ id: 1, topic: '' });
  small.message({ id: 2, sender_id: 2, recipient_id: 201, stream_id: null, topic: '' });
  const page = await call(small, 'get-messages', { anchor: 'newest', num_before: 5, num_after: 0 });
  t.match(page, {
    anchor: LARGEST_ANCHOR,
    found_anchor: false,
    found_oldest: true,
    found_newest: true,
    history_limited: false,
  });
  const [first, second] = page.messages as Record<string, unknown>[];
  t.match(first, {
    id: 1,
    subject: 'general chat',
    display_recipient: 'general',
    content: '<p>message 1</p>',
    avatar_url: null,
    flags: [],
  });
  t.same(second!.display_recipient, [
    { id: 1, email: 'ann@example.com', full_name: 'Ann', is_mirror_dummy: false },
    { id: 2, email: 'bob@example.com', full_name: 'Bob', is_mirror_dummy: false },
  ]);
  const listed = await call(small, 'get-messages', {
    message_ids: [2, 1, 2, 99],
    apply_markdown: false,
    client_gravatar: false,
    allow_empty_topic_name: true,
  });
  t.match(listed.messages, [
    { id: 1, subject: '', content: 'message 1', content_type: 'text/x-markdown' },
    { id: 2, avatar_url: /^https:/ },
  ]);
  t.notOk('anchor' in listed);
});

void t.test('every kind of anchor finds its message', async (t) => {
  const small = team();
  const at = Date.UTC(2026, 0, 1) / 1000;
  for (let id = 1; id <= 6; id++) small.message({ id, timestamp: at + id });
  const page = async (params: Record<string, unknown>) => {
    const reply = await call(small, 'get-messages', { num_before: 1, num_after: 1, ...params });
    return [reply.anchor, (reply.messages as { id: number }[]).map(({ id }) => id)];
  };
  t.same(await page({ anchor: 'oldest' }), [0, [1]]);
  t.same(await page({ anchor: '3' }), [3, [2, 3, 4]]);
  t.same(await page({ anchor: '99999999999999999999' }), [LARGEST_ANCHOR, [6]]);
  t.same(await page({ anchor: '-5' }), [0, [1]]);
  t.same(await page({ anchor: 'first_unread' }), [1, [1, 2]]);
  await call(small, 'update-message-flags', { messages: [1, 2, 3, 5], op: 'add', flag: 'read' });
  t.same(await page({ anchor: '0', use_first_unread_anchor: true }), [4, [3, 4, 5]]);
  await call(small, 'update-message-flags', { messages: [4, 6], op: 'add', flag: 'read' });
  t.same(await page({ anchor: 'first_unread' }), [LARGEST_ANCHOR, [6]]);
  t.same(await page({ anchor: 'date', anchor_date: '2026-01-01T00:00:03' }), [3, [2, 3, 4]]);
  t.same(await page({ anchor: 'date', anchor_date: '2026-01-01T01:00:02.5+01:00' }), [
    3,
    [2, 3, 4],
  ]);
  t.same(await page({ anchor: 'date', anchor_date: '2027-01-01' }), [LARGEST_ANCHOR, [6]]);
});

void t.test(
  'a client may leave out how many messages it wants, and name ids beside none',
  async (t) => {
    const small = team();
    for (let id = 1; id <= 6; id++) small.message({ id, timestamp: 1_767_225_600 + id });
    const ids = async (params: Record<string, unknown>) =>
      ((await call(small, 'get-messages', params)).messages as { id: number }[]).map(
        ({ id }) => id,
      );
    t.same(await ids({ anchor: '3' }), [3]);
    t.same(await ids({ anchor: '3', num_before: 2 }), [1, 2, 3]);
    t.same(await ids({ anchor: '3', num_after: 2 }), [3, 4, 5]);
    t.same(await ids({ anchor: 'newest', num_before: 2 }), [5, 6]);
    t.same(await ids({ message_ids: [4, 2], num_before: 0, num_after: 0 }), [2, 4]);
  },
);

void t.test('a question with missing or wrong parameters is refused with its reason', async (t) => {
  const small = team();
  const cases: [Record<string, unknown>, Record<string, unknown>][] = [
    [{ num_before: 1, num_after: 1 }, { msg: "Missing 'anchor' argument." }],
    [{ anchor: 'soon', num_before: 1, num_after: 1 }, { msg: 'Invalid anchor' }],
    [
      { anchor: '1', num_before: 2500, num_after: 2501 },
      { msg: 'Too many messages requested (maximum 5000).' },
    ],
    [
      { anchor: '1', num_before: 1, num_after: 1, include_anchor: false },
      { msg: 'The anchor can only be excluded at an end of the range' },
    ],
    [
      { anchor: '1', num_before: 1, message_ids: [1] },
      {
        msg: 'Unsupported parameter combination: num_before, anchor, message_ids',
        code: 'INCOMPATIBLE_PARAMETERS',
        parameters: ['num_before', 'anchor', 'message_ids'],
      },
    ],
    [{ anchor: 'date', num_before: 1, num_after: 1 }, { var_name: 'anchor_date' }],
  ];
  for (const [params, expected] of cases) {
    t.match(await refusal(small, 'get-messages', params), expected);
  }
});

void t.test('an emoji is found by its characters and by its names', async (t) => {
  const small = team();
  const to = { type: 'stream', to: 1, topic: 'emoji' };
  await call(small, 'send-message', { ...to, content: '👍 yes' });
  await call(small, 'send-message', { ...to, content: '❤️ x' });
  await call(small, 'send-message', { ...to, content: 'no :heart: y' });
  const found = async (operand: string, negated = false) => {
    const params = { anchor: 'newest', num_before: 9, num_after: 0, apply_markdown: false };
    const narrow = [{ operator: 'search', operand, negated }];
    const { messages } = await call(small, 'get-messages', { ...params, narrow });
    return (messages as { content: string }[]).map(({ content }) => content);
  };
  t.same(await found('👍'), ['👍 yes']);
  t.same(await found(':thumbs_up:'), ['👍 yes']);
  t.same(await found('"👍 yes"'), ['👍 yes']);
  for (const heart of ['❤️', '❤', ':heart:']) {
    t.same(await found(heart), ['❤️ x', 'no :heart: y'], heart);
    t.same(await found(heart, true), ['👍 yes'], `not ${heart}`);
  }
  t.same(await found('🎉'), []);
});

void t.test('searches mark what they found, and break no markup', async (t) => {
  const small = team();
  small.message({
    id: 1,
    topic: 'R&D <now>',
    content: 'Fish & **chips** amp',
    rendered_content: '<p class="fish">Fish &amp; <strong>chips</strong> amp</p>',
  });
  const search = async (operand: string) => {
    const params = { anchor: 'newest', num_before: 1, num_after: 0 };
    const narrow = [['search', operand]];
    const { messages } = await call(small, 'get-messages', { ...params, narrow });
    const [found] = messages as Record<string, unknown>[];
    return [found?.match_content, found?.match_subject];
  };
  t.same(await search('FISH chip'), [
    '<p class="fish"><span class="highlight">Fish</span> &amp; <strong><span class="highlight">chip</span>s</strong> amp</p>',
    'R&amp;D &lt;now&gt;',
  ]);
  t.same(await search('amp'), [
    '<p class="fish">Fish &amp; <strong>chips</strong> <span class="highlight">amp</span></p>',
    'R&amp;D &lt;now&gt;',
  ]);
  t.same(await search('>'), [
    '<p class="fish">Fish &amp; <strong>chips</strong> amp</p>',
    'R&amp;D &lt;now<span class="highlight">&gt;</span>',
  ]);
  t.same(await search('"r&d <now"'), [
    '<p class="fish">Fish &amp; <strong>chips</strong> amp</p>',
    '<span class="highlight">R&amp;D &lt;now</span>&gt;',
  ]);
});

void t.test('one message, with its source', async (t) => {
  const small = team();
  const reaction = {
    emoji_name: 'ok',
    emoji_code: '1f197',
    reaction_type: 'unicode_emoji',
  } as const;
  small.message({ id: 1, reactions: [{ ...reaction, user_id: 2 }], last_edit_timestamp: 5 });
  small.message({ id: 2, recipient_id: 103, stream_id: 3 });
  const reply = await call(small, 'get-message', { message_id: 1 });
  t.match(reply, { raw_content: 'message 1', message: { id: 1, content: '<p>message 1</p>' } });
  t.match(reply.message, {
    last_edit_timestamp: 5,
    reactions: [
      {
        ...reaction,
        user_id: 2,
        user: { user_id: 2, email: 'bob@example.com', full_name: 'Bob' },
      },
    ],
  });
  t.notOk('last_moved_timestamp' in (reply.message as object));
  t.match(await refusal(small, 'get-message', { message_id: 2 }), { msg: 'Invalid message(s)' });
  t.match(await refusal(small, 'get-message', { message_id: 9 }), { msg: 'Invalid message(s)' });
});

void t.test('a flag changes by request, and an unknown operation or flag is refused', async (t) => {
  const small = team();
  small.message({ id: 1 });
  const change = { messages: [1], op: 'add', flag: 'read' };
  t.same(await call(small, 'update-message-flags', change), { messages: [1] });
  t.same(await call(small, 'update-message-flags', { ...change, op: 'remove' }), {
    messages: [1],
    ignored_because_not_subscribed_channels: [],
  });
  const cases: [Record<string, unknown>, string][] = [
    [{ op: 'toggle' }, "Invalid message flag operation: 'toggle'"],
    [{ flag: 'mentioned' }, "Flag not editable: 'mentioned'"],
    [{ flag: 'red' }, "Invalid flag: 'red'"],
    [{ messages: [2] }, 'Invalid message(s)'],
  ];
  for (const [params, msg] of cases) {
    t.match(await refusal(small, 'update-message-flags', { ...change, ...params }), { msg });
  }
});
