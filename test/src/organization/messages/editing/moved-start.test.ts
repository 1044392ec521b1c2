import t from 'tap';
import { VISIBILITY } from '../../../../../schemas/topics/user-topics.js';
import { subscribeUsers } from '../../../../../src/organization/channels/subscribing.js';
import { setTopicPolicy } from '../../../../../src/organization/topics/topic-policy.js';
import { MessagesWorld } from '../../../../fixtures/messages-world.js';
import { MODERN } from '../../../../fixtures/living-organization.js';

const { inherit, muted, unmuted, followed } = VISIBILITY;

/** What of a topic is followed or unmuted automatically. */
const POLICY = { participates: 1, sends: 2, starts: 3, never: 4 } as const;

// [c:moved-start]
void t.test(
  'who wrote the message that a move makes the first of a topic follows it',
  async (t) => {
    const world = new MessagesWorld();
    const { owner, hamlet, ophelia } = world;
    await world.say('start', 'lunch', owner);
    const [first, second] = [await world.say('1'), await world.say('2', 'lunch', ophelia)];
    t.equal(world.policy('lunch', hamlet), inherit, 'whoever only answers does not');
    await world.edit(first, { topic: 'dinner', propagate_mode: 'change_later' }, owner);
    t.equal(world.policy('dinner', hamlet), followed);
    t.equal(world.policy('dinner', ophelia), inherit, 'nor does who came second');
    t.equal(world.policy('dinner', owner), inherit, 'nor who moved them');
    t.same(
      world.received(hamlet, world.mark, MODERN).map(({ type }) => type),
      ['muted_topics', 'user_topic', 'update_message'],
    );
    t.match(world.received(hamlet, world.mark, MODERN)[1], {
      topic_name: 'dinner',
      visibility_policy: followed,
    });
    await world.edit(second, { topic: 'supper' }, owner);
    t.equal(world.policy('supper', ophelia), followed);
  },
);

void t.test('the first of a topic that exists is the lowest one', async (t) => {
  const world = new MessagesWorld();
  const { owner, hamlet } = world;
  await world.say('start', 'lunch', owner);
  const before = await world.say('before');
  await world.say('dinner starts', 'dinner', owner);
  const after = await world.say('after');
  await world.edit(after, { topic: 'dinner' }, owner);
  t.equal(world.policy('dinner', hamlet), inherit, 'a later message starts nothing');
  await world.edit(before, { topic: 'dinner' }, owner);
  t.equal(world.policy('dinner', hamlet), followed);
});

void t.test('by the settings of the author, never to less', async (t) => {
  const rows = [
    [{ automatically_follow_topics_policy: POLICY.never }, false, inherit, inherit],
    [{ automatically_follow_topics_policy: POLICY.participates }, false, inherit, followed],
    [{ automatically_follow_topics_policy: POLICY.sends }, false, inherit, followed],
    [{ automatically_follow_topics_policy: POLICY.never }, true, inherit, unmuted],
    [{ automatically_follow_topics_policy: POLICY.never }, true, followed, followed],
    [{}, true, muted, followed],
    [
      {
        automatically_follow_topics_policy: POLICY.never,
        automatically_unmute_topics_in_muted_streams_policy: POLICY.never,
      },
      true,
      inherit,
      inherit,
    ],
  ] as const;
  for (const [settings, mutes, former, expected] of rows) {
    const world = new MessagesWorld();
    const { owner, hamlet, general } = world;
    const { user_id } = hamlet;
    await world.say('start', 'lunch', owner);
    const id = await world.say('1');
    world.presetSettings(hamlet, settings);
    world.transact((tx) => {
      tx.org.subscriptions.update(`${user_id}:${general.stream_id}`, { is_muted: mutes });
      setTopicPolicy(tx, user_id, general, 'dinner', former);
    });
    await world.edit(id, { topic: 'dinner' }, owner);
    t.equal(world.policy('dinner', hamlet), expected, JSON.stringify([settings, mutes, former]));
  }
});

void t.test('to another channel: who can read it, by what they can read there', async (t) => {
  const world = new MessagesWorld();
  const { owner, hamlet, ophelia } = world;
  const vault = world.channel(
    'vault',
    {
      invite_only: true,
      history_public_to_subscribers: false,
    },
    [owner],
  );
  await world.say('start', 'lunch', owner);
  const [lost, seen] = [await world.say('1', 'lunch', ophelia), await world.say('2')];
  await world.say('older', 'plan', owner, 'vault');
  world.transact((tx) => subscribeUsers(tx, { channels: [vault], userIds: [hamlet.user_id] }));
  await world.edit(lost, { stream_id: vault.stream_id, topic: 'lost' }, owner);
  t.equal(world.policy('lost', ophelia, vault), inherit, 'she cannot read it there');
  await world.edit(seen, { stream_id: world.verona.stream_id, topic: 'open' }, owner);
  t.equal(world.policy('open', hamlet, world.verona), followed);
});

void t.test('a topic that gets another name, or is resolved, is not started again', async (t) => {
  const world = new MessagesWorld();
  const { owner, hamlet, general } = world;
  const [id] = [await world.say('1'), await world.say('2', 'lunch', owner)];
  world.transact((tx) => setTopicPolicy(tx, hamlet.user_id, general, 'lunch', inherit));
  await world.edit(id, { topic: 'dinner', propagate_mode: 'change_all' }, owner);
  t.equal(world.policy('dinner', hamlet), inherit);
  await world.edit(id, { topic: '✔ dinner', propagate_mode: 'change_all' }, owner);
  t.equal(world.policy('✔ dinner', hamlet), inherit);
});
