import t from 'tap';
import { ROLE } from '../../../../../schemas/users/user-document.js';
import type { JournalEvent } from '../../../../../src/journal/entry.js';
import { removeMessages } from '../../../../../src/organization/messages/deletion/remove-messages.js';
import {
  starredMessages,
  unreadMessages,
} from '../../../../../src/organization/messages/reading/unread.js';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import { PageReader } from '../../../../../src/organization/messages/reading/read-page.js';
import { TestOrganization } from '../../../../fixtures/chat-organization.js';
import { received } from '../../../../fixtures/receive.js';

function deletions(events: readonly JournalEvent[]) {
  return events
    .filter((event) => event.type === 'delete_message')
    .map(({ audience, data, slots }) => {
      t.equal(slots, (data.message_ids as number[]).length, 'an id for each message');
      return { audience, ids: data.message_ids };
    });
}

function firstIds(events: readonly JournalEvent[]) {
  return events
    .filter((event) => event.type === 'stream')
    .map(({ data }) => [data.property, data.value]);
}

void t.test(
  'who received nothing of it is not told, who joined in between only of the rest',
  async (t) => {
    const test = new TestOrganization();
    const channel = test.channel({ invite_only: true, history_public_to_subscribers: false });
    const [early, late, later, never, left] = Array.from({ length: 5 }, () => test.user());
    const messages = Array.from({ length: 4 }, () => test.message(channel, early!));
    const ids = messages.map((message) => message.id);
    const [first, second, third] = messages.map((message) => message.seq);
    test.subscribe(early!, channel);
    test.subscribe(late!, channel, { spans: [[second!, null]] });
    test.subscribe(later!, channel, {
      spans: [
        [first!, second!],
        [third!, null],
      ],
    });
    test.subscribe(never!, channel, { spans: [[9999, null]] });
    test.subscribe(left!, channel, { active: false, spans: [[1, 9999]] });
    const { events } = test.run((tx) =>
      removeMessages(tx, { recipientId: channel.recipient_id, ids, topic: 'topic', actor: never! }),
    );
    t.strictSame(deletions(events), [
      {
        audience: {
          to: 'subscribers',
          channel: channel.stream_id,
          except: [late!.user_id, later!.user_id, never!.user_id],
        },
        ids,
      },
      { audience: { to: 'users', users: [late!.user_id] }, ids: ids.slice(1) },
      { audience: { to: 'users', users: [later!.user_id] }, ids: [ids[0], ids[2], ids[3]] },
    ]);
  },
);

void t.test('shared history: subscribers, who holds one and may read, and the actor', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel();
  const sender = test.user();
  const { id, seq } = test.message(channel, sender);
  const [holder, guest, inactive, before, actor] = [
    test.user(),
    test.user({ role: ROLE.guest }),
    test.user({ is_active: false }),
    test.user(),
    test.user(),
  ];
  for (const user of [holder, guest, inactive]) {
    test.subscribe(user, channel, { active: false, spans: [[seq, seq + 1]] });
  }
  test.subscribe(before, channel, { active: false, spans: [[1, seq]] });
  const { events } = test.run((tx) =>
    removeMessages(tx, { recipientId: channel.recipient_id, ids: [id], topic: 'topic', actor }),
  );
  t.strictSame(deletions(events), [
    {
      audience: {
        to: 'subscribers',
        channel: channel.stream_id,
        also: [holder.user_id, actor.user_id],
      },
      ids: [id],
    },
  ]);
});

void t.test('the actor without content access is not told', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel({ invite_only: true, history_public_to_subscribers: true });
  const admin = test.user({ role: ROLE.administrator });
  const { id } = test.message(channel, admin);
  const { events } = test.run((tx) =>
    removeMessages(tx, { recipientId: channel.recipient_id, ids: [id], topic: 'x', actor: admin }),
  );
  t.same(deletions(events), [
    { audience: { to: 'subscribers', channel: channel.stream_id }, ids: [id] },
  ]);
});

// [c:first-message-id]
void t.test(
  'first_message_id changes only with the oldest message, before delete_message',
  async (t) => {
    const test = new TestOrganization();
    const channel = test.channel();
    const user = test.user();
    test.subscribe(user, channel);
    const ids = [1, 2, 3].map(() => test.message(channel, user).id);
    const remove = (...gone: number[]) =>
      test.run((tx) =>
        removeMessages(tx, {
          recipientId: channel.recipient_id,
          ids: gone,
          topic: 'topic',
          actor: null,
        }),
      ).events;
    t.same(firstIds(remove(ids[1]!)), []);
    const events = remove(ids[0]!);
    t.same(
      events.map((event) => event.type),
      ['stream', 'delete_message'],
    );
    t.strictSame(events[0]!.data, {
      op: 'update',
      stream_id: channel.stream_id,
      name: channel.name,
      property: 'first_message_id',
      value: ids[2],
    });
    t.same(firstIds(remove(ids[2]!)), [
      ['is_recently_active', false],
      ['first_message_id', null],
    ]);
  },
);

void t.test('a channel whose last recent message went is not recently active', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel({ date_created: 1 });
  const user = test.user();
  test.message(channel, user, { timestamp: 1000 });
  const { id } = test.message(channel, user);
  const { events } = test.run((tx) =>
    removeMessages(tx, {
      recipientId: channel.recipient_id,
      ids: [id],
      topic: 'topic',
      actor: null,
    }),
  );
  t.same(firstIds(events), [['is_recently_active', false]]);
});

void t.test('stars, unread messages, topics and pages forget them', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel();
  const user = test.user();
  test.subscribe(user, channel);
  const ids = [1, 2, 3, 4]
    .map(() => test.message(channel, user, { mentioned: [user.user_id], topic: 'Old' }))
    .map((message) => message.id);
  const kept = test.message(channel, user, { topic: 'new' }).id;
  for (const id of [ids[0]!, ids[3]!, kept]) {
    test.load('mark', { user_id: user.user_id, message_id: id, starred: true, collapsed: true });
  }
  const { org } = test;
  await org.messages.fetch(ids);
  const gone = ids.slice(0, 3);
  const { content } = test.run((tx) =>
    removeMessages(tx, {
      recipientId: channel.recipient_id,
      ids: gone,
      topic: 'Old',
      actor: null,
    }),
  );
  t.same(
    content.writes.map(({ op, key }) => [op, key.collection, key.id]),
    [
      ['delete', 'mark', `${user.user_id}:${ids[0]}`],
      ...gone.map((id) => ['delete', 'message', String(id)]),
    ],
  );
  t.same(starredMessages(org, user), [ids[3], kept]);
  t.same(org.messageFlags.usersOf(ids[0]!), []);
  const unread = unreadMessages(org, user);
  t.match(unread, { count: 2, mentions: [ids[3]] });
  t.same(
    unread.streams.map(({ topic, unread_message_ids }) => [topic, unread_message_ids]),
    [
      ['Old', [ids[3]]],
      ['new', [kept]],
    ],
  );
  t.same(
    org.messages.index.topics(channel.recipient_id).map((topic) => topic.name),
    ['Old', 'new'],
  );
  t.notOk(
    gone.some((id) => org.messages.resident(id)),
    'no document stays in memory',
  );
  t.equal((await org.messages.fetch(gone)).size, 0);

  const page = async (anchor: number, narrow: object[] = []) => {
    const access = new MessageAccess(org, user);
    const query = compileNarrow(access, narrow as never);
    const found = await new PageReader(access, query).page({
      anchor,
      includeAnchor: true,
      before: 5,
      after: 5,
    });
    return { ids: found.messages.map((message) => message.id), found: found.foundAnchor };
  };
  t.same(await page(ids[1]!), { ids: [ids[3], kept], found: false }, 'an anchor on a deleted id');
  const starred = [{ operator: 'is', operand: 'starred' }];
  t.same(await page(ids[0]!, starred), { ids: [ids[3], kept], found: false }, 'is:starred');
  const mentioned = [{ operator: 'is', operand: 'mentioned' }];
  t.same((await page(ids[0]!, mentioned)).ids, [ids[3]]);
  const withGone = [{ operator: 'with', operand: ids[0] }];
  t.same((await page(ids[0]!, withGone)).ids, [ids[3], kept], 'with a deleted one: no term');
});

void t.test('what is left is marked as read as if the others never were', async (t) => {
  const test = new TestOrganization();
  const channel = test.channel();
  const user = test.user();
  test.subscribe(user, channel);
  const ids = [1, 2, 3, 4, 5].map(() => test.message(channel, user).id);
  const { org } = test;
  const list = org.messages.index.conversation(channel.recipient_id);
  const read = (...some: number[]) =>
    test.run(() => org.readState.markRead(user.user_id, channel.recipient_id, some, list)).result;
  read(ids[0]!, ids[4]!);
  test.run((tx) =>
    removeMessages(tx, {
      recipientId: channel.recipient_id,
      ids: [ids[1]!, ids[3]!],
      topic: 'topic',
      actor: null,
    }),
  );
  t.same(read(...list.toArray()), [ids[2]]);
  t.equal(unreadMessages(org, user).count, 0);
});

void t.test('whoever starred what goes, and is not told so, loses the star', async (t) => {
  const test = new TestOrganization();
  const [ann, bob, cat, dan] = [test.user(), test.user(), test.user(), test.user()];
  const gone = test.user({ is_active: false });
  const channel = test.channel({ invite_only: true });
  test.subscribe(ann, channel);
  test.subscribe(dan, channel, { active: false, spans: [[1, 1_000_000]] });
  const sent = [test.message(channel, ann), test.message(channel, ann)].map(({ id }) => id);
  const mark = (user_id: number, message_id: number, starred = true) =>
    test.load('mark', { user_id, message_id, starred, collapsed: !starred });
  for (const { user_id } of [ann, bob, dan, gone]) for (const id of sent) mark(user_id, id);
  mark(cat.user_id, sent[0]!, false);
  const { events } = test.run((tx) =>
    removeMessages(tx, {
      recipientId: channel.recipient_id,
      ids: sent,
      topic: 'topic',
      actor: null,
    }),
  );
  const flags = events.filter(({ type }) => type === 'update_message_flags');
  t.strictSame(
    flags.map(({ audience }) => audience),
    [bob, dan].map(({ user_id }) => ({ to: 'users', users: [user_id] })),
    'who may not read the channel any more is not told of the deletion',
  );
  t.strictSame(received(flags, bob.user_id), [
    {
      type: 'update_message_flags',
      op: 'remove',
      operation: 'remove',
      flag: 'starred',
      messages: sent,
      all: false,
    },
  ]);
  t.strictSame(test.org.messageFlags.starred(bob.user_id).toArray(), []);
});
