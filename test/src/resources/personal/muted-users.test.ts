import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { MAX_FLAGGED_MESSAGES } from '../../../../src/organization/messages/change-flags.js';
import { muteUser } from '../../../../src/organization/personal/muted-users.js';
import { PartedChange } from '../../../../src/organization/state/parted-change.js';
import { START_SECONDS } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const refused = (message: string) => ({ status: 400, code: 'BAD_REQUEST', message });

class World extends MessagesWorld {
  mute(user = this.ophelia, caller = this.hamlet) {
    return this.do('mute-user', { muted_user_id: user.user_id }, caller);
  }

  unmute(user = this.ophelia, caller = this.hamlet) {
    return this.do('unmute-user', { muted_user_id: user.user_id }, caller);
  }

  async write(to: number[], user = this.ophelia): Promise<number> {
    return (await this.do('send-message', { type: 'direct', to, content: 'hi' }, user))
      .id as number;
  }
}

async function world(): Promise<World> {
  const made = new World();
  await made.quiet();
  return made;
}

void t.test(
  'muting: many messages are read in parts, and the list comes after the first',
  async (t) => {
    const made = await world();
    await made.say('a', 'lunch', made.ophelia);
    const id = await made.say('b', 'lunch', made.owner);
    const theirs = await made.say('c', 'lunch', made.ophelia);
    made.transact((tx) => {
      const message = tx.org.messages.resident(theirs)!;
      for (let i = 0; i <= MAX_FLAGGED_MESSAGES; i++) {
        tx.org.messages.insert({ ...message, id: 100 + i, seq: tx.seq });
      }
    });
    made.mark = made.position;
    const change = new PartedChange(null as never);
    const mute = muteUser(change, made.user(made.hamlet.user_id), made.ophelia.user_id);
    let parts = 0;
    let isDone = false;
    while (!isDone) {
      isDone = made.transact((tx) => {
        parts += 1;
        if (parts === 1) change.tx = tx;
        return mute.next(tx).done === true;
      });
    }
    t.ok(parts > 1, `${parts} parts`);
    const told = made.events();
    t.equal(told[1]!.type, 'muted_users');
    const read = told.filter(({ type }) => type === 'update_message_flags');
    t.equal(read.length, parts, 'of each part there is an event');
    const ids = read.flatMap((event) => event.messages as number[]);
    t.equal(ids.length, MAX_FLAGGED_MESSAGES + 3);
    t.same(
      made.unread().streams,
      [{ stream_id: made.general.stream_id, topic: 'lunch', unread_message_ids: [id] }],
      'what others sent stays unread',
    );
  },
);

void t.test('muting: existing messages are read, then the full list', async (t) => {
  const made = await world();
  const { hamlet, ophelia, owner } = made;
  const lunch = await made.say('a', 'lunch', ophelia);
  const direct = await made.write([hamlet.user_id]);
  await made.say('b', 'lunch', owner);
  const seen = await made.say('c', 'dinner', ophelia);
  await made.do('update-message-flags', { messages: [seen], op: 'add', flag: 'read' });
  made.mark = made.position;
  t.strictSame(await made.mute(), {});
  t.strictSame(made.events(), [
    {
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages: [lunch, direct],
      all: false,
    },
    { type: 'muted_users', muted_users: [{ id: ophelia.user_id, timestamp: START_SECONDS }] },
  ]);
  t.strictSame(made.events(ophelia), [], 'the muted person is not told');
  t.equal(made.unread().count, 1);
  t.equal(made.unread(owner).count, 3, 'for others nothing changes');
  made.mark = made.position;
  await made.mute(owner);
  t.match(
    made.eventsOf('muted_users')[0]!.muted_users,
    [{ id: owner.user_id }, { id: ophelia.user_id }].sort((a, b) => a.id - b.id),
  );
  made.mark = made.position;
  t.strictSame(await made.unmute(), {});
  t.strictSame(made.events(), [
    { type: 'muted_users', muted_users: [{ id: owner.user_id, timestamp: START_SECONDS }] },
  ]);
  t.equal(made.unread().count, 0, 'what was read stays so');
});

void t.test('later messages of a muted person are read on arrival', async (t) => {
  const made = await world();
  const { hamlet, ophelia, owner } = made;
  await made.mute();
  await made.say('a @**hamlet**', 'lunch', ophelia);
  const { events } = made.entries.at(-1)!.content;
  t.strictSame(events.find(({ type }) => type === 'message')!.data.flags, {
    [hamlet.user_id]: ['read', 'mentioned'],
  });
  await made.write([hamlet.user_id, owner.user_id]);
  t.strictSame(made.unread(), {
    count: 0,
    pms: [],
    streams: [],
    huddles: [],
    mentions: [],
    old_unreads_missing: false,
  });
  t.equal(made.unread(owner).count, 2);
  await made.say('in verona', 'news', owner, 'verona');
  t.equal(made.unread().count, 1, 'of others they are not');
  await made.unmute();
  await made.say('b', 'lunch', ophelia);
  t.equal(made.unread().count, 2);
});

void t.test(
  'a message that does not reach whoever muted its sender is nothing to them',
  async (t) => {
    const made = await world();
    const { owner, ophelia } = made;
    await made.mute(owner, ophelia);
    await made.say('x', 'news', owner, 'verona');
    await made.write([made.hamlet.user_id], owner);
    t.equal(made.org.readState.ofUser(ophelia.user_id).size, 0);
  },
);

void t.test('in:home leaves a muted person’s messages out; is:muted is about topics', async (t) => {
  const made = await world();
  const theirs = await made.say('a', 'lunch', made.ophelia);
  const other = await made.say('b', 'lunch', made.owner);
  const direct = await made.write([made.hamlet.user_id]);
  await made.mute();
  t.strictSame(await made.ids([['in', 'home']]), [other]);
  t.strictSame(await made.ids([['-in', 'home']]), [theirs, direct]);
  t.strictSame(await made.ids([['is', 'muted']]), []);
  t.strictSame(await made.ids([]), [theirs, other, direct]);
});

void t.test(
  'read receipts leave out whom the caller muted, and who muted the caller',
  async (t) => {
    const made = await world();
    const { hamlet, ophelia, owner, moderator } = made;
    made.setRealm({ enable_read_receipts: true });
    const id = await made.say('a', 'lunch', owner);
    for (const user of [hamlet, ophelia, moderator]) {
      await made.do('update-message-flags', { messages: [id], op: 'add', flag: 'read' }, user);
    }
    const readers = async (user = hamlet) =>
      (await made.do('get-read-receipts', { message_id: id }, user)).user_ids;
    t.strictSame(await readers(), [hamlet.user_id, ophelia.user_id, moderator.user_id].sort());
    await made.mute();
    t.strictSame(await readers(), [hamlet.user_id, moderator.user_id].sort());
    t.strictSame(await readers(ophelia), [ophelia.user_id, moderator.user_id].sort());
    t.strictSame(await readers(owner), [hamlet.user_id, ophelia.user_id, moderator.user_id].sort());
  },
);

void t.test('refusals; bots and deactivated accounts can be muted', async (t) => {
  const made = await world();
  const { hamlet, ophelia } = made;
  await t.rejects(made.mute(hamlet), refused('Cannot mute self'));
  await t.rejects(made.unmute(), refused('User is not muted'));
  const nobody = { user_id: 99 } as never;
  await t.rejects(made.mute(nobody), refused('No such user'));
  await t.rejects(made.unmute(nobody), refused('No such user'));
  t.strictSame(made.events(), []);
  const bot = made.addUser('robot@example.com', { role: ROLE.member });
  made.alter(bot.user_id, { is_bot: true });
  await made.mute(bot);
  made.alter(ophelia.user_id, { is_active: false });
  await made.mute(ophelia);
  await t.rejects(made.mute(ophelia), refused('User already muted'));
  const { mutedUsers } = made.reloaded();
  t.ok(mutedUsers.isMuted(hamlet.user_id, bot.user_id), 'it survives a restart');
  t.equal(mutedUsers.list(hamlet.user_id).length, 2);
});
