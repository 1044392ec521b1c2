import t from 'tap';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

/** Messages that a user never received, and marks as unread. */
class World extends MessagesWorld {
  readonly verse = this.channel('verse', {}, [this.owner]);
  readonly prose = this.channel('prose', {}, [this.owner]);

  /** Hamlet subscribes when 1 and 2 are there, and receives 3. */
  static async make(): Promise<World> {
    const world = new World();
    await world.quiet();
    await world.say('one', 'sonnets', world.owner, 'verse');
    await world.say('two @**hamlet**', 'sonnets', world.owner, 'verse');
    world.join(world.verse);
    await world.say('three', 'sonnets', world.owner, 'verse');
    await world.markAs([3], 'add');
    world.mark = world.position;
    return world;
  }

  join(channel: typeof this.verse, user = this.hamlet): void {
    const userIds = [user.user_id];
    this.transact((tx) => subscribeUsers(tx, { channels: [channel], userIds }));
  }

  markAs(messages: readonly number[], op: string, user = this.hamlet): Promise<Body> {
    return this.do('update-message-flags', { messages, op, flag: 'read' }, user);
  }

  async flags(id: number): Promise<unknown> {
    return (await this.message(id)).flags;
  }
}

// [c:marked-unread-older]
void t.test('a message older than the subscription is marked as unread', async (t) => {
  const world = await World.make();
  const { stream_id } = world.verse;
  t.strictSame(await world.flags(2), ['read', 'historical']);
  t.strictSame(await world.markAs([2, 3], 'remove'), {
    messages: [2, 3],
    ignored_because_not_subscribed_channels: [],
  });
  const details = { type: 'stream', stream_id, topic: 'sonnets', unmuted_stream_msg: true };
  t.strictSame(world.events(), [
    {
      type: 'update_message_flags',
      op: 'remove',
      operation: 'remove',
      flag: 'read',
      messages: [2, 3],
      all: false,
      message_details: { 2: details, 3: details },
    },
  ]);
  t.strictSame(await world.flags(2), [], 'history mentions nobody');
  t.strictSame(await world.flags(1), ['read', 'historical'], 'no other');
  t.strictSame(await world.ids([['is', 'unread']]), [2, 3]);
  t.match(world.unread(), {
    count: 2,
    streams: [{ stream_id, topic: 'sonnets', unread_message_ids: [2, 3] }],
    mentions: [],
  });
  const first = {
    anchor: 'first_unread',
    num_before: 0,
    num_after: 0,
    narrow: [['stream', 'verse']],
  };
  t.match(await world.do('get-messages', first), { anchor: 2 });
  t.strictSame(await world.markAs([2], 'remove'), {
    messages: [2],
    ignored_because_not_subscribed_channels: [],
  });
  t.strictSame(
    world.reloaded().readState.recalled(world.hamlet.user_id, world.verse.recipient_id),
    [2],
  );
});

void t.test('it is read again in every way, and then as before', async (t) => {
  const ways: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
    'by its id': (world) => world.markAs([2], 'add'),
    'with its topic': (world) =>
      world.do('mark-topic-as-read', { stream_id: world.verse.stream_id, topic_name: 'sonnets' }),
    'with its channel': (world) =>
      world.do('mark-stream-as-read', { stream_id: world.verse.stream_id }),
    'with everything': (world) => world.do('mark-all-as-read'),
  };
  for (const [said, read] of Object.entries(ways)) {
    const world = await World.make();
    await world.markAs([2], 'remove');
    world.mark = world.position;
    await read(world);
    t.match(world.events(), [{ op: 'add', flag: 'read', messages: [2] }], said);
    t.strictSame(await world.flags(2), ['read', 'historical'], said);
    t.equal(world.unread().count, 0, said);
    await world.markAs([2], 'remove');
    t.equal(world.unread().count, 1, `${said}: and unread again`);
  }
});

void t.test(
  'it stays unread where it moves, and not for those who do not subscribe there',
  async (t) => {
    const world = await World.make();
    world.join(world.prose);
    world.join(world.verse, world.ophelia);
    await world.markAs([1], 'remove');
    await world.markAs([1], 'remove', world.ophelia);
    world.mark = world.position;
    const move = { stream_id: world.prose.stream_id, propagate_mode: 'change_all' };
    await world.edit(1, move, world.owner);
    t.match(
      world.unread().streams,
      [{ stream_id: world.prose.stream_id, unread_message_ids: [1] }],
      'for Hamlet',
    );
    t.strictSame(await world.flags(1), []);
    t.equal(world.unread(world.ophelia).count, 0);
    const read = world.eventsOf('update_message_flags', world.ophelia);
    t.match(read, [{ op: 'add', flag: 'read', messages: [1] }]);
    t.match(world.eventsOf('update_message').at(-1), { flags: [] });
  },
);

void t.test('a message that comes back is not unread again', async (t) => {
  const world = await World.make();
  const move = async (to: typeof world.verse) => {
    await world.edit(1, { stream_id: to.stream_id, propagate_mode: 'change_one' }, world.owner);
  };
  await world.markAs([1], 'remove');
  await move(world.prose);
  t.equal(world.unread().count, 0, 'Hamlet does not subscribe there');
  await move(world.verse);
  t.equal(world.unread().count, 0);
  t.strictSame(await world.flags(1), ['read', 'historical']);
  world.join(world.prose);
  await world.markAs([1], 'remove');
  await move(world.prose);
  t.equal(world.unread().count, 1);
  await world.markAs([1], 'add');
  await move(world.verse);
  t.equal(world.unread().count, 0, 'it was read meanwhile');
});

void t.test('an edit tells its flags, and who leaves has nothing unread', async (t) => {
  const world = await World.make();
  await world.markAs([1], 'remove');
  await world.edit(1, { content: 'uno' }, world.owner);
  t.match(world.eventsOf('update_message'), [{ message_id: 1, flags: [] }]);
  await world.markAs([1], 'remove');
  world.transact((tx) =>
    tx.org.channels.update(world.verse.stream_id, { history_public_to_subscribers: false }),
  );
  t.equal(world.unread().count, 0, 'not where one may not read it any more');
});

void t.test('ten thousand of a channel are unread at once, and not one more', async (t) => {
  const world = new World();
  await world.quiet();
  const id = await world.say('one', 'sonnets', world.owner, 'verse');
  world.transact((tx) => {
    const message = tx.org.messages.resident(id)!;
    for (let i = 1; i <= 10_000; i++) {
      tx.org.messages.insert({ ...message, id: id + i, seq: tx.seq });
    }
  });
  world.join(world.verse);
  const ids = Array.from({ length: 10_000 }, (_, i) => id + 1 + i);
  await world.markAs(ids, 'remove');
  t.equal(world.unread().count, 10_000);
  await t.rejects(world.markAs([id], 'remove'), {
    code: 'BAD_REQUEST',
    message: 'You can mark at most 10000 earlier messages of a channel as unread.',
  });
  await world.markAs([id + 1], 'add');
  await world.markAs([id], 'remove');
  t.equal(world.unread().count, 10_000);
});
