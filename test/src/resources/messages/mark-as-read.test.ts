import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MAX_FLAGGED_MESSAGES } from '../../../../src/organization/messages/change-flags.js';
import { inOnePart } from '../../../../src/organization/state/parted-change.js';
import { readEverything } from '../../../../src/organization/messages/mark-as-read.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const refused = (message: string, code = 'BAD_REQUEST') => ({ status: 400, code, message });

const read = (...messages: number[]): Body => ({
  type: 'update_message_flags',
  op: 'add',
  operation: 'add',
  flag: 'read',
  messages,
  all: false,
});

/** Hamlet finds 1 and 2 in lunch, 3 in dinner, 4 in another channel, 5 from Ophelia directly. */
async function world(): Promise<MessagesWorld> {
  const made = new MessagesWorld();
  await made.quiet();
  const { owner, hamlet, ophelia } = made;
  await made.say('one', 'lunch', owner);
  await made.say('two words', 'Lunch', owner);
  await made.say('three', 'dinner', owner);
  await made.say('four', 'news', owner, 'verona');
  await made.do('send-message', { type: 'direct', to: [hamlet.user_id], content: 'five' }, ophelia);
  made.mark = made.position;
  return made;
}

void t.test('mark_all_as_read marks all messages of the caller as read', async (t) => {
  const made = await world();
  t.strictSame(await made.do('mark-all-as-read'), { complete: true });
  t.strictSame(made.events(), [read(1, 2, 3, 4, 5)]);
  t.equal(made.unread().count, 0);
  t.equal(made.unread(made.ophelia).count, 4, 'only one’s own');
  made.mark = made.position;
  t.strictSame(await made.do('mark-all-as-read'), { complete: true });
  t.strictSame(made.events(), [], 'no event where nothing changed');
});

void t.test(
  'mark_all_as_read: what is too much for one request is done newest first',
  async (t) => {
    const made = await world();
    const some = (limit: number) =>
      made.transact((tx) =>
        inOnePart(tx, (change) => readEverything(change, made.user(made.hamlet.user_id), limit)),
      );
    t.equal(some(3), false);
    t.strictSame(made.events(), [read(3, 4, 5)]);
    made.mark = made.position;
    t.equal(some(2), true);
    t.strictSame(made.events(), [read(1, 2)]);
  },
);

void t.test('events name a bounded number of messages each', async (t) => {
  const made = await world();
  made.transact((tx) => {
    const message = tx.org.messages.resident(1)!;
    for (let i = 0; i <= MAX_FLAGGED_MESSAGES; i++) {
      tx.org.messages.insert({ ...message, id: 100 + i, seq: tx.seq });
    }
  });
  made.mark = made.position;
  await made.do('mark-topic-as-read', { stream_id: made.general.stream_id, topic_name: 'lunch' });
  t.strictSame(
    made.events().map((event) => (event.messages as number[]).length),
    [MAX_FLAGGED_MESSAGES, 3],
  );
});

void t.test('mark_stream_as_read and mark_topic_as_read mark what they name as read', async (t) => {
  const made = await world();
  const { stream_id } = made.general;
  const topic = (topic_name: string) => made.do('mark-topic-as-read', { stream_id, topic_name });
  t.strictSame(await topic('LUNCH'), {});
  t.strictSame(made.events(), [read(1, 2)]);
  await t.rejects(topic('absent'), refused("No such topic 'absent'"));
  made.mark = made.position;
  t.strictSame(await made.do('mark-stream-as-read', { stream_id }), {});
  t.strictSame(made.events(), [read(3)]);
  const secret = made.channel('secret', { invite_only: true }, [made.owner]);
  await made.say('x', 'plan', made.owner, 'secret');
  const hidden = { stream_id: secret.stream_id };
  await t.rejects(made.do('mark-stream-as-read', hidden), refused('Invalid channel ID'));
  const there = { ...hidden, topic_name: 'plan' };
  await t.rejects(made.do('mark-topic-as-read', there), refused('Invalid channel ID'));
});

void t.test('messages/flags/narrow: a range around an anchor', async (t) => {
  const made = await world();
  const change = (params: Body, user: UserDocument = made.hamlet) =>
    made.do(
      'update-message-flags-for-narrow',
      {
        anchor: 'oldest',
        num_before: 0,
        num_after: 5,
        narrow: [],
        op: 'add',
        flag: 'read',
        ...params,
      },
      user,
    );
  t.strictSame(await change({ anchor: '3', num_before: 1, num_after: 0 }), {
    processed_count: 2,
    updated_count: 2,
    first_processed_id: 2,
    last_processed_id: 3,
    found_oldest: false,
    found_newest: false,
  });
  t.strictSame(made.events(), [read(2, 3)]);
  made.mark = made.position;
  const lunch = [['topic', 'lunch']];
  t.strictSame(await change({ narrow: lunch }), {
    processed_count: 2,
    updated_count: 1,
    first_processed_id: 1,
    last_processed_id: 2,
    found_oldest: true,
    found_newest: true,
  });
  t.strictSame(made.events(), [read(1)]);
  t.match(await change({ narrow: [['search', 'words']], flag: 'starred' }), {
    processed_count: 1,
    updated_count: 1,
    first_processed_id: 2,
  });
  t.strictSame(await change({ narrow: [['is', 'muted']] }), {
    processed_count: 0,
    updated_count: 0,
    first_processed_id: null,
    last_processed_id: null,
    found_oldest: true,
    found_newest: true,
  });
  t.match(await change({ anchor: '3', include_anchor: false, num_after: 1, flag: 'collapsed' }), {
    processed_count: 1,
    first_processed_id: 4,
    found_newest: false,
  });
  t.match(await change({ anchor: 'first_unread', num_after: 0 }), { first_processed_id: 4 });
});

void t.test('messages/flags/narrow: unread again, but for channels one has left', async (t) => {
  const made = await world();
  await made.do('mark-all-as-read');
  const id = `${made.hamlet.user_id}:${made.verona.stream_id}`;
  const seq = made.position + 1;
  made.transact((tx) => tx.org.subscriptions.update(id, { active: false, spans: [[0, seq]] }));
  made.mark = made.position;
  const reply = await made.do('update-message-flags-for-narrow', {
    anchor: 'newest',
    num_before: 3,
    num_after: 0,
    narrow: [],
    op: 'remove',
    flag: 'read',
  });
  t.strictSame(reply, {
    processed_count: 3,
    updated_count: 2,
    first_processed_id: 3,
    last_processed_id: 5,
    found_oldest: false,
    found_newest: true,
    ignored_because_not_subscribed_channels: [made.verona.stream_id],
  });
  t.strictSame(
    made.events().map(({ op, messages }) => [op, messages]),
    [['remove', [3, 5]]],
  );
});

void t.test('messages/flags/narrow: an invalid flag, range or narrow is refused', async (t) => {
  const made = await world();
  const change = (params: Body) =>
    made.do('update-message-flags-for-narrow', {
      anchor: 'newest',
      num_before: 5,
      num_after: 0,
      narrow: [],
      op: 'add',
      flag: 'read',
      ...params,
    });
  await t.rejects(change({ op: 'x' }), refused("Invalid message flag operation: 'x'"));
  await t.rejects(change({ flag: 'x' }), refused("Invalid flag: 'x'"));
  await t.rejects(change({ flag: 'mentioned' }), refused("Flag not editable: 'mentioned'"));
  await t.rejects(change({ anchor: 'x' }), refused('Invalid anchor'));
  await t.rejects(change({ narrow: [['x', 'y']] }), {
    code: 'BAD_NARROW',
    message: 'Invalid narrow operator: unknown operator x',
  });
  await t.rejects(
    change({ num_before: 5000, num_after: 1 }),
    refused('Too many messages requested (maximum 5000).'),
  );
  await t.rejects(
    change({ num_after: 1, include_anchor: false }),
    refused('The anchor can only be excluded at an end of the range'),
  );
  t.strictSame(made.events(), []);
});
