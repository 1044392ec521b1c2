import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { subscriptionHandlers } from '../../../../src/resources/channels/subscriptions.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { queueFilter, received } from '../../../fixtures/receive.js';

const handlers = subscriptionHandlers({ markdown: createMarkdown() });
type Params = Record<string, unknown>;

function fixture(realm: ConstructorParameters<typeof TestOrganization>[0] = {}) {
  const test = new TestOrganization(realm);
  const subscribe = (user: UserDocument, names: (string | object)[], params: Params = {}) => {
    const subscriptions = names.map((one) => (typeof one === 'string' ? { name: one } : one));
    return call(test, handlers, 'subscribe', user, { subscriptions, ...params });
  };
  const unsubscribe = (user: UserDocument, subscriptions: unknown, params: Params = {}) =>
    call(test, handlers, 'unsubscribe', user, { subscriptions, ...params });
  /** Contents of the messages a transaction sent. */
  const messages = (outcome: { content: { writes: readonly unknown[] } }) =>
    (outcome.content.writes as { key: { collection: string }; document: Params }[])
      .filter((write) => write.key.collection === 'message')
      .map((write) => write.document);
  return { test, subscribe, unsubscribe, messages };
}

void t.test('subscribing oneself to channels there are', async (t) => {
  const { test, subscribe } = fixture();
  const ann = test.user();
  const [design, open] = [test.channel({ name: 'Design' }), test.channel({ name: 'open' })];
  test.subscribe(ann, open);
  const { result } = subscribe(ann, [{ name: ' design ', color: '#F00' }, 'OPEN', 'Design']);
  t.strictSame(result, {
    subscribed: { [ann.user_id]: ['Design'] },
    already_subscribed: { [ann.user_id]: ['open'] },
    new_subscription_messages_sent: true,
  });
  t.equal(test.org.subscriptions.of(ann.user_id, design.stream_id)!.color, '#ff0000');
  t.strictSame(subscribe(ann, ['design'], { send_new_subscription_messages: false }).result, {
    subscribed: {},
    already_subscribed: { [ann.user_id]: ['Design'] },
  });
});

void t.test('a channel that does not exist is made, in the order of the contract', async (t) => {
  const { test, subscribe, messages } = fixture();
  const ann = test.user({ role: ROLE.administrator, full_name: 'Ann' });
  const bob = test.user();
  const outcome = subscribe(ann, [{ name: 'new', description: 'one\n**two**' }], {
    principals: [bob.user_id, ann.user_id],
    is_default_stream: true,
  });
  const channel = test.org.channels.byName('new')!;
  t.match(channel, {
    description: 'one **two**',
    rendered_description: '<p>one <strong>two</strong></p>',
    creator_id: ann.user_id,
    is_default: true,
  });
  t.strictSame(outcome.events.map(({ type, data }) => [type, data.op]).slice(0, 4), [
    ['stream', 'create'],
    ['subscription', 'add'],
    ['subscription', 'peer_add'],
    ['default_streams', undefined],
  ]);
  t.strictSame(outcome.events[3]!.data, { default_streams: [channel.stream_id] });
  const [notice, direct] = messages(outcome);
  t.match(notice, {
    stream_id: channel.stream_id,
    topic: 'channel events',
    content: `**Public** channel created by @_**Ann|${ann.user_id}**. **Description:**\n\`\`\`\` quote\none **two**\n\`\`\`\``,
  });
  t.equal(direct!.content, `@_**Ann|${ann.user_id}** subscribed you to the channel #**new**.`);
  t.equal(messages(outcome).length, 2, 'nobody is told what they did themselves');
});

void t.test('permissions of a new channel are checked and kept', async (t) => {
  const { test, subscribe } = fixture();
  const ann = test.user();
  const group = test.group();
  const can_send_message_group = { direct_members: [], direct_subgroups: [group.id] };
  subscribe(ann, ['new'], { can_send_message_group, invite_only: true });
  t.match(test.org.channels.byName('new'), {
    can_send_message_group: group.id,
    invite_only: true,
    history_public_to_subscribers: false,
  });
  t.throws(() => subscribe(ann, ['newer'], { can_subscribe_group: test.system('role:everyone') }), {
    message: "'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
  });
  t.equal(test.org.channels.byName('newer'), undefined);
});

void t.test('channels one cannot read: an error, or named in the reply', async (t) => {
  const { test, subscribe } = fixture();
  const ann = test.user();
  const admin = test.user({ role: ROLE.administrator });
  test.channel({ name: 'open' });
  test.channel({ name: 'secret', invite_only: true });
  for (const user of [ann, admin]) {
    t.throws(() => subscribe(user, ['open', 'secret']), {
      message: 'Unable to access channel (secret).',
      code: 'BAD_REQUEST',
      status: 400,
    });
  }
  const { result } = subscribe(ann, ['open', 'secret'], {
    authorization_errors_fatal: false,
  });
  t.match(result, { subscribed: { [ann.user_id]: ['open'] }, unauthorized: ['secret'] });
});

void t.test(
  'an archived channel has subscribers as any other; queues that hide it are told nothing',
  (t) => {
    const { test, subscribe, unsubscribe } = fixture({ can_add_subscribers_group: 1 });
    const [ann, bob] = [test.user(), test.user()];
    const admin = test.user({ role: ROLE.administrator });
    const { stream_id } = test.channel({ name: 'old', is_archived: true });
    test.channel({ name: 'buried', is_archived: true, invite_only: true });
    t.throws(() => subscribe(ann, ['buried']), { message: 'Unable to access channel (buried).' });
    const principals = [bob.user_id];
    t.throws(() => subscribe(ann, ['old'], { principals }), { code: 'BAD_REQUEST' });
    const outcome = subscribe(admin, ['old'], { principals });
    t.strictSame(outcome.result.subscribed, { [bob.user_id]: ['old'] });
    const knowing = queueFilter({ capabilities: { archived_channels: true } });
    const { events } = outcome.content;
    t.match(received(events, bob.user_id, knowing), [
      { type: 'subscription', op: 'add', subscriptions: [{ stream_id, is_archived: true }] },
    ]);
    t.strictSame(received(events, bob.user_id), []);
    t.match(received(events, ann.user_id, knowing), [
      { type: 'subscription', op: 'peer_add', stream_ids: [stream_id], user_ids: [bob.user_id] },
    ]);
    t.strictSame(received(events, ann.user_id), []);
    t.strictSame(unsubscribe(admin, ['old'], { principals }).result.removed, ['old']);
    t.end();
  },
);

void t.test('subscribing others needs the right to', async (t) => {
  const { test, subscribe } = fixture({ can_add_subscribers_group: 1 });
  const [ann, bob] = [test.user(), test.user()];
  const admin = test.user({ role: ROLE.administrator });
  const adders = { direct_members: [ann.user_id], direct_subgroups: [] };
  test.channel({ name: 'open' });
  test.channel({ name: 'helped', can_add_subscribers_group: adders });
  const principals = [bob.user_id];
  t.throws(() => subscribe(ann, ['helped', 'open'], { principals }), {
    message: 'You do not have permission to subscribe other users to channels.',
    code: 'BAD_REQUEST',
  });
  const ids = [String(bob.user_id)];
  t.strictSame(Object.keys(subscribe(ann, ['helped'], { principals }).result.subscribed!), ids);
  t.strictSame(Object.keys(subscribe(admin, ['open'], { principals }).result.subscribed!), ids);
  t.strictSame(Object.keys(subscribe(ann, ['own'], { principals }).result.subscribed!), ids);
  t.ok(subscribe(ann, ['open'], { principals: [ann.user_id] }), 'oneself is nobody else');
});

void t.test('principals are ids or addresses of active users', async (t) => {
  const { test, subscribe } = fixture();
  const [ann, bob, cat] = [test.user(), test.user({ email: 'Bob@example.com' }), test.user()];
  test.channel({ name: 'open' });
  const named = (principals: unknown) =>
    Object.keys(subscribe(ann, ['open'], { principals }).result.subscribed!);
  t.strictSame(named(['bob@EXAMPLE.com', bob.user_id]), [String(bob.user_id)]);
  t.strictSame(named(String(cat.user_id)), [String(cat.user_id)]);
  t.strictSame(named([]), [String(ann.user_id)]);
  const gone = test.user({ is_active: false });
  const system = test.org.users.byRealEmail('notification-bot@chat.example.com')!;
  for (const principal of [999, gone.user_id, system.user_id, 'nobody@example.com']) {
    t.throws(() => named([principal]), {
      message: `User not authorized to execute queries on behalf of '${principal}'`,
      code: 'UNAUTHORIZED_PRINCIPAL',
      status: 403,
      fields: { principal },
    });
  }
});

void t.test('faults in names and colours leave nothing behind', async (t) => {
  const { test, subscribe } = fixture();
  const ann = test.user();
  const refuses = (one: string | object, message: string) =>
    t.throws(() => subscribe(ann, ['new', one]), { message, code: 'BAD_REQUEST' });
  refuses(' ', "Channel name can't be empty!");
  refuses('x'.repeat(61), 'Channel name too long (limit: 60 characters).');
  refuses('a\u0001', 'Invalid character in channel name, at position 2!');
  refuses({ name: 'b', color: 'red' }, 'subscriptions[1]["color"] is not a valid hex color code');
  t.equal(test.org.channels.size, 0);
});

void t.test('who may not make channels', async (t) => {
  const { test, subscribe } = fixture({ can_create_public_channel_group: 1 });
  const ann = test.user();
  const bot = test.user({ is_bot: true, bot_type: 1, bot_owner_id: ann.user_id });
  t.throws(() => subscribe(ann, ['new']), { message: 'Insufficient permission' });
  t.throws(() => subscribe(bot, ['new', 'newer']), {
    message: 'Channel(s) (new, newer) do not exist',
  });
});

void t.test('announcements name open channels only', async (t) => {
  const { test, subscribe, messages } = fixture({ send_channel_events_messages: false });
  const ann = test.user({ full_name: 'Ann' });
  const place = test.channel({ name: 'news' });
  const announced = (names: string[], params: Params = {}) =>
    messages(subscribe(ann, names, { announce: true, ...params }));
  t.strictSame(announced(['a']), [], 'there is no place for it');
  test.load('realm', {
    ...test.org.realm.current,
    new_stream_announcements_stream_id: place.stream_id,
  });
  const by = `@_**Ann|${ann.user_id}** created`;
  t.match(announced(['b']), [
    { stream_id: place.stream_id, topic: 'new channels', content: `${by} a new channel #**b**.` },
  ]);
  t.match(announced(['c', 'd']), [{ content: `${by} the following channels: #**c**, #**d**.` }]);
  t.strictSame(announced(['e'], { invite_only: true }), []);
  t.strictSame(announced(['b']), [], 'it was there already');
});

void t.test('newcomers are told by direct message, unless they are too many', async (t) => {
  const { test, subscribe, messages } = fixture({ send_channel_events_messages: false });
  const ann = test.user({ full_name: 'Ann' });
  const bot = test.user({ is_bot: true, bot_type: 1 });
  const users = Array.from({ length: 101 }, () => test.user().user_id);
  for (const name of ['a', 'b']) test.channel({ name });
  const few = subscribe(ann, ['a', 'b'], { principals: [users[0], bot.user_id] });
  t.equal(few.result.new_subscription_messages_sent, true);
  t.strictSame(
    messages(few).map((message) => message.content),
    [`@_**Ann|${ann.user_id}** subscribed you to the following channels:\n\n* #**a**\n* #**b**`],
    'bots are not told',
  );
  const silent = { principals: [users[1]], send_new_subscription_messages: false };
  t.strictSame(messages(subscribe(ann, ['a'], silent)), []);
  const many = subscribe(ann, ['b'], { principals: users });
  t.equal(many.result.new_subscription_messages_sent, true, 'a hundred');
  const more = subscribe(ann, ['c'], { principals: users });
  t.equal(more.result.new_subscription_messages_sent, false);
  t.strictSame(messages(more), []);
});

void t.test('the notice links a private channel too', async (t) => {
  const { test, subscribe, messages } = fixture({ send_channel_events_messages: false });
  const [ann, bob] = [test.user(), test.user()];
  const outcome = subscribe(ann, ['quiet'], { invite_only: true, principals: [bob.user_id] });
  const id = test.org.channels.byName('quiet')!.stream_id;
  const link = `<a class="stream" data-stream-id="${id}" href="/#narrow/channel/${id}-quiet">#quiet</a>`;
  t.match(messages(outcome), [{ content: /the channel #\*\*quiet\*\*\.$/ }]);
  t.ok(String(messages(outcome)[0]!.rendered_content).includes(link));
});

void t.test('unsubscribing oneself, by list or by text', async (t) => {
  const { test, unsubscribe } = fixture();
  const ann = test.user({ role: ROLE.guest });
  const [a, b] = [test.channel({ name: 'a' }), test.channel({ name: 'b', is_web_public: true })];
  test.subscribe(ann, a);
  t.strictSame(unsubscribe(ann, 'A,b').result, { removed: ['a'], not_removed: ['b'] });
  t.throws(() => unsubscribe(ann, ['b', 'a', 'no']), {
    message: 'Channel(s) (a, no) do not exist',
    code: 'BAD_REQUEST',
  });
  test.subscribe(ann, b);
  t.strictSame(unsubscribe(ann, ['b']).result, { removed: ['b'], not_removed: [] });
});

void t.test('unsubscribing others needs the right to', async (t) => {
  const { test, unsubscribe } = fixture();
  const [ann, bob] = [test.user(), test.user()];
  const admin = test.user({ role: ROLE.administrator });
  const bot = test.user({ is_bot: true, bot_type: 1, bot_owner_id: ann.user_id });
  const only = { direct_members: [ann.user_id], direct_subgroups: [] };
  const removed = (actor: UserDocument, name: string, user: UserDocument) =>
    unsubscribe(actor, [name], { principals: [user.user_id] }).result.removed;
  const channels = [
    test.channel({ name: 'a' }),
    test.channel({ name: 'run', can_administer_channel_group: only }),
    test.channel({ name: 'open', can_remove_subscribers_group: only }),
  ];
  for (const channel of channels) for (const user of [bob, bot]) test.subscribe(user, channel);
  t.throws(() => removed(ann, 'a', bob), { message: 'Insufficient permission' });
  t.strictSame(removed(ann, 'run', bob), ['run']);
  t.strictSame(removed(ann, 'open', bob), ['open']);
  t.strictSame(removed(admin, 'a', bob), ['a']);
  t.strictSame(removed(ann, 'a', bot), ['a'], 'one’s own bot');
  t.throws(() => removed(bob, 'run', bot), { message: 'Insufficient permission' });
});

// [c:subscriptions-not-archived]
void t.test(
  'listing subscriptions: muted ones too, archived ones never, null where nothing is chosen',
  async (t) => {
    const { test } = fixture();
    const [ann, bob] = [test.user(), test.user()];
    const muted = test.channel({ name: 'muted' });
    test.subscribe(ann, muted, { is_muted: true });
    test.subscribe(bob, muted);
    test.subscribe(ann, test.channel({ name: 'archived', is_archived: true }));
    test.subscribe(ann, test.channel({ name: 'left' }), { active: false, spans: [[1, 2]] });
    test.channel({ name: 'other' });
    const list = (params: Params = {}) =>
      call(test, handlers, 'get-subscriptions', ann, params).result.subscriptions as Params[];
    t.strictSame(
      list().map((sub) => [sub.name, sub.is_muted, sub.push_notifications, sub.subscribers]),
      [['muted', true, null, undefined]],
    );
    const full = list({ include_subscribers: true });
    t.strictSame(
      full.map((sub) => [sub.name, sub.subscribers]),
      [['muted', [ann.user_id, bob.user_id]]],
    );
  },
);

void t.test('a private channel is introduced to the people it is made for', async (t) => {
  const { test, subscribe } = fixture({ send_channel_events_messages: false });
  const [ann, bob, cat] = [test.user(), test.user(), test.user()];
  const { events } = subscribe(ann, ['secret'], {
    invite_only: true,
    principals: [ann.user_id, bob.user_id],
  });
  const kinds = (user: UserDocument) =>
    received(events, user.user_id, queueFilter()).map((one) => `${one.type} ${String(one.op)}`);
  t.strictSame(kinds(ann), ['stream create', 'subscription add']);
  t.strictSame(kinds(bob), ['stream create', 'subscription add']);
  t.strictSame(kinds(cat), []);
});

void t.test('joining and leaving at once: the union of both replies', async (t) => {
  const { test } = fixture();
  const ann = test.user();
  const guest = test.user({ role: ROLE.guest });
  const [open, old] = [test.channel({ name: 'open' }), test.channel({ name: 'old' })];
  for (const user of [ann, guest]) test.subscribe(user, old);
  const update = (user: UserDocument, params: Params) =>
    call(test, handlers, 'update-subscriptions', user, params);
  const { result, events } = update(ann, { add: [{ name: 'open' }], delete: ['old'] });
  t.strictSame(result, {
    subscribed: { [ann.user_id]: ['open'] },
    already_subscribed: {},
    removed: ['old'],
    not_removed: [],
  });
  t.strictSame(
    received(events, ann.user_id, queueFilter()).map(({ type, op }) => [type, op]),
    [
      ['subscription', 'add'],
      ['subscription', 'remove'],
    ],
  );
  t.ok(test.org.subscriptions.isSubscribed(ann.user_id, open.stream_id));
  t.throws(() => update(ann, {}), {
    message: 'Nothing to do. Specify at least one of "add" or "delete".',
    code: 'BAD_REQUEST',
  });
  t.throws(() => update(guest, { add: [{ name: 'open' }], delete: ['old'] }), {
    message: 'Not allowed for guest users',
  });
  t.throws(() => update(ann, { add: [{ name: 'absent' }], delete: ['gone'] }), {
    message: 'Channel(s) (gone) do not exist',
  });
  t.notOk(test.org.channels.byName('absent'), 'all or nothing');
  t.match(update(guest, { delete: 'old' }).result, { removed: ['old'], subscribed: {} });
  t.equal(test.org.subscriptions.isSubscribed(guest.user_id, old.stream_id), false);
  t.match(update(ann, { add: [{ name: 'new' }], delete: [' NEW'] }).result, { removed: ['new'] });
});
