import t from 'tap';
import { changeFlags } from '../../../../src/organization/messages/change-flags.js';
import { SmallOrganization } from './fixtures/small-organization.js';

function pair(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.channel(1, 'general');
  small.channel(2, 'left');
  small.channel(3, 'other');
  small.subscribe(1, 1, { is_muted: true });
  small.subscribe(1, 2, { active: false, spans: [[0, 50]] });
  small.conversation(201, [1, 2]);
  small.message({ id: 1, mentioned: [1] });
  small.message({ id: 2, recipient_id: 201, stream_id: null, topic: '' });
  small.message({ id: 3, recipient_id: 102, stream_id: 2 });
  small.message({ id: 4, topic: '' });
  small.message({ id: 5, recipient_id: 103, stream_id: 3 });
  return small;
}

function change(
  small: SmallOrganization,
  ids: number[],
  op: 'add' | 'remove',
  flag: 'read' | 'starred' | 'collapsed',
) {
  return small.run((tx) => changeFlags(tx, small.org.users.get(1)!, ids, op, flag));
}

// [c:read-flags]
void t.test('reading writes one document per conversation and names what changed', async (t) => {
  const small = pair();
  const { result, content } = change(small, [4, 2, 1, 4], 'add', 'read');
  t.same(result, { changed: [1, 2, 4], addressed: [4, 2, 1, 4], ignoredChannels: [] });
  t.same(
    content.writes.map(({ key }) => `${key.collection}:${key.id}`),
    ['reading:1:101', 'reading:1:201'],
  );
  t.same(content.events, [
    {
      type: 'update_message_flags',
      audience: { to: 'users', users: [1] },
      data: { op: 'add', operation: 'add', flag: 'read', messages: [1, 2, 4], all: false },
      slots: 1,
    },
  ]);
  const again = change(small, [1, 2], 'add', 'read').content;
  t.same([again.writes, again.events], [[], []], 'what is read already changes nothing');
});

void t.test('marking as unread tells where the messages are', async (t) => {
  const small = pair();
  change(small, [1, 2, 3, 4], 'add', 'read');
  const { result, content } = change(small, [1, 2, 3, 4], 'remove', 'read');
  t.same(result, { changed: [1, 2, 4], addressed: [1, 2, 4], ignoredChannels: [2] });
  t.same(content.events[0]!.data.message_details, {
    1: {
      type: 'stream',
      mentioned: true,
      stream_id: 1,
      topic: 'lunch',
      unmuted_stream_msg: false,
    },
    2: { type: 'private', user_ids: [2] },
    4: { type: 'stream', stream_id: 1, topic: '', unmuted_stream_msg: false },
  });
  t.ok(small.org.readState.isRead(1, 102, 3), 'a channel one has left stays read');
});

void t.test('a message that was never received cannot be unread, but starred', async (t) => {
  const small = pair();
  t.same(change(small, [5], 'add', 'read').result.changed, []);
  t.same(change(small, [5], 'add', 'starred').result.changed, [5]);
  t.same(change(small, [5], 'add', 'starred').content.events, []);
  t.same(change(small, [5], 'add', 'collapsed').result.changed, [5]);
  t.same(change(small, [5], 'remove', 'starred').result.changed, [5]);
  t.same(small.org.messageFlags.usersOf(5), [1]);
  change(small, [5], 'remove', 'collapsed');
  t.equal(small.org.messageFlags.size, 0, 'a message without marks leaves no document');
});

void t.test('one invisible message refuses the whole request', async (t) => {
  const small = pair();
  t.throws(() => change(small, [1, 99], 'add', 'starred'), { message: 'Invalid message(s)' });
  t.equal(small.org.messageFlags.size, 0);
  const many = Array.from({ length: 10_001 }, () => 1);
  t.throws(() => change(small, many, 'add', 'read'), {
    message: 'Too many messages (maximum 10000).',
  });
});
