import t from 'tap';
import { ApiClient, type WireEvent } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { zulipJs, type ZulipJs } from '../harness/zulip-js.js';

/** Events as `callOnEachEvent` gives them, to be awaited one by one. */
class Received {
  readonly events: WireEvent[] = [];
  private changed: (() => void) | undefined;

  add = (event: WireEvent): void => {
    this.events.push(event);
    this.changed?.();
  };

  /** The first event, so far or later, of that kind. */
  async find(matches: (event: WireEvent) => boolean): Promise<WireEvent> {
    for (;;) {
      const found = this.events.find(matches);
      if (found) return found;
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
  }
}

void t.test('zulip-js, as published, works against the server', async (t) => {
  // `callOnEachEvent` has no end: it would retry for ever. What was registered first runs last.
  t.teardown(() => void setImmediate(() => process.exit(process.exitCode ?? 0)));
  const server = await RunningServer.start(t);
  const login = (username: string, password: string): Promise<ZulipJs> =>
    zulipJs({ realm: server.url, username, password });
  const owner = await login(OWNER_EMAIL, OWNER_PASSWORD);
  const plain = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await plain.createUser('hamlet');
  const colleague = await login('hamlet@example.org', 'willow-anchor-hamlet-47');

  t.equal(owner.config.apiKey, plain.key, 'it logs in by password');
  // It never ends; the process does.
  const received = new Received();
  void owner.callOnEachEvent(received.add);

  await t.test('a wrong password leaves it without a key, and calls answer in JSON', async (t) => {
    const stranger = await login(OWNER_EMAIL, 'not the password');
    t.equal(stranger.config.apiKey, undefined);
    t.match(await stranger.users.retrieve(), { result: 'error', code: 'UNAUTHORIZED' });
  });

  await t.test('it reads the server settings, users and its own profile', async (t) => {
    t.match(await owner.server.settings(), { result: 'success', zulip_feature_level: 500 });
    const users = await owner.users.retrieve();
    t.match(users, { result: 'success', members: [{ email: OWNER_EMAIL }, {}] });
    t.match(await owner.users.me.getProfile(), { user_id: plain.userId, is_owner: true });
    const created = await owner.users.create({
      email: 'zoe@example.org',
      full_name: 'Zoe',
      password: 'willow-anchor-zoe-47',
    });
    t.match(created, { result: 'success', user_id: Number });
    await received.find(({ type, op }) => type === 'realm_user' && op === 'add');
  });

  let messageId = 0;
  await t.test('it receives messages that are sent through it', async (t) => {
    const reply = await colleague.messages.send({
      type: 'stream',
      to: 'general',
      topic: 'zulip-js',
      content: 'Hello, **world**',
    });
    t.match(reply, { result: 'success', id: Number });
    messageId = Number(reply.id);
    const event = await received.find(
      ({ type, message }) => type === 'message' && (message as { id: number }).id === messageId,
    );
    t.match(event, { flags: [], message: { content: 'Hello, **world**', subject: 'zulip-js' } });
    const direct = await colleague.messages.send({
      type: 'private',
      to: [plain.userId],
      content: 'psst',
    });
    t.match(direct, { result: 'success' });
    await received.find(
      ({ type, message }) => type === 'message' && (message as { id: number }).id === direct.id,
    );
  });

  await t.test('it reads messages and sets flags', async (t) => {
    const page = await owner.messages.retrieve({
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'topic', operand: 'zulip-js' }],
    });
    t.match(page, { result: 'success', messages: [{ id: messageId, flags: [] }] });
    t.match(await owner.messages.getById({ message_id: messageId }), {
      message: { id: messageId },
    });
    const starred = await owner.messages.flags.add({ messages: [messageId], flag: 'starred' });
    t.match(starred, { result: 'success', messages: [messageId] });
    await received.find(({ type, flag }) => type === 'update_message_flags' && flag === 'starred');
    const unstarred = await owner.messages.flags.remove({ messages: [messageId], flag: 'starred' });
    t.match(unstarred, { result: 'success' });
  });

  await t.test('it sees presence and typing', async (t) => {
    const report = await colleague.callEndpoint('/users/me/presence', 'POST', {
      status: 'active',
      new_user_input: 'true',
    });
    t.match(report, { result: 'success', presences: {} });
    const presence = await received.find(({ type }) => type === 'presence');
    t.match(presence, { user_id: hamlet.userId, presence: { website: { status: 'active' } } });
    const typing = { to: [plain.userId, hamlet.userId], op: 'start' };
    t.match(await colleague.typing.send(typing), { result: 'success' });
    const event = await received.find(({ type }) => type === 'typing');
    t.match(event, { op: 'start', message_type: 'direct', sender: { user_id: hamlet.userId } });
  });

  await t.test('it subscribes, and unsubscribes with parameters in the query', async (t) => {
    const { add, remove } = owner.users.me.subscriptions;
    const added = await add({ subscriptions: JSON.stringify([{ name: 'x' }, { name: 'y' }]) });
    t.match(added, { result: 'success', subscribed: { [plain.userId]: ['x', 'y'] } });
    const { subscriptions } = await owner.streams.subscriptions.retrieve();
    t.match(subscriptions, [{ name: 'general' }, { name: 'x' }, { name: 'y' }]);
    const streams = await owner.streams.retrieve();
    t.match(streams.streams, [{ name: 'general' }, { name: 'x' }, { name: 'y' }]);
    // An array arrives comma-joined, JSON text as it is.
    t.match(await remove({ subscriptions: ['x', 'y'] }), { removed: ['x', 'y'] });
    t.match(await add({ subscriptions: JSON.stringify([{ name: 'x' }]) }), { result: 'success' });
    t.match(await remove({ subscriptions: '["x"]' }), { removed: ['x'], not_removed: [] });
    await received.find(({ type, op }) => type === 'subscription' && op === 'remove');
  });

  await t.test('it registers and deregisters a queue of its own', async (t) => {
    const queue = await owner.queues.register({ event_types: ['message'] });
    t.match(queue, { result: 'success', queue_id: String, last_event_id: Number });
    t.notOk('realm_users' in queue, 'only what it asked for');
    const unset = await owner.queues.register({ event_types: null });
    t.ok('realm_users' in unset, 'the text null means everything');
    t.match(await owner.queues.deregister({ queue_id: queue.queue_id }), { result: 'success' });
    const gone = await owner.events.retrieve({
      queue_id: queue.queue_id,
      last_event_id: -1,
      dont_block: false,
    });
    t.match(gone, { code: 'BAD_EVENT_QUEUE_ID', queue_id: queue.queue_id });
  });

  await t.test('endpoints that do not exist answer in JSON', async (t) => {
    const missing = await owner.callEndpoint('/users/me/pointer', 'GET');
    t.match(missing, { result: 'error', code: 'BAD_REQUEST' });
    const method = await owner.callEndpoint('/register', 'PATCH', { a: 'b' });
    t.match(method, { result: 'error', msg: 'Method Not Allowed', allowed_methods: ['POST'] });
  });

  const ids = received.events.map((event) => event.id);
  t.same(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
    'every event came once, in order',
  );
  await server.stop();
});
