import t from 'tap';
import { MAX_USER_TOPICS } from '../../../../schemas/limits.js';
import { PLAIN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const refused = (message: string, code = 'BAD_REQUEST') => ({ status: 400, code, message });

const chosen = (stream_id: number, topic_name: string, visibility_policy: number): Body => ({
  type: 'user_topic',
  stream_id,
  topic_name,
  last_updated: START_SECONDS,
  visibility_policy,
});

const legacy = (...topics: string[]): Body => ({
  type: 'muted_topics',
  muted_topics: topics.map((topic) => ['general', topic, START_SECONDS]),
});

void t.test(
  'user_topics: a topic is muted, unmuted, followed and left to its channel',
  async (t) => {
    const world = new MessagesWorld();
    const { stream_id } = world.general;
    t.strictSame(await world.choose(' Lunch ', 1), {});
    t.strictSame(
      world.events(),
      [legacy('Lunch'), chosen(stream_id, 'Lunch', 1)],
      'its twin first',
    );
    t.strictSame(world.events(world.ophelia), [], 'nobody else is told');
    t.strictSame(await world.choose('lunch', 1), {}, 'success also if unchanged');
    t.strictSame(world.events(), []);
    for (const [topic, policy] of [
      ['LUNCH', 2],
      ['lunch', 3],
      ['lunch', 0],
    ] as const) {
      await world.choose(topic, policy);
      t.strictSame(world.events(), [legacy(), chosen(stream_id, topic, policy)]);
    }
    t.equal(world.org.userTopics.size, 0);
  },
);

void t.test('the empty topic, and a queue that names user_topic', async (t) => {
  const world = new MessagesWorld();
  const { stream_id } = world.general;
  await world.choose('(no topic)', 1);
  t.strictSame(world.events(world.hamlet, PLAIN), [
    legacy('general chat'),
    chosen(stream_id, 'general chat', 1),
  ]);
  t.strictSame(world.events(), [legacy(''), chosen(stream_id, '', 1)]);
  await world.choose('general chat', 0);
  t.equal(world.policy(''), 0);
});

void t.test('user_topics: refusals; nothing changes', async (t) => {
  const world = new MessagesWorld();
  const secret = world.channel('secret', { invite_only: true }, [world.owner]);
  const invalid = refused('Invalid channel ID');
  await t.rejects(world.choose('x', 1, world.hamlet, secret), invalid);
  await t.rejects(
    world.do('update-user-topic', { stream_id: 99, topic: 'x', visibility_policy: 1 }),
    invalid,
  );
  await t.rejects(world.choose('a\0b', 1), refused('Topic must not contain null bytes'));
  t.strictSame(world.events(), []);
  t.equal(world.org.userTopics.size, 0);
});

void t.test('what was chosen can be taken back where one may not read any more', async (t) => {
  const world = new MessagesWorld();
  const secret = world.channel('secret', { invite_only: true }, [world.hamlet]);
  await world.choose('plan', 1, world.hamlet, secret);
  const id = `${world.hamlet.user_id}:${secret.stream_id}`;
  world.transact((tx) => tx.org.subscriptions.update(id, { active: false }));
  world.mark = world.position;
  await t.rejects(world.choose('plan', 3, world.hamlet, secret), refused('Invalid channel ID'));
  await world.choose('other', 3);
  t.strictSame(world.eventsOf('muted_topics'), [legacy()], 'a hidden channel is not named');
  await world.choose('plan', 0, world.hamlet, secret);
  t.equal(world.policy('plan', world.hamlet, secret), 0);
});

void t.test('there is a bound, and what would follow by itself stops at it', async (t) => {
  const world = new MessagesWorld();
  const { general, hamlet } = world;
  world.transact((tx) => {
    for (let i = 0; i < MAX_USER_TOPICS; i++) {
      tx.org.userTopics.insert({
        user_id: hamlet.user_id,
        stream_id: general.stream_id,
        topic: `t${i}`,
        visibility_policy: 3,
        last_updated: START_SECONDS,
      });
    }
  });
  world.mark = world.position;
  const full = refused('You can have settings for at most 10000 topics.');
  await t.rejects(world.choose('one more', 1), full);
  await world.say('hello', 'one more');
  t.strictSame(
    world.eventsOf('user_topic muted_topics'),
    [],
    'not followed, and the message is sent all the same',
  );
  await world.choose('t0', 1);
  t.equal(world.policy('t0'), 1, 'those there are can change');
});

void t.test('muted_topics: the older way, by name or id', async (t) => {
  const world = new MessagesWorld();
  const { stream_id } = world.general;
  const mute = (params: Body) => world.do('mute-topic', { topic: 'lunch', op: 'add', ...params });
  t.strictSame(await mute({ stream: 'General' }), {});
  t.strictSame(world.events(), [legacy('lunch'), chosen(stream_id, 'lunch', 1)]);
  t.strictSame(await mute({ stream_id }), {}, 'once more is no fault');
  t.strictSame(world.events(), []);
  t.strictSame(await mute({ stream_id, op: 'remove' }), {});
  t.strictSame(world.events(), [legacy(), chosen(stream_id, 'lunch', 0)]);
  await t.rejects(mute({ stream_id, op: 'remove' }), refused('Topic is not muted'));
  await t.rejects(mute({ stream: 'absent' }), refused("Invalid channel name 'absent'"));
  await t.rejects(mute({ stream_id: 99 }), refused('Invalid channel ID'));
  await t.rejects(mute({}), refused("Missing 'stream_id' argument", 'REQUEST_VARIABLE_MISSING'));
  await t.rejects(
    mute({ stream: 'general', stream_id }),
    refused('Unsupported parameter combination: stream, stream_id', 'INCOMPATIBLE_PARAMETERS'),
  );
});

void t.test('choices survive a restart', async (t) => {
  const world = new MessagesWorld();
  await world.choose('Lunch', 3);
  await world.choose('dinner', 1);
  const { userTopics } = world.reloaded();
  const id = world.hamlet.user_id;
  t.equal(userTopics.policy(id, world.general.stream_id, 'lunch'), 3);
  t.strictSame([...userTopics.usersOf(world.general.stream_id, 'DINNER')], [id]);
  t.equal(userTopics.countOf(id), 2);
});

void t.test('following and muting: is:followed, is:muted, in:home', async (t) => {
  const world = new MessagesWorld();
  await world.quiet();
  const lunch = await world.say('a', 'lunch', world.owner);
  const dinner = await world.say('b', 'dinner', world.owner);
  const news = await world.say('c', 'news', world.owner, 'verona');
  const direct = (
    await world.do(
      'send-message',
      { type: 'direct', to: [world.hamlet.user_id], content: 'd' },
      world.owner,
    )
  ).id as number;
  await world.choose('Dinner', 3);
  await world.choose('lunch', 1);
  const is = (operand: string, negated = false) =>
    world.ids([{ operator: 'is', operand, negated }]);
  const home = () => world.ids([['in', 'home']]);
  t.strictSame(await is('followed'), [dinner]);
  t.strictSame(await is('followed', true), [lunch, news, direct]);
  t.strictSame(await is('muted'), [lunch]);
  t.strictSame(await home(), [dinner, news, direct]);
  t.strictSame(await world.ids([['in', 'all']]), [lunch, dinner, news, direct]);
  world.muteChannel();
  t.strictSame(await is('muted'), [lunch], 'followed beats the channel');
  t.strictSame(await home(), [dinner, news, direct]);
  await world.choose('dinner', 0);
  await world.choose('lunch', 2);
  t.strictSame(await is('muted'), [dinner]);
  t.strictSame(await home(), [lunch, news, direct]);
  t.strictSame(await is('followed'), []);
});

void t.test(
  'unread_msgs.count and unmuted_stream_msg regard the topic before its channel',
  async (t) => {
    const world = new MessagesWorld();
    await world.quiet();
    const lunch = await world.say('a', 'lunch', world.owner);
    const dinner = await world.say('b', 'dinner', world.owner);
    t.equal(world.unread().count, 2);
    await world.choose('lunch', 1);
    t.equal(world.unread().count, 1);
    world.muteChannel();
    t.equal(world.unread().count, 0);
    await world.choose('dinner', 3);
    t.equal(world.unread().count, 1);
    t.equal(world.unread().streams.length, 2, 'muted ones are listed, too');
    const messages = [lunch, dinner];
    await world.do('update-message-flags', { messages, op: 'add', flag: 'read' });
    world.mark = world.position;
    await world.do('update-message-flags', { messages, op: 'remove', flag: 'read' });
    const [event] = world.events();
    const details = event!.message_details as Record<string, { unmuted_stream_msg: boolean }>;
    t.strictSame(
      messages.map((id) => details[id]!.unmuted_stream_msg),
      [false, true],
    );
  },
);
