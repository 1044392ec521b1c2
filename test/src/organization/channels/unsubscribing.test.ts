import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { queueFilter, received } from '../../../fixtures/receive.js';

const ARCHIVED = queueFilter({ capabilities: { archived_channels: true } });

void t.test('leaving a public channel: remove, then the others learn of it', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  const guest = test.user({ role: ROLE.guest });
  const channel = test.channel();
  for (const user of [ann, bob]) test.subscribe(user, channel);
  const { stream_id, name } = channel;
  const { events, result } = test.run((tx) =>
    unsubscribeUsers(tx, { channels: [channel], userIds: [ann.user_id, guest.user_id] }),
  );
  t.strictSame(
    events.map(({ type, audience, data }) => ({ type, audience, data })),
    [
      {
        type: 'subscription',
        audience: { to: 'users', users: [ann.user_id] },
        data: { op: 'remove', subscriptions: [{ stream_id, name }] },
      },
      {
        type: 'subscription',
        audience: { to: 'all', except: [guest.user_id, ann.user_id] },
        data: { op: 'peer_remove', stream_ids: [stream_id], user_ids: [ann.user_id] },
      },
    ],
  );
  t.strictSame(result.removed.get(stream_id), [ann.user_id]);
  t.strictSame(result.notSubscribed.get(stream_id), [guest.user_id]);
});

void t.test('whoever loses sight of a channel loses it, and hears no more of it', async (t) => {
  const test = new TestOrganization();
  const [ann, bob, cat] = [test.user(), test.user(), test.user()];
  const admin = test.user({ role: ROLE.administrator });
  const channel = test.channel({ invite_only: true });
  for (const user of [ann, bob, cat, admin]) test.subscribe(user, channel);
  const userIds = [ann.user_id, bob.user_id, admin.user_id];
  const { events } = test.run((tx) => unsubscribeUsers(tx, { channels: [channel], userIds }));
  const { stream_id } = channel;
  const kinds = (id: number) => received(events, id).map((one) => `${one.type} ${String(one.op)}`);
  t.strictSame(kinds(ann.user_id), ['subscription remove', 'stream delete']);
  t.strictSame(received(events, bob.user_id)[1], {
    type: 'stream',
    op: 'delete',
    streams: [{ stream_id }],
    stream_ids: [stream_id],
  });
  const peers = (id: number) =>
    received(events, id)
      .filter((one) => one.op === 'peer_remove')
      .map((one) => one.user_ids);
  t.strictSame(peers(cat.user_id), [userIds]);
  t.strictSame(peers(admin.user_id), [[ann.user_id, bob.user_id]], 'all but themselves');
});

void t.test('many who leave together learn of each other exactly once', async (t) => {
  const test = new TestOrganization();
  const users = Array.from({ length: 40 }, () => test.user());
  const channel = test.channel();
  for (const user of users) test.subscribe(user, channel);
  const userIds = users.map((user) => user.user_id);
  const { events } = test.run((tx) => unsubscribeUsers(tx, { channels: [channel], userIds }));
  for (const userId of userIds) {
    const named = received(events, userId)
      .filter((one) => one.op === 'peer_remove')
      .flatMap((one) => one.user_ids as number[]);
    t.strictSame(
      named.sort((a, b) => a - b),
      userIds.filter((id) => id !== userId),
    );
  }
});

void t.test('the last subscriber of a private channel archives it', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const admin = test.user({ role: ROLE.administrator });
  const channel = test.channel({ invite_only: true, name: 'secret' });
  test.subscribe(ann, channel);
  test.subscribe(test.user({ is_active: false }), channel);
  const { events } = test.run((tx) =>
    unsubscribeUsers(tx, { channels: [channel], userIds: [ann.user_id] }),
  );
  const { stream_id } = channel;
  t.ok(test.org.channels.get(stream_id)!.is_archived);
  t.strictSame(received(events, admin.user_id, ARCHIVED).slice(-1), [
    {
      type: 'stream',
      op: 'update',
      stream_id,
      name: 'secret',
      property: 'is_archived',
      value: true,
    },
  ]);
  t.strictSame(received(events, admin.user_id).slice(-1), [
    { type: 'stream', op: 'delete', streams: [{ stream_id }], stream_ids: [stream_id] },
  ]);
  const kinds = received(events, ann.user_id).map((one) => `${one.type} ${String(one.op)}`);
  t.strictSame(kinds, ['subscription remove', 'stream delete']);
});

void t.test('a public channel stays when everybody has left', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const channel = test.channel();
  test.subscribe(ann, channel);
  test.run((tx) => unsubscribeUsers(tx, { channels: [channel], userIds: [ann.user_id] }));
  t.notOk(test.org.channels.get(channel.stream_id)!.is_archived);
});

void t.test('what was unread there is marked as read, last of all', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  for (const channel of [test.channel(), test.channel({ invite_only: true })]) {
    for (const user of [ann, bob]) test.subscribe(user, channel);
    const ids = [1, 2, 3].map(() => test.message(channel, bob).id);
    const conversation = test.org.messages.index.conversation(channel.recipient_id);
    test.run((tx) =>
      tx.org.readState.markRead(ann.user_id, channel.recipient_id, [ids[0]!], conversation),
    );
    const { events } = test.run((tx) =>
      unsubscribeUsers(tx, { channels: [channel], userIds: [ann.user_id] }),
    );
    const last = events[events.length - 1]!;
    t.strictSame(last.audience, { to: 'users', users: [ann.user_id] });
    t.strictSame(
      { type: last.type, ...last.data },
      {
        type: 'update_message_flags',
        op: 'add',
        operation: 'add',
        flag: 'read',
        messages: ids.slice(1),
        all: false,
      },
    );
    t.ok(test.org.readState.isRead(ann.user_id, channel.recipient_id, ids[2]!));
  }
});

void t.test('leaving an archived channel is told to queues that know it', async (t) => {
  const test = new TestOrganization();
  const [ann, bob] = [test.user(), test.user()];
  const [live, archived] = [test.channel(), test.channel({ is_archived: true })];
  for (const channel of [live, archived]) test.subscribe(ann, channel);
  const { events } = test.run((tx) =>
    unsubscribeUsers(tx, { channels: [live, archived], userIds: [ann.user_id] }),
  );
  t.equal(received(events, ann.user_id).length, 1);
  t.equal(received(events, ann.user_id, ARCHIVED).length, 2);
  t.equal(received(events, bob.user_id).length, 1);
  t.equal(received(events, bob.user_id, ARCHIVED).length, 2);
});
