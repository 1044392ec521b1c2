import t, { type Test } from 'tap';
import { exchange, FORM, type ApiClient, type Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

/** Sentences of the contract that are about every endpoint, or about the whole of a reply. */

/** Sent exactly as written. */
async function raw(client: ApiClient, method: string, path: string, text = ''): Promise<Body> {
  const { status, body } = await exchange(client.url, method, `/api/v1${path}`, {
    headers: { Authorization: client.authorization, ...(text === '' ? {} : FORM) },
    body: text,
  });
  return { status, ...body };
}

const SUCCESS = { status: 200, result: 'success', msg: '' };

const isInteger = (value: unknown): boolean => Number.isInteger(value);
const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const orNull = (check: (value: unknown) => boolean) => (value: unknown) =>
  value === null || check(value);
const among =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);

/** The contract's fields of a `subscription` event object, in its order. */
const SUBSCRIPTION_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  stream_id: isInteger,
  name: isText,
  description: isText,
  rendered_description: isText,
  date_created: isInteger,
  creator_id: orNull(isInteger),
  invite_only: isFlag,
  desktop_notifications: orNull(isFlag),
  email_notifications: orNull(isFlag),
  wildcard_mentions_notify: orNull(isFlag),
  push_notifications: orNull(isFlag),
  audible_notifications: orNull(isFlag),
  pin_to_top: isFlag,
  is_muted: isFlag,
  in_home_view: isFlag,
  is_announcement_only: isFlag,
  is_web_public: isFlag,
  color: (value) => /^#[0-9a-f]{6}$/.test(String(value)),
  stream_post_policy: among(1, 2, 3, 4),
  message_retention_days: orNull(isInteger),
  history_public_to_subscribers: isFlag,
  first_message_id: orNull(isInteger),
  folder_id: orNull(isInteger),
  topics_policy: among('inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only'),
};

void t.test('the contract on a running server', async (t) => {
  const { owner, hamlet } = await askOrganization(t);
  const { subscriptions } = await owner.ok('GET', '/users/me/subscriptions');
  const [{ stream_id: general }] = subscriptions as [{ stream_id: number }];

  // [c:parameter-places]
  await t.test(
    'parameters: the body of POST and PATCH, the query of GET; lists and objects as JSON text',
    async (t) => {
      const drafts = encodeURIComponent('[{"type":"","to":[],"topic":"","content":"x"}]');
      t.strictSame(await raw(owner, 'POST', '/drafts', `drafts=${drafts}`), {
        ...SUCCESS,
        ids: [1],
      });
      t.strictSame(await raw(owner, 'PATCH', '/settings', 'enter_sends=true'), SUCCESS);
      const change = encodeURIComponent('{"new":5}');
      const patched = await raw(owner, 'PATCH', '/realm', `can_create_groups=${change}`);
      t.strictSame(patched, SUCCESS);
      const members = await raw(owner, 'GET', `/users?user_ids=%5B${hamlet.userId}%5D`);
      t.match(members, { ...SUCCESS, members: [{ user_id: hamlet.userId }] });
      t.equal((members.members as unknown[]).length, 1);
    },
  );

  // [c:bulk-subscription-envelope]
  await t.test(
    'Bulk update subscription settings: the envelope, with ignored_parameters_unsupported',
    async (t) => {
      const change = [{ stream_id: general, property: 'pin_to_top', value: true }];
      const data = `subscription_data=${encodeURIComponent(JSON.stringify(change))}`;
      const path = '/users/me/subscriptions/properties';
      t.strictSame(await raw(owner, 'POST', path, data), SUCCESS);
      t.strictSame(await raw(owner, 'POST', path, `${data}&zoom=1&age=2&zoom=3`), {
        ...SUCCESS,
        ignored_parameters_unsupported: ['age', 'zoom'],
      });
    },
  );

  await t.test('a value of an enumeration may be sent bare, or as JSON text', async (t) => {
    const created = async (path: string, field: string, policy: string) => {
      const name = `policy ${policy} ${path.length}`;
      const value = path.endsWith('/create') ? name : JSON.stringify([{ name }]);
      const subscribers = encodeURIComponent(JSON.stringify([owner.userId]));
      const fields = `${field}=${encodeURIComponent(value)}&subscribers=${subscribers}`;
      const sent = `${fields}&topics_policy=${encodeURIComponent(policy)}`;
      const reply = await raw(owner, 'POST', path, sent);
      t.match(reply, SUCCESS, `${path} ${policy}`);
      const { streams } = await owner.ok('GET', '/streams');
      return (streams as Body[]).find((one) => one.name === name)?.topics_policy;
    };
    for (const policy of ['empty_topic_only', '"empty_topic_only"']) {
      t.equal(
        await created('/users/me/subscriptions', 'subscriptions', policy),
        'empty_topic_only',
      );
      t.equal(await created('/channels/create', 'name', policy), 'empty_topic_only');
    }
    const typing = 'op=%22start%22&type=%22stream%22&topic=x';
    t.match(await raw(owner, 'POST', '/typing', `${typing}&stream_id=${general}`), SUCCESS);
    const presence = await raw(owner, 'POST', '/users/me/presence', 'status=%22idle%22');
    t.match(presence, SUCCESS);
  });

  // [c:longpoll-timeout]
  await t.test('event_queue_longpoll_timeout_seconds exceeds the heartbeat timeout', async (t) => {
    const snapshot = await owner.register({ fetch_event_types: ['realm'] });
    // Between 45 and 55 s (queue-expiry.test.ts).
    t.ok(Number(snapshot.event_queue_longpoll_timeout_seconds) > 55);
  });

  // [c:message-limits-registered]
  await t.test(
    'max_message_length and max_topic_length are in the register response',
    async (t) => {
      const { max_message_length, max_topic_length } = await owner.register({
        fetch_event_types: ['realm'],
      });
      const to = general;
      const send = (content: string, topic: string) =>
        owner.ok('POST', '/messages', { type: 'channel', to, topic, content });
      const longest = 'x'.repeat(Number(max_message_length));
      const topic = 'y'.repeat(Number(max_topic_length));
      const { id } = await send(longest, topic);
      const { message, raw_content } = await owner.ok('GET', `/messages/${String(id)}`);
      t.equal(raw_content, longest);
      t.equal((message as Body).subject, topic);
    },
  );

  // [c:event-types-chosen]
  await t.test('event types: a queue hears only those it named', async (t) => {
    const named = await owner.register({ fetch_event_types: [], event_types: ['user_settings'] });
    await owner.ok('PATCH', '/settings', { enter_sends: false });
    await owner.say('unheard');
    await owner.ok('PATCH', '/settings', { enter_sends: true });
    const { body } = await owner.call('GET', '/events', {
      queue_id: named.queue_id,
      last_event_id: -1,
      dont_block: true,
    });
    const told = (value: boolean) => ({
      type: 'user_settings',
      op: 'update',
      property: 'enter_sends',
      value,
    });
    const events = (body.events as Body[]).map(({ id: _id, ...event }) => event);
    t.strictSame(events, [told(false), told(true)]);
  });

  // [c:welcome-text-length]
  await t.test('welcome_message_custom_text: at most 8000 Unicode code points', async (t) => {
    // Two UTF-16 units each.
    const invite = (length: number) =>
      owner.call('POST', '/invites/multiuse', {
        welcome_message_custom_text: '\u{1f44b}'.repeat(length),
      });
    t.equal((await invite(8000)).status, 200);
    t.match(await invite(8001), {
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        msg: 'welcome_message_custom_text is too long (limit: 8000 characters)',
      },
    });
  });

  // [c:subscription-event-fields]
  await t.test('subscription event objects have every field of the contract', (t) =>
    subscriptionFields(t, owner, hamlet),
  );
});

async function subscriptionFields(t: Test, owner: ApiClient, hamlet: ApiClient): Promise<void> {
  for (const [wanted, lists] of [
    [true, ['subscribers']],
    ['partial', ['subscribers']],
    [false, []],
  ] as const) {
    const snapshot = await hamlet.register({
      fetch_event_types: [],
      event_types: ['subscription'],
      include_subscribers: wanted,
      client_capabilities: { notification_settings_null: true },
    });
    const reader = QueueReader.from(hamlet, snapshot);
    const name = `subscribed ${String(wanted)}`;
    await owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name, description: 'with *emphasis*' }],
      principals: [owner.userId, hamlet.userId],
    });
    const [added] = (await reader.now()).filter((event) => event.op === 'add');
    const [subscription] = added!.subscriptions as [Body];
    for (const [field, check] of Object.entries(SUBSCRIPTION_FIELDS)) {
      t.ok(check(subscription[field]), `${field}: ${JSON.stringify(subscription[field])}`);
    }
    t.match(subscription, {
      name,
      description: 'with *emphasis*',
      rendered_description: '<p>with <em>emphasis</em></p>',
      creator_id: owner.userId,
      is_muted: false,
      in_home_view: true,
      desktop_notifications: null,
      topics_policy: 'inherit',
    });
    const given = ['subscribers', 'partial_subscribers'].filter((key) => key in subscription);
    t.strictSame(given, lists, String(wanted));
  }
  await unlikeAnyDefault(t, owner, hamlet);
}

/** The same of a channel and a subscription that have no value by default. */
async function unlikeAnyDefault(t: Test, owner: ApiClient, hamlet: ApiClient): Promise<void> {
  const { channel_folder_id } = await owner.ok('POST', '/channel_folders/create', { name: 'f' });
  const { user_groups } = await owner.ok('GET', '/user_groups');
  const { id: administrators } = (user_groups as Body[]).find(
    (group) => group.name === 'role:administrators',
  )!;
  const subscriptions = [{ name: 'unlike' }];
  await owner.ok('POST', '/users/me/subscriptions', {
    subscriptions,
    principals: [owner.userId, hamlet.userId],
    invite_only: true,
    history_public_to_subscribers: true,
    folder_id: channel_folder_id,
    message_retention_days: 7,
    topics_policy: 'disable_empty_topic',
    can_send_message_group: administrators,
  });
  const { stream_id } = await owner.ok('GET', '/get_stream_id', { stream: 'unlike' });
  const personal = {
    color: '#123456',
    is_muted: true,
    pin_to_top: true,
    desktop_notifications: true,
    audible_notifications: false,
    push_notifications: true,
    email_notifications: false,
    wildcard_mentions_notify: true,
  };
  const subscription_data = Object.entries(personal).map(([property, value]) => {
    return { stream_id, property, value };
  });
  await hamlet.ok('POST', '/users/me/subscriptions/properties', { subscription_data });
  const removal = { subscriptions: ['unlike'], principals: [hamlet.userId] };
  await owner.ok('DELETE', '/users/me/subscriptions', removal);
  const reader = QueueReader.from(hamlet, await hamlet.register({ fetch_event_types: [] }));
  const principals = [hamlet.userId];
  await owner.ok('POST', '/users/me/subscriptions', { subscriptions, principals });
  const [added] = (await reader.now()).filter(
    ({ type, op }) => type === 'subscription' && op === 'add',
  );
  const { stream } = await owner.ok('GET', `/streams/${String(stream_id)}`);
  const { date_created, first_message_id } = stream as Body;
  t.match((added!.subscriptions as Body[])[0], {
    stream_id,
    name: 'unlike',
    creator_id: owner.userId,
    date_created,
    first_message_id,
    invite_only: true,
    is_web_public: false,
    history_public_to_subscribers: true,
    folder_id: channel_folder_id,
    message_retention_days: 7,
    topics_policy: 'disable_empty_topic',
    can_send_message_group: administrators,
    stream_post_policy: 2,
    is_announcement_only: true,
    ...personal,
    in_home_view: false,
  });
  t.ok(first_message_id);
}
