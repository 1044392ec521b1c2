import t from 'tap';
import type { Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

class World extends MessagesWorld {
  move(id: number, changes: Body) {
    return this.edit(id, { propagate_mode: 'change_all', ...changes }, this.owner);
  }
}

async function world(): Promise<World> {
  const made = new World();
  await made.quiet();
  return made;
}

void t.test('a renamed topic keeps what people chose; told before update_message', async (t) => {
  const made = await world();
  const id = await made.say('a', 'lunch');
  await made.choose('lunch', 1);
  await made.choose('lunch', 3, made.ophelia);
  await made.move(id, { topic: 'dinner' });
  t.strictSame(
    made
      .events()
      .map(({ type, topic_name, visibility_policy }) => [type, topic_name, visibility_policy]),
    [
      ['muted_topics', undefined, undefined],
      ['user_topic', 'lunch', 0],
      ['muted_topics', undefined, undefined],
      ['user_topic', 'dinner', 1],
      ['update_message', undefined, undefined],
    ],
  );
  t.strictSame([made.policy('lunch'), made.policy('dinner')], [0, 1]);
  t.equal(made.policy('dinner', made.ophelia), 3);
});

void t.test('resolving a topic and back', async (t) => {
  const made = await world();
  const id = await made.say('a', 'lunch');
  await made.choose('lunch', 3);
  await made.move(id, { topic: '✔ lunch' });
  t.strictSame([made.policy('lunch'), made.policy('✔ lunch')], [0, 3]);
  await made.move(id, { topic: 'lunch' });
  t.strictSame([made.policy('lunch'), made.policy('✔ lunch')], [3, 0]);
});

void t.test('merging: the more visible wins', async (t) => {
  // What one had chosen for the old and the new topic, and what comes of it: 1 muted … 3 followed.
  const merges: [old: number, target: number, result: number][] = [
    [1, 3, 3],
    [3, 1, 3],
    [2, 3, 3],
    [2, 1, 2],
    [0, 1, 0],
    [1, 0, 0],
    [0, 2, 2],
    [3, 0, 3],
    [1, 1, 1],
  ];
  for (const [old, target, result] of merges) {
    const made = await world();
    const id = await made.say('a', 'lunch');
    await made.say('b', 'dinner');
    await made.choose('lunch', old);
    await made.choose('dinner', target);
    await made.move(id, { topic: 'dinner' });
    t.equal(made.policy('dinner'), result, `${old} and ${target}`);
    t.equal(made.policy('lunch'), 0);
  }
});

void t.test('part of a topic takes nothing along', async (t) => {
  const made = await world();
  await made.say('a', 'lunch');
  const second = await made.say('b', 'lunch');
  await made.choose('lunch', 3);
  await made.edit(second, { propagate_mode: 'change_later', topic: 'dinner' }, made.owner);
  t.strictSame([made.policy('lunch'), made.policy('dinner')], [3, 0]);
  await made.edit(1, { propagate_mode: 'change_one', topic: 'supper' }, made.owner);
  t.strictSame([made.policy('lunch'), made.policy('supper')], [0, 3], 'the last one does');
});

void t.test('another channel: who may not read it loses the choice', async (t) => {
  const made = await world();
  const secret = made.channel('secret', { invite_only: true }, [made.owner, made.hamlet]);
  const id = await made.say('a', 'lunch');
  await made.choose('lunch', 3);
  await made.choose('lunch', 3, made.ophelia);
  await made.move(id, { stream_id: secret.stream_id });
  t.strictSame([made.policy('lunch'), made.policy('lunch', made.hamlet, secret)], [0, 3]);
  t.strictSame(
    [made.policy('lunch', made.ophelia), made.policy('lunch', made.ophelia, secret)],
    [0, 0],
  );
  t.strictSame(
    made.events(made.ophelia).map(({ type }) => type),
    ['delete_message', 'stream', 'muted_topics', 'user_topic'],
  );
});

void t.test(
  'resolved_topic_notice_auto_read_policy: always, except_followed (the default), never',
  async (t) => {
    const made = await world();
    const { hamlet, ophelia, moderator, owner } = made;
    const name = 'resolved_topic_notice_auto_read_policy';
    await made.set(hamlet, { [name]: 'always' });
    await made.set(owner, { [name]: 'never' });
    const id = await made.say('a', 'lunch');
    await made.choose('lunch', 3, hamlet);
    await made.choose('lunch', 3, ophelia);
    await made.edit(id, { propagate_mode: 'change_all', topic: '✔ lunch' }, owner);
    const notice = id + 1;
    const unread = [hamlet, ophelia, moderator, owner].filter((user) =>
      made.unread(user).streams.some((one) => one.unread_message_ids.includes(notice)),
    );
    t.strictSame(
      unread.map(({ full_name }) => full_name),
      ['ophelia', made.owner.full_name],
    );
    const { events } = made.entries.at(-1)!.content;
    const { flags } = events.at(-1)!.data as { flags: Body };
    t.strictSame(flags[hamlet.user_id], ['read']);
    t.notOk(ophelia.user_id in flags);
  },
);
