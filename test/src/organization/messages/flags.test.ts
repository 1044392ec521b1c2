import t from 'tap';
import { MessageAccess } from '../../../../src/organization/messages/message-access.js';
import { messageFlags } from '../../../../src/organization/messages/flags.js';
import { team } from './fixtures/team.js';

void t.test('flags are the viewer’s own', async (t) => {
  const small = team();
  small.act(({ org }) => {
    org.marks.set(1, 2, 'starred', true);
    org.marks.set(1, 2, 'collapsed', true);
    org.readings.markRead(1, 102, [6], org.messages.index.conversation(102));
  });
  const flags = (userId: number, id: number) =>
    messageFlags(new MessageAccess(small.org, small.org.users.get(userId)!), small.stored.get(id)!);
  t.same(flags(1, 2), ['starred', 'collapsed', 'mentioned']);
  t.same(flags(1, 6), ['read', 'stream_wildcard_mentioned', 'wildcard_mentioned']);
  t.same(flags(1, 10), ['topic_wildcard_mentioned', 'wildcard_mentioned']);
  t.same(flags(1, 7), ['read', 'historical']);
  t.same(flags(2, 2), []);
});
