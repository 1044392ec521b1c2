import t from 'tap';
import { PLAIN } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const TADA = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' } as const;

/** A world with a custom emoji whose id is 1. */
function withBlobcat(): MessagesWorld {
  const world = new MessagesWorld();
  world.transact((tx) =>
    tx.org.customEmoji.insert({
      id: 1,
      name: 'blobcat',
      author_id: world.hamlet.user_id,
      deactivated: false,
      file: 'f',
      animated: false,
    }),
  );
  return world;
}

// [c:reaction-events]
void t.test('events `reaction`: somebody reacts and takes it back', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const message_id = await world.say('hello');
  t.strictSame(await world.do('add-reaction', { message_id, emoji_name: 'tada' }, ophelia), {});
  const event = {
    type: 'reaction',
    op: 'add',
    message_id,
    ...TADA,
    user_id: ophelia.user_id,
    user: {
      user_id: ophelia.user_id,
      email: 'ophelia@example.com',
      full_name: 'ophelia',
    },
  };
  t.same(world.seen(hamlet), [event]);
  t.same(world.seen(ophelia), [event]);
  t.same(world.received(hamlet, world.mark, PLAIN), [event], 'the same for old queues');
  t.match((await world.message(message_id)).reactions, [{ ...TADA, user_id: ophelia.user_id }]);
  t.ok(world.org.messages.peek(message_id)!.has_reaction);
  t.strictSame(await world.do('remove-reaction', { message_id, emoji_name: 'tada' }, ophelia), {});
  t.same(world.seen(hamlet), [{ ...event, op: 'remove' }]);
  t.same((await world.message(message_id)).reactions, []);
  t.notOk(world.org.messages.peek(message_id)!.has_reaction);
});

void t.test('`has:reaction` finds messages with reactions', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  await world.say('without');
  const message_id = await world.say('with');
  await world.do('add-reaction', { message_id, emoji_name: 'tada' }, hamlet);
  const { messages } = await world.do(
    'get-messages',
    {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'has', operand: 'reaction' }],
    },
    hamlet,
  );
  t.same(
    (messages as { id: number }[]).map(({ id }) => id),
    [message_id],
  );
});

void t.test('who joins an emoji that is there takes its stored name', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const message_id = await world.say('hello');
  await world.do('add-reaction', { message_id, emoji_name: '+1' }, hamlet);
  await world.do('add-reaction', { message_id, emoji_name: 'thumbs_up' }, ophelia);
  t.match(world.seen(hamlet), [{ emoji_name: '+1', emoji_code: '1f44d' }]);
  await world.do('remove-reaction', { message_id, emoji_name: 'thumbs_up' }, ophelia);
  t.match(world.seen(hamlet), [{ op: 'remove', emoji_name: '+1', user_id: ophelia.user_id }]);
  const joined = { message_id, emoji_name: 'no such name', emoji_code: '1f44d' };
  await world.do('add-reaction', { ...joined, reaction_type: 'unicode_emoji' }, ophelia);
  t.match(world.seen(hamlet), [{ op: 'add', emoji_name: '+1' }]);
});

void t.test('missing code and type: custom emoji first, then Unicode, then `zulip`', async (t) => {
  const world = withBlobcat();
  const { hamlet } = world;
  const message_id = await world.say('hello');
  const react = async (emoji_name: string) => {
    await world.do('add-reaction', { message_id, emoji_name }, hamlet);
    const [event] = world.seen(hamlet);
    return [event!.emoji_code, event!.reaction_type];
  };
  t.same(await react('blobcat'), ['1', 'realm_emoji']);
  t.same(await react('heart'), ['2764', 'unicode_emoji']);
  t.same(await react('zulip'), ['zulip', 'zulip_extra_emoji']);
  await world.do('remove-reaction', { message_id, emoji_name: 'blobcat' }, hamlet);
  world.transact((tx) => tx.org.customEmoji.update(1, { name: 'tada' }));
  t.same(await react('tada'), ['1', 'realm_emoji'], 'a custom emoji hides the Unicode one');
});

void t.test('a deactivated custom emoji can be taken back and joined, not begun', async (t) => {
  const world = withBlobcat();
  const { hamlet, ophelia } = world;
  const message_id = await world.say('hello');
  const other = await world.say('other');
  const blobcat = { emoji_name: 'blobcat', emoji_code: '1', reaction_type: 'realm_emoji' };
  await world.do('add-reaction', { message_id, ...blobcat }, hamlet);
  world.transact((tx) => tx.org.customEmoji.update(1, { deactivated: true }));
  await world.do('add-reaction', { message_id, ...blobcat }, ophelia);
  t.equal(
    await world.refused('add-reaction', { message_id: other, ...blobcat }, hamlet),
    'This custom emoji has been deactivated.',
  );
  t.equal(
    await world.refused('add-reaction', { message_id: other, emoji_name: 'blobcat' }, hamlet),
    "Emoji 'blobcat' does not exist",
  );
  t.same(await world.do('remove-reaction', { message_id, emoji_name: 'blobcat' }, hamlet), {});
});

void t.test("a client's own name for a code everybody knows", async (t) => {
  const world = withBlobcat();
  const { hamlet } = world;
  const message_id = await world.say('hello');
  // As zulip-terminal sends it, whose names are not all known here.
  const bunny = { emoji_name: 'long_ears', emoji_code: '1f430', reaction_type: 'unicode_emoji' };
  await world.do('add-reaction', { message_id, ...bunny }, hamlet);
  const stored = async () => (await world.message(message_id)).reactions;
  t.match(await stored(), [{ ...bunny, emoji_name: 'bunny' }]);
  t.equal(
    await world.refused('add-reaction', { message_id, ...bunny }, hamlet),
    'REACTION_ALREADY_EXISTS: Reaction already exists.',
  );
  await world.do('remove-reaction', { message_id, ...bunny }, hamlet);
  t.same(await stored(), []);
  for (const emoji_name of ['No Name', '', 'tada', 'b'.repeat(61)]) {
    const wrong = { ...bunny, emoji_name };
    t.equal(
      await world.refused('add-reaction', { message_id, ...wrong }, hamlet),
      'Invalid emoji name.',
    );
  }
});

void t.test('a reaction kept under a code without its variation selectors', async (t) => {
  const world = withBlobcat();
  const { hamlet } = world;
  const message_id = await world.say('hello');
  const document = (await world.org.messages.fetch([message_id])).get(message_id)!;
  const detective = { emoji_name: 'man_detective', reaction_type: 'unicode_emoji' } as const;
  const old = { ...detective, emoji_code: '1f575-200d-2642', user_id: hamlet.user_id };
  world.transact((tx) => tx.org.messages.update(document, { reactions: [old] }, tx.seq));
  const sent = { message_id, ...detective, emoji_code: '1f575-fe0f-200d-2642-fe0f' };
  t.match(await world.refused('add-reaction', sent, hamlet), /^REACTION_ALREADY_EXISTS/);
  await world.do('remove-reaction', sent, hamlet);
  await world.do('add-reaction', sent, hamlet);
  t.match((await world.message(message_id)).reactions, [{ emoji_code: sent.emoji_code }]);
});

void t.test('reactions are refused in the words of the contract', async (t) => {
  const world = withBlobcat();
  const { hamlet, ophelia } = world;
  const message_id = await world.say('hello');
  const add = (params: object) => world.refused('add-reaction', { message_id, ...params }, hamlet);
  const remove = (params: object) =>
    world.refused('remove-reaction', { message_id, ...params }, hamlet);
  const code = (emoji_name: string, emoji_code: string, reaction_type: string) =>
    add({ emoji_name, emoji_code, reaction_type });
  t.equal(await add({ emoji_name: 'nothing' }), "Emoji 'nothing' does not exist");
  t.equal(await code('tada', '1f44d', 'unicode_emoji'), 'Invalid emoji name.');
  t.equal(await code('tada', 'zzz', 'unicode_emoji'), 'Invalid emoji code.');
  t.equal(await code('tada', '1f389', 'emoji'), 'Invalid emoji type.');
  t.equal(await code('blobcat', '2', 'realm_emoji'), 'Invalid custom emoji.');
  t.equal(await code('blobcat', '01', 'realm_emoji'), 'Invalid custom emoji.');
  t.equal(await code('polly', '1', 'realm_emoji'), 'Invalid custom emoji name.');
  t.equal(await code('zulip', 'x', 'zulip_extra_emoji'), 'Invalid emoji code.');
  t.equal(await code('x', 'zulip', 'zulip_extra_emoji'), 'Invalid emoji name.');
  t.equal(
    await remove({}),
    'At least one of the following arguments must be present: emoji_name, emoji_code',
  );
  const missing = "REACTION_DOES_NOT_EXIST: Reaction doesn't exist.";
  t.equal(await remove({ emoji_name: 'tada' }), missing);
  t.equal(await remove({ emoji_code: '1f389' }), missing);
  t.equal(await remove({ emoji_name: 'nothing' }), "Emoji 'nothing' does not exist");
  await world.do('add-reaction', { message_id, emoji_name: 'tada' }, ophelia);
  t.equal(await remove({ emoji_name: 'tada' }), missing, "somebody else's");
  t.equal(
    await world.refused('add-reaction', { message_id, emoji_name: 'tada' }, ophelia),
    'REACTION_ALREADY_EXISTS: Reaction already exists.',
  );
  t.equal(
    await world.refused('add-reaction', { message_id, ...TADA, emoji_code: '1f389-fe0f' }, ophelia),
    'REACTION_ALREADY_EXISTS: Reaction already exists.',
    'variation selectors do not matter',
  );
  const secret = await world.say('secret', 'plan', hamlet, 'verona');
  world.channel('vault', { invite_only: true }, [hamlet]);
  const hidden = await world.say('hidden', 'plan', hamlet, 'vault');
  for (const id of [hidden, 999_999]) {
    t.equal(
      await world.refused('add-reaction', { message_id: id, emoji_name: 'tada' }, ophelia),
      'Invalid message(s)',
    );
  }
  world.transact((tx) => tx.org.channels.update(world.verona.stream_id, { is_archived: true }));
  t.equal(
    await world.refused('add-reaction', { message_id: secret, emoji_name: 'tada' }, hamlet),
    'Invalid message(s)',
    'archived channels can be read, not changed',
  );
});

void t.test('who is told: subscribers, holders, and reactors who never received it', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, moderator, owner } = world;
  const message_id = await world.say('hello', 'plan', hamlet, 'verona');
  await world.do('add-reaction', { message_id, emoji_name: 'tada' }, ophelia);
  t.equal(world.seen(owner).length, 1, 'a subscriber');
  t.equal(world.seen(ophelia).length, 1, 'the reactor, who does not subscribe');
  t.equal(world.seen(moderator).length, 0, 'nobody else');
  const { flags } = await world.message(message_id, ophelia);
  t.same(flags, ['read', 'historical']);
  await world.do('add-reaction', { message_id, emoji_name: 'tada' }, hamlet);
  t.equal(world.seen(ophelia).length, 1, 'who reacted before');
  world.channel('vault', { invite_only: true, history_public_to_subscribers: false }, [hamlet]);
  const hidden = await world.say('hidden', 'plan', hamlet, 'vault');
  await world.do('add-reaction', { message_id: hidden, emoji_name: 'tada' }, hamlet);
  t.equal(world.seen(hamlet).length, 1, 'once');
  t.equal(world.seen(ophelia).length, 0);
  const direct = await world.tell('psst');
  await world.do('add-reaction', { message_id: direct, emoji_name: 'tada' }, ophelia);
  t.same(
    [hamlet, ophelia, owner].map((user) => world.seen(user).length),
    [1, 1, 0],
    'a direct message: the participants',
  );
});

void t.test(
  'reacting is taking part in the topic: it is followed first, where somebody wants that',
  async (t) => {
    const world = new MessagesWorld();
    const { ophelia } = world;
    const message_id = await world.say('hello');
    world.transact((tx) => {
      const { user_id } = ophelia;
      tx.org.settings.insert({ user_id, edited: [], automatically_follow_topics_policy: 1 });
    });
    await world.do('add-reaction', { message_id, emoji_name: 'tada' }, ophelia);
    t.match(world.events(ophelia), [
      { type: 'muted_topics' },
      { type: 'user_topic', topic_name: 'lunch', visibility_policy: 3 },
      { type: 'reaction' },
    ]);
    await world.do('remove-reaction', { message_id, emoji_name: 'tada' }, ophelia);
    t.match(world.seen(ophelia), [{ type: 'reaction' }]);
  },
);

void t.test('reactions are there after a restart', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const message_id = await world.say('hello');
  await world.do('add-reaction', { message_id, emoji_name: 'tada' }, hamlet);
  t.ok(world.reloaded().messages.peek(message_id)!.has_reaction);
});
