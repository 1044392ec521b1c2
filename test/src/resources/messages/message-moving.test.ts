import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { setTopicPolicy } from '../../../../src/organization/topics/topic-policy.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { MessagesWorld, reading } from '../../../fixtures/messages-world.js';
import { PLAIN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

void t.test('a topic edit of one message', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, general } = world;
  const id = await world.say('one');
  await world.say('two');
  await world.edit(id, { topic: 'dinner https://a.example' });
  const topic_links = [{ text: 'https://a.example', url: 'https://a.example' }];
  t.strictSame(world.seen(), [
    {
      type: 'update_message',
      user_id: hamlet.user_id,
      edit_timestamp: START_SECONDS,
      message_id: id,
      message_ids: [id],
      rendering_only: false,
      stream_id: general.stream_id,
      stream_name: 'general',
      topic_links,
      propagate_mode: 'change_one',
      flags: [],
      orig_subject: 'lunch',
      subject: 'dinner https://a.example',
    },
  ]);
  const message = await world.message(id);
  t.match(message, { topic_links, last_moved_timestamp: START_SECONDS });
  t.notOk('last_edit_timestamp' in message);
});

void t.test('change_later and change_all; content touches only the target', async (t) => {
  const world = new MessagesWorld();
  const [first, second, third] = [await world.say('1'), await world.say('2'), await world.say('3')];
  await world.edit(second, { topic: 'b', content: 'two', propagate_mode: 'change_later' });
  t.match(world.seen()[0], { message_ids: [second, third], content: 'two', subject: 'b' });
  t.match(await world.message(third), { content: '<p>3</p>', subject: 'b' });
  await world.edit(third, { topic: 'lunch', propagate_mode: 'change_all' });
  t.match(world.seen()[0], { message_ids: [second, third] });
  await world.edit(third, { topic: 'c', propagate_mode: 'change_all' });
  t.match(world.seen()[0], { message_ids: [first, second, third] });
});

void t.test('the empty topic has a name for queues that cannot show it', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('1', '');
  await world.edit(id, { topic: 'b' });
  t.match(world.seen()[0], { orig_subject: '', subject: 'b' });
  t.match(world.seen(world.hamlet, PLAIN)[0], { orig_subject: 'general chat', subject: 'b' });
  await world.edit(id, { topic: 'general chat' });
  t.match(world.seen()[0], { orig_subject: 'b', subject: '' });
  for (const topic of ['✔ ', '✔', '✔ general chat']) {
    t.equal(
      await world.refusal(id, { topic, propagate_mode: 'change_all' }),
      'The general chat topic cannot be marked as resolved.',
    );
  }
});

void t.test('resolving leaves last_moved_timestamp alone and is noted by the bot', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const id = await world.say('1');
  const noted = async () => {
    return world.message(world.org.messages.index.conversation(world.general.recipient_id).last!);
  };
  await world.edit(id, { topic: '✔ lunch', propagate_mode: 'change_all' });
  t.notOk('last_moved_timestamp' in (await world.message(id)));
  const mention = `<span class="user-mention silent" data-user-id="${hamlet.user_id}">hamlet</span>`;
  t.match(await noted(), {
    subject: '✔ lunch',
    content: `<p>${mention} has marked this topic as resolved.</p>`,
  });
  await world.edit(id, { topic: 'lunch', propagate_mode: 'change_all' });
  t.match(await noted(), {
    subject: 'lunch',
    content: `<p>${mention} has marked this topic as unresolved.</p>`,
  });
});

void t.test('notes in the old and the new thread', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, verona, general } = world;
  const ids = [await world.say('1'), await world.say('2'), await world.say('3')];
  const newest = (channel: ChannelDocument, topic: string) =>
    world.message(world.org.messages.index.topic(channel.recipient_id, topic)!.list.last!);
  const notes = {
    send_notification_to_old_thread: true,
    send_notification_to_new_thread: true,
  };
  const source = async (message: Body) => {
    const { raw_content } = await world.call(reading, hamlet, { message_id: message.id });
    return raw_content;
  };
  const by = `@_**hamlet|${hamlet.user_id}**`;
  await world.edit(ids[0]!, { topic: 'b', ...notes });
  t.equal(
    await source(await newest(general, 'lunch')),
    `A message was moved from this topic to #**general>b** by ${by}.`,
  );
  t.equal(
    await source(await newest(general, 'b')),
    `A message was moved here from #**general>lunch** by ${by}.`,
  );
  const move = { stream_id: verona.stream_id, ...notes };
  await world.edit(ids[1]!, { ...move, propagate_mode: 'change_later', topic: 'c' });
  t.equal(
    await source(await newest(verona, 'c')),
    `3 messages were moved here from #**general>lunch** by ${by}.`.replace(
      '3 messages were moved',
      'This topic was moved',
    ),
  );
  await world.edit(ids[1]!, { topic: 'a `tick`', ...notes, propagate_mode: 'change_all' });
  const note = await newest(verona, 'a `tick`');
  t.match(note.content, /This topic was moved here from <a class="stream-topic"/);
});

void t.test('to another channel: who keeps sight, who loses it, what stays unread', async (t) => {
  const world = new MessagesWorld();
  const { owner, hamlet, ophelia, general } = world;
  const secret = world.channel(
    'secret',
    { invite_only: true, history_public_to_subscribers: true },
    [owner, hamlet],
  );
  const ids = [
    await world.say('1', 'lunch', owner),
    await world.say('@**hamlet** 2', 'lunch', owner),
  ];
  await world.edit(ids[0]!, { stream_id: secret.stream_id, propagate_mode: 'change_all' }, hamlet);
  const moved = {
    type: 'update_message',
    user_id: hamlet.user_id,
    edit_timestamp: START_SECONDS,
    message_id: ids[0],
    message_ids: ids,
    rendering_only: false,
    stream_id: general.stream_id,
    stream_name: 'general',
    new_stream_id: secret.stream_id,
    propagate_mode: 'change_all',
    flags: [],
    orig_subject: 'lunch',
  };
  const kinds = (events: Body[]) => events.map(({ type, property }) => property ?? type);
  t.same(kinds(world.seen()), ['first_message_id', 'first_message_id', 'update_message']);
  t.strictSame(world.seen().at(-1), moved);
  t.match(await world.message(ids[1]!), { flags: ['mentioned'], display_recipient: 'secret' });
  const lost = world.seen(ophelia);
  t.same(kinds(lost), ['delete_message', 'first_message_id']);
  t.strictSame(lost[0], {
    type: 'delete_message',
    message_type: 'stream',
    stream_id: general.stream_id,
    topic: 'lunch',
    message_ids: ids,
  });
  await t.rejects(world.message(ids[0]!, ophelia), { message: 'Invalid message(s)' });
  t.same(await world.refusal(ids[0]!, { topic: 'x' }, ophelia), 'Invalid message(s)');
});

void t.test('what others do not subscribe to is not unread for them any more', async (t) => {
  const world = new MessagesWorld();
  const { owner, ophelia, verona } = world;
  const id = await world.say('1', 'lunch', owner);
  await world.edit(id, { stream_id: verona.stream_id }, owner);
  t.same(
    world.seen(ophelia).filter(({ type }) => type !== 'stream'),
    [
      {
        ...world.seen(owner).find(({ type }) => type === 'update_message'),
        flags: ['read', 'historical'],
      },
      {
        type: 'update_message_flags',
        op: 'add',
        operation: 'add',
        flag: 'read',
        messages: [id],
        all: false,
      },
    ],
  );
});

void t.test('whoever sees only part of a topic moves only that part', async (t) => {
  const world = new MessagesWorld();
  const { owner, hamlet } = world;
  const vault = world.channel(
    'vault',
    { invite_only: true, history_public_to_subscribers: false },
    [owner],
  );
  const early = await world.say('1', 'a', owner, 'vault');
  world.transact((tx) => subscribeUsers(tx, { channels: [vault], userIds: [hamlet.user_id] }));
  const late = await world.say('2', 'a', owner, 'vault');
  await world.edit(late, { topic: 'b', propagate_mode: 'change_all' });
  t.match(world.seen()[0], { message_ids: [late] });
  t.match(await world.message(early, owner), { subject: 'a' });
  await world.edit(early, { topic: 'c', propagate_mode: 'change_all' }, owner);
  t.same(world.seen(hamlet), [], 'who may not see it is told nothing');
});

void t.test('a policy for the edit history of message objects', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('1');
  await world.edit(id, { content: '2' });
  await world.edit(id, { topic: '' });
  const history = async () => (await world.message(id)).edit_history as Body[] | undefined;
  t.equal((await history())!.length, 2);
  world.setRealm({ message_edit_history_visibility_policy: 'moves' });
  t.strictSame(await history(), [
    { user_id: world.hamlet.user_id, timestamp: START_SECONDS, prev_topic: 'lunch', topic: '' },
  ]);
  world.setRealm({ message_edit_history_visibility_policy: 'none' });
  t.equal(await history(), undefined);
});

void t.test('settings of a topic go along once all of its messages have moved', async (t) => {
  const world = new MessagesWorld();
  const { general } = world;
  const { user_id } = world.hamlet;
  world.presetSettings(world.hamlet, { automatically_follow_topics_policy: 4 });
  world.transact((tx) => setTopicPolicy(tx, user_id, general, 'lunch', VISIBILITY.followed));
  const policies = () =>
    ['lunch', 'b'].map((topic) => world.org.userTopics.policy(user_id, general.stream_id, topic));
  const [first, second] = [await world.say('1'), await world.say('2')];
  await world.edit(first, { topic: 'b' });
  t.same(policies(), [VISIBILITY.followed, VISIBILITY.inherit]);
  await world.edit(second, { topic: 'b' });
  t.same(policies(), [VISIBILITY.inherit, VISIBILITY.followed]);
});

void t.test('an edited text is searched for alert words anew', async (t) => {
  const world = new MessagesWorld();
  const first = await world.say('1');
  const [alerted] = world.org.subscriptions.subscribers(world.general.stream_id);
  world.transact((tx) => tx.org.alertWords.insert({ user_id: alerted!, words: ['fire'] }));
  await world.edit(first, { content: 'fire' });
  t.same(world.org.messages.index.notified.alertsOf(alerted!).toArray(), [first]);
});

void t.test('whoever came after the edited message is told of the move alone', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, owner } = world;
  const fields = { invite_only: true, history_public_to_subscribers: false };
  const hidden = world.channel('hidden', fields, [owner, hamlet]);
  const first = await world.say('before', 'lunch', hamlet, 'hidden');
  const userIds = [ophelia.user_id];
  world.transact((tx) => subscribeUsers(tx, { channels: [hidden], userIds }));
  const second = await world.say('after', 'lunch', hamlet, 'hidden');
  const change = { content: 'not for her', topic: 'dinner', propagate_mode: 'change_all' };
  await world.edit(first, change);
  const [hers] = world.seen(ophelia);
  t.match(hers, { message_id: second, message_ids: [second], subject: 'dinner', flags: [] });
  t.notOk('content' in hers! || 'orig_content' in hers!);
  t.match(world.seen(), [{ message_ids: [first, second], content: 'not for her' }]);
});

void t.test('notes about a move link private channels too', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, owner } = world;
  const hidden = world.channel('hidden', { invite_only: true }, [owner, hamlet]);
  const id = await world.say('one', 'lunch', hamlet, 'hidden');
  await world.edit(id, { topic: 'dinner', send_notification_to_new_thread: true });
  const { list } = world.org.messages.index.topic(hidden.recipient_id, 'dinner')!;
  t.equal(
    (await world.message(list.last!)).content,
    `<p>This topic was moved here from <a class="stream-topic" data-stream-id="${hidden.stream_id}" href="/#narrow/channel/${hidden.stream_id}-hidden/topic/lunch">#hidden &gt; lunch</a> by <span class="user-mention silent" data-user-id="${hamlet.user_id}">${hamlet.full_name}</span>.</p>`,
  );
});

/** Keeps the processor busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

void t.test('others get a turn while a large topic is loaded', async (t) => {
  const world = new MessagesWorld();
  const id = await world.say('first');
  for (let i = 0; i < 1200; i++) await world.say('more');
  const { messages } = world.org;
  const fetch = messages.fetchAll.bind(messages);
  let turns = 0;
  let loads = 0;
  messages.fetchAll = (ids, cached) => {
    loads += 1;
    work(10);
    return fetch(ids, cached);
  };
  const count = (): void => {
    turns += 1;
    if (loads > 0) setImmediate(count);
  };
  setImmediate(count);
  await world.edit(id, { topic: 'dinner', propagate_mode: 'change_all' });
  const others = turns;
  t.ok(loads > 3, `the store was asked ${loads} times`);
  loads = 0;
  t.ok(others >= 3, `others had ${others} turns`);
  t.equal((world.seen()[0]!.message_ids as number[]).length, 1201);
});

void t.test('a large topic moves on and back, with messages of different pasts', async (t) => {
  const world = new MessagesWorld();
  const { general, verona, owner } = world;
  const ids: number[] = [];
  for (let i = 0; i < 150; i++) ids.push(await world.say(`${i}`, i % 2 ? 'lunch' : 'Lunch', owner));
  const edited = ids[7]!;
  await world.edit(edited, { content: 'seven' }, owner);
  const move = (changes: Body) =>
    world.edit(edited, { propagate_mode: 'change_all', ...changes }, owner);
  await move({ stream_id: verona.stream_id });
  // Only the last of three spellings is one that half of the messages have.
  await move({ topic: 'Lunch', content: 'VII' });
  await move({ stream_id: general.stream_id, topic: 'dinner' });
  const { index } = world.org.messages;
  t.same(index.topic(general.recipient_id, 'dinner')!.list.toArray(), ids);
  t.equal(index.topic(general.recipient_id, 'lunch'), undefined);
  t.equal(index.conversation(verona.recipient_id).length, 0);
  t.same(index.moved.outOf(general.stream_id).toArray(), ids);
  const documents = await world.org.messages.fetch(ids);
  const historyOf = (id: number) => documents.get(id)!.edit_history!;
  t.match(historyOf(edited), [
    { prev_topic: 'Lunch', topic: 'dinner', stream: general.stream_id },
    { prev_content: 'seven', prev_topic: 'lunch', topic: 'Lunch' },
    { prev_stream: general.stream_id, stream: verona.stream_id },
    { prev_content: '7' },
  ]);
  t.equal(historyOf(edited).length, 4);
  t.equal(historyOf(ids[0]!).length, 2, 'a message that was spelled so already was not renamed');
  t.equal(historyOf(ids[1]!).length, 3);
  t.match(await world.message(edited, owner), { content: '<p>VII</p>', subject: 'dinner' });
});
