import t from 'tap';
import {
  maxMessageId,
  recentPrivateConversations,
  starredMessages,
  unreadMessages,
} from '../../../../../src/organization/messages/reading/unread.js';
import { team } from '../fixtures/team.js';

void t.test('the snapshot lists unread messages by conversation', async (t) => {
  const small = team();
  const { org } = small;
  const [ann, bob] = [1, 2].map((id) => org.users.get(id)!);
  t.same(unreadMessages(org, ann!), {
    count: 9,
    pms: [
      { other_user_id: 2, sender_id: 2, unread_message_ids: [3] },
      { other_user_id: 1, sender_id: 1, unread_message_ids: [8] },
    ],
    streams: [
      { stream_id: 1, topic: 'lunch', unread_message_ids: [1] },
      { stream_id: 1, topic: 'Dinner', unread_message_ids: [2] },
      { stream_id: 2, topic: 'plan', unread_message_ids: [4, 5, 6] },
      { stream_id: 1, topic: '✔ dinner', unread_message_ids: [10] },
    ],
    huddles: [{ user_ids_string: '1,2,4', unread_message_ids: [9] }],
    mentions: [2, 5, 6, 10],
    old_unreads_missing: false,
  });
  const theirs = unreadMessages(org, bob!, { emptyTopicName: false });
  t.equal(theirs.count, 4, 'muted channels are listed, not counted');
  t.same(
    theirs.streams.map(({ topic }) => topic),
    ['lunch', 'Dinner', 'plan', 'general chat', '✔ dinner'],
  );
  t.same(theirs.mentions, [6]);
  small.run(() => {
    const list = org.messages.index.conversation(101);
    org.readState.markRead(2, 101, list.toArray(), list);
  });
  t.same(
    unreadMessages(org, bob!).streams.map(({ topic }) => topic),
    ['plan', ''],
  );
});

void t.test('only the newest unread messages are listed', async (t) => {
  const small = team();
  for (let id = 11; id <= 50_020; id++) small.message({ id });
  const unread = unreadMessages(small.org, small.org.users.get(1)!);
  t.equal(unread.count, 50_000);
  t.ok(unread.old_unreads_missing);
  t.equal(unread.streams[0]!.unread_message_ids[0], 10 + 11, 'message 20 and older are left out');
});

void t.test('the other lists of the snapshot', async (t) => {
  const small = team();
  const { org } = small;
  const [ann, bob, gus] = [1, 2, 3].map((id) => org.users.get(id)!);
  small.run(() => {
    for (const id of [7, 4, 2]) org.messageFlags.set(2, id, 'starred', true);
  });
  t.same(starredMessages(org, bob!), [2, 4, 7], 'also what may not be seen: access comes and goes');
  t.same(
    [ann!, gus!].map((user) => maxMessageId(org, user)),
    [10, -1],
  );
  t.same(recentPrivateConversations(org, ann!), [
    { user_ids: [2, 4], max_message_id: 9 },
    { user_ids: [], max_message_id: 8 },
    { user_ids: [2], max_message_id: 3 },
  ]);
});
