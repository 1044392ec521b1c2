import t from 'tap';
import { removeMessages } from '../../../../../src/organization/messages/deletion/remove-messages.js';
import { TestOrganization } from '../../../../fixtures/chat-organization.js';
import { received } from '../../../../fixtures/receive.js';

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
  t.strictSame(test.org.marks.starred(bob.user_id).toArray(), []);
});
