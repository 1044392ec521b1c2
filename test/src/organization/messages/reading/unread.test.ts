import t from 'tap';
import {
  maxMessageId,
  recentPrivateConversations,
  starredMessages,
  unreadMessages,
} from '../../../../../src/organization/messages/reading/unread.js';
import {
  PreparedStars,
  PreparedUnread,
} from '../../../../../src/organization/messages/reading/prepared-reading.js';
import { prepareAll } from '../../../../../src/organization/state/snapshot-moment.js';
import { EventLoopYield } from '../../../../../src/turns/event-loop-yield.js';
import { messageDocument, type SmallOrganization } from '../fixtures/small-organization.js';
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

/** Lets others run after each step, who change something once. */
function interrupted(change: () => void): { readonly isDue: boolean; take(): Promise<void> } {
  let left = 1;
  return {
    isDue: true,
    take: () => {
      if (left-- === 1) change();
      return Promise.resolve();
    },
  };
}

void t.test('unread messages made in turns are those that are unread in the end', async (t) => {
  const change: Readonly<Record<string, (small: SmallOrganization) => void>> = {
    'nothing happens': () => undefined,
    'messages come': (small) => {
      small.message({ id: 11, topic: 'supper', mentioned: [1] });
      small.message({ id: 12, recipient_id: 103, stream_id: 3, topic: 'elsewhere' });
      small.message({ id: 13, recipient_id: 102, stream_id: 2, topic: 'plan' });
    },
    'messages are read': (small) =>
      small.run(({ org }) => {
        const list = org.messages.index.conversation(101);
        org.readState.markRead(1, 101, [1, 2], list);
      }),
    'a message goes': (small) => small.run(({ org }) => org.messages.deleteAll([5])),
    'a message mentions somebody else': (small) =>
      small.run(() => {
        const before = messageDocument({ id: 2, topic: 'Dinner', sender_id: 2, mentioned: [1] });
        small.org.messages.update(before, { rendered_content: '<p>x</p>', mentioned: [2] }, 20);
      }),
    'a topic is muted': (small) =>
      small.run(({ org }) =>
        org.userTopics.insert({
          ...{ user_id: 1, stream_id: 1, topic: 'lunch' },
          ...{ visibility_policy: 1, last_updated: 1 },
        }),
      ),
    'the user leaves': (small) =>
      small.run(({ org }) => org.subscriptions.update('1:2', { active: false, spans: [[0, 7]] })),
  };
  for (const when of ['while they are made', 'afterwards']) {
    for (const [what, make] of Object.entries(change)) {
      const small = team();
      const { org } = small;
      const prepared = new PreparedUnread(org, 1, { emptyTopicName: true });
      const late = when === 'afterwards';
      const isMade = interrupted(() => void (late || make(small)));
      await prepareAll([prepared], isMade);
      if (late) make(small);
      else t.ok(prepared.isReady, `${what} ${when}: begun anew at most`);
      const expected = unreadMessages(org, org.users.get(1)!);
      t.strictSame(prepared.take(org.users.get(1)!), expected, `${what} ${when}`);
    }
  }
});

void t.test('the oldest unread messages give way to those that come meanwhile', async (t) => {
  const small = team();
  const { org } = small;
  const prepared = new PreparedUnread(org, 1, { emptyTopicName: true }, 8);
  await prepareAll([prepared], new EventLoopYield());
  small.message({ id: 11, topic: 'supper' });
  small.message({ id: 12, topic: 'supper', mentioned: [1] });
  t.match(prepared.take(org.users.get(1)!), {
    count: 8,
    streams: [
      { topic: 'plan', unread_message_ids: [4, 5, 6] },
      { topic: '✔ dinner', unread_message_ids: [10] },
      { topic: 'supper', unread_message_ids: [11, 12] },
    ],
    pms: [{ other_user_id: 1, unread_message_ids: [8] }],
    mentions: [5, 6, 10, 12],
    old_unreads_missing: true,
  });
});

void t.test('the other lists of the snapshot', async (t) => {
  const small = team();
  const { org } = small;
  const [ann, bob, gus] = [1, 2, 3].map((id) => org.users.get(id)!);
  small.run(() => {
    for (const id of [7, 4, 2]) org.messageFlags.set(2, id, 'starred', true);
  });
  t.same(starredMessages(org, bob!), [2, 7], 'only what may be seen');
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

void t.test('stars made in turns are those that the user may read in the end', async (t) => {
  const change: Readonly<Record<string, (small: SmallOrganization) => void>> = {
    'nothing happens': () => undefined,
    'a star comes': (small) => small.run(({ org }) => org.messageFlags.set(1, 2, 'starred', true)),
    'a star goes': (small) => small.run(({ org }) => org.messageFlags.set(1, 4, 'starred', false)),
    'the user leaves': (small) =>
      small.run(({ org }) => org.subscriptions.update('1:2', { active: false, spans: [[0, 7]] })),
  };
  const found: Record<string, readonly number[]> = {};
  for (const [what, make] of Object.entries(change)) {
    const small = team();
    const { org } = small;
    small.run(() => {
      // The last is in a channel that they see nothing of.
      for (const id of [1, 4, 6]) org.messageFlags.set(1, id, 'starred', true);
      org.messageFlags.set(3, 7, 'starred', true);
    });
    const prepared = new PreparedStars(org, 1);
    await prepareAll([prepared], new EventLoopYield());
    make(small);
    found[what] = prepared.take(org.users.get(1)!);
    t.strictSame(starredMessages(org, org.users.get(3)!), [], 'of a message that one cannot read');
  }
  t.strictSame(found, {
    'nothing happens': [1, 4, 6],
    'a star comes': [1, 2, 4, 6],
    'a star goes': [1, 6],
    'the user leaves': [1],
  });
});
