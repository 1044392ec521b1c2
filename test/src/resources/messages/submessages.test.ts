import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import type { Body } from '../../../fixtures/living-organization.js';

/** Does something with a widget, as JSON or as a text. */
function act(world: MessagesWorld, message_id: number, action: Body | string, user: UserDocument) {
  const content = typeof action === 'string' ? action : JSON.stringify(action);
  return world.do('add-submessage', { message_id, msg_type: 'widget', content }, user);
}

async function refusal(
  world: MessagesWorld,
  message_id: number,
  action: unknown,
  user: UserDocument,
): Promise<string> {
  const content = typeof action === 'string' ? action : JSON.stringify(action);
  return world.refused('add-submessage', { message_id, msg_type: 'widget', content }, user);
}

/** Contents of a message's submessages but for the widget itself, with who sent them. */
async function actions(world: MessagesWorld, id: number): Promise<unknown[]> {
  const { submessages } = await world.message(id);
  return (submessages as { sender_id: number; content: string }[])
    .slice(1)
    .map(({ sender_id, content }) => [sender_id, JSON.parse(content) as unknown]);
}

const VOTE = { type: 'vote', key: 'canned,0', vote: 1 };
const LUNCH = '/poll Lunch?\nSoup\nSalad';

void t.test('a message `/poll` has its poll at once, wherever it is shown', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const id = await world.say(LUNCH);
  const poll = {
    id: 1,
    message_id: id,
    sender_id: hamlet.user_id,
    msg_type: 'widget',
    content: '{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup","Salad"]}}',
  };
  t.same((await world.message(id)).submessages, [poll]);
  const page = { anchor: 'newest', num_before: 1, num_after: 0 };
  const { messages } = await world.do('get-messages', page, ophelia);
  t.match(messages, [{ id, submessages: [poll] }]);
  t.same((await world.message(await world.say('plain'))).submessages, []);
});

// [c:submessage-events]
void t.test('events `submessage`: somebody votes', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const message_id = await world.say(LUNCH);
  // Spaces as the Python package sends them.
  const content = '{"type": "vote", "key": "canned,1", "vote": 1}';
  t.strictSame(await act(world, message_id, content, ophelia), {});
  const event = {
    type: 'submessage',
    message_id,
    submessage_id: 2,
    sender_id: ophelia.user_id,
    msg_type: 'widget',
    content,
  };
  t.same(world.seen(hamlet), [event]);
  t.same(world.seen(ophelia), [event]);
  const { submessages } = await world.message(message_id);
  t.match(submessages, [{ id: 1 }, { id: 2, message_id, sender_id: ophelia.user_id, content }]);
});

void t.test(
  'what changes nothing is answered like the first time, and not told again',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, ophelia } = world;
    const id = await world.say(LUNCH);
    const option = { type: 'new_option', idx: 1, option: 'Bread' };
    for (const [action, user] of [
      [VOTE, ophelia],
      [option, ophelia],
      [{ type: 'question', question: 'Dinner?' }, hamlet],
    ] as const) {
      await act(world, id, action, user);
      t.equal(world.seen().length, 1);
      t.strictSame(await act(world, id, action, user), {});
      t.same(world.seen(), [], action.type);
    }
    t.strictSame(await act(world, id, { ...option, idx: 2 }, hamlet), {});
    t.same(world.seen(), [], 'an option of the same text, which no client would show');
    t.equal((await actions(world, id)).length, 3);
    await act(world, id, { ...VOTE, vote: -1 }, ophelia);
    await act(world, id, VOTE, ophelia);
    t.equal((await actions(world, id)).length, 5, 'a changed mind is kept');
  },
);

void t.test('options that people add get votes under their keys', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const id = await world.say(LUNCH);
  await act(world, id, { type: 'new_option', idx: 1, option: 'Bread' }, ophelia);
  const vote = { type: 'vote', key: `${ophelia.user_id},1`, vote: 1 };
  await act(world, id, vote, hamlet);
  t.same((await actions(world, id))[1], [hamlet.user_id, vote]);
  t.equal(
    await refusal(world, id, { ...vote, key: `${hamlet.user_id},1` }, hamlet),
    'The poll has no such option.',
  );
  t.equal(
    await refusal(world, id, { type: 'new_option', idx: 1, option: 'Cake' }, ophelia),
    'You have given the poll an option with this number already.',
  );
});

void t.test('only its author asks another question, or gives the list another title', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, owner } = world;
  const poll = await world.say(LUNCH);
  const list = await world.say('/todo Party');
  const question = { type: 'question', question: 'Dinner?' };
  const title = { type: 'new_task_list_title', title: 'Wedding' };
  for (const user of [ophelia, owner]) {
    t.equal(
      await refusal(world, poll, question, user),
      "You can't edit a question unless you are the author.",
    );
    t.equal(
      await refusal(world, list, title, user),
      "You can't edit the task list title unless you are the author.",
    );
  }
  await act(world, poll, question, hamlet);
  await act(world, list, title, hamlet);
  t.match(world.seen(ophelia), [{ type: 'submessage', message_id: list }]);
});

void t.test('a to-do list: everybody adds tasks and strikes them', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const id = await world.say('/todo Party\nCake: with candles');
  const task = { type: 'new_task', key: 1, task: 'Music', desc: '', completed: false };
  await act(world, id, task, ophelia);
  const strikes = [`0,canned`, `1,${ophelia.user_id}`, '0,canned'];
  for (const key of strikes) {
    await act(world, id, { type: 'strike', key }, hamlet);
    t.match(world.seen(), [{ type: 'submessage', sender_id: hamlet.user_id }], 'each one is told');
  }
  t.same((await actions(world, id)).length, 4);
  await act(world, id, task, ophelia);
  t.same(world.seen(), [], 'the same task again');
  await act(world, id, { ...task, key: 2 }, hamlet);
  t.same(world.seen(), [], 'nor one of the same name');
  t.equal(
    await refusal(world, id, { type: 'strike', key: '9,canned' }, hamlet),
    'The list has no such task.',
  );
  t.equal(
    await refusal(world, id, { ...task, task: 'Other' }, ophelia),
    'You have given the list a task with this number already.',
  );
});

void t.test('what a poll and a list do not take', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const poll = await world.say(LUNCH);
  const list = await world.say('/todo');
  const option = { type: 'new_option', idx: 1, option: 'Bread' };
  const task = { type: 'new_task', key: 1, task: 'Music', desc: '', completed: false };
  for (const [id, action, text] of [
    [poll, 'bogus', 'Invalid json for submessage'],
    [poll, '""', 'poll data is not a dict'],
    [poll, [], 'poll data is not a dict'],
    [poll, {}, 'type key is missing from poll data'],
    [poll, { type: 7 }, 'poll data["type"] is not a string'],
    [poll, { type: 'strike' }, 'Unknown type for poll data: strike'],
    [poll, { type: 'vote' }, 'key key is missing from poll data'],
    [poll, { ...VOTE, vote: 99 }, 'Invalid poll data["vote"]'],
    [poll, { ...VOTE, vote: 0 }, 'Invalid poll data["vote"]'],
    [poll, { ...VOTE, more: 1 }, 'Unexpected arguments: more'],
    [poll, { type: 'question', question: 7 }, 'poll data["question"] is not a string'],
    [poll, { ...option, idx: 'x' }, 'poll data["idx"] is not an integer'],
    [poll, JSON.stringify(option).replace('1', '1.0'), 'poll data["idx"] is not an integer'],
    [poll, { ...option, idx: 1001 }, 'Invalid poll data["idx"]'],
    [poll, { ...option, option: ' ' }, 'poll data["option"] cannot be blank.'],
    [
      poll,
      { ...option, option: 'no\u202e' },
      'Invalid character in poll data["option"], at position 3!',
    ],
    [
      poll,
      { type: 'question', question: '\u0000' },
      'Invalid character in poll data["question"], at position 1!',
    ],
    [
      poll,
      { ...option, option: 'x'.repeat(1001) },
      'poll data["option"] is too long (limit: 1000 characters)',
    ],
    [list, [], 'todo data is not a dict'],
    [list, { type: 'vote' }, 'Unknown type for todo data: vote'],
    [list, { type: 'strike' }, 'key key is missing from todo data'],
    [list, { ...task, completed: 'no' }, 'todo data["completed"] is not a boolean'],
    [list, { ...task, key: -1 }, 'Invalid todo data["key"]'],
  ] as const) {
    t.equal(await refusal(world, id, action, hamlet), text, text);
  }
});

void t.test('only polls and to-do lists take submessages', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const none = 'You cannot attach a submessage to this message.';
  t.equal(await refusal(world, await world.say('plain'), VOTE, hamlet), none);
  const choices = { type: 'choices', heading: 'Which?', choices: [] };
  const { id } = (await world.do(
    'send-message',
    {
      type: 'channel',
      to: 'general',
      topic: 'lunch',
      content: 'Which?',
      widget_content: JSON.stringify({ widget_type: 'zform', extra_data: choices }),
    },
    hamlet,
  )) as { id: number };
  t.match((await world.message(id)).submessages, [{ content: /^{"widget_type":"zform"/ }]);
  t.equal(await refusal(world, id, VOTE, hamlet), none);
});

void t.test('who does not see the message cannot vote', async (t) => {
  const world = new MessagesWorld();
  const { ophelia, owner } = world;
  const poll = await world.say(LUNCH, 'lunch', owner, 'verona');
  world.transact((tx) => tx.org.channels.update(world.verona.stream_id, { invite_only: true }));
  t.equal(await refusal(world, poll, VOTE, ophelia), 'Invalid message(s)');
  const direct = await world.tell(LUNCH);
  t.equal(await refusal(world, direct, VOTE, owner), 'Invalid message(s)');
  await act(world, direct, VOTE, ophelia);
  t.match(world.seen(), [{ type: 'submessage', message_id: direct }]);
  t.same(world.seen(owner), []);
  world.transact((tx) => tx.org.channels.update(world.verona.stream_id, { is_archived: true }));
  t.equal(await refusal(world, poll, VOTE, owner), 'Invalid message(s)');
});

void t.test(
  'the text of a message with a widget stays as it is; its topic may change',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet } = world;
    const message_id = await world.say(LUNCH);
    t.equal(
      await world.refusal(message_id, { content: '/poll Dinner?' }),
      'Widgets cannot be edited.',
    );
    await world.edit(message_id, { topic: 'dinner' });
    await act(world, message_id, VOTE, hamlet);
    t.match(await world.message(message_id), { subject: 'dinner', submessages: [{}, {}] });
  },
);

void t.test('nobody uses up the room of a poll by changing their mind', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const id = await world.say(LUNCH);
  await act(world, id, VOTE, ophelia);
  // As many as there may be, the poll and the first vote included.
  const stored = (await world.org.messages.fetch([id])).get(id)!;
  const more = Array.from({ length: 4998 }, (_, i) => ({
    id: 10 + i,
    sender_id: hamlet.user_id,
    content: JSON.stringify({ ...VOTE, vote: i % 2 ? -1 : 1 }),
  }));
  world.transact((tx) => {
    const submessages = [...stored.submessages!, ...more];
    tx.org.messages.update(stored, { submessages }, tx.seq);
  });
  await act(world, id, VOTE, hamlet);
  t.same(await actions(world, id), [
    [ophelia.user_id, VOTE],
    [hamlet.user_id, VOTE],
  ]);
});

void t.test(
  'a list keeps no two strikes that undo each other, once there are too many',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, ophelia } = world;
    const id = await world.say('/todo\nCake\nMusic');
    const stored = (await world.org.messages.fetch([id])).get(id)!;
    const strike = (key: string) => ({ type: 'strike', key });
    const more = Array.from({ length: 4999 }, (_, i) => ({
      id: 10 + i,
      sender_id: ophelia.user_id,
      content: JSON.stringify(strike(i === 0 ? '0,canned' : '1,canned')),
    }));
    world.transact((tx) => {
      tx.org.messages.update(stored, { submessages: [...stored.submessages!, ...more] }, tx.seq);
    });
    await act(world, id, strike('1,canned'), hamlet);
    t.same(await actions(world, id), [
      [ophelia.user_id, strike('0,canned')],
      [hamlet.user_id, strike('1,canned')],
    ]);
  },
);

void t.test('where all actions count, a further one is refused', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const id = await world.say(LUNCH);
  const stored = (await world.org.messages.fetch([id])).get(id)!;
  const options = Array.from({ length: 480 }, (_, i) => ({
    id: 10 + i,
    sender_id: hamlet.user_id,
    content: JSON.stringify({ type: 'new_option', idx: i, option: `${i}`.padEnd(1000, 'x') }),
  }));
  world.transact((tx) => {
    tx.org.messages.update(stored, { submessages: [...stored.submessages!, ...options] }, tx.seq);
  });
  const option = { type: 'new_option', idx: 900, option: 'y'.repeat(1000) };
  t.equal(await refusal(world, id, option, hamlet), 'A widget can have at most 5000 actions.');
});

void t.test('taking part in a poll may follow its topic', async (t) => {
  const world = new MessagesWorld();
  const { ophelia } = world;
  const id = await world.say(LUNCH);
  world.transact((tx) =>
    tx.org.settings.insert({
      user_id: ophelia.user_id,
      edited: [],
      automatically_follow_topics_policy: 1,
    }),
  );
  await act(world, id, VOTE, ophelia);
  t.match(
    world.events(ophelia).map(({ type }) => type),
    ['muted_topics', 'user_topic', 'submessage'],
  );
  t.equal(world.org.userTopics.policy(ophelia.user_id, world.general.stream_id, 'lunch'), 3);
});
