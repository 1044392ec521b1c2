import t from 'tap';
import { readersOf } from '../../../../../src/organization/messages/reading/read-receipts.js';
import { messageHandlers } from '../../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  override readonly handlers = messageHandlers(createMarkdown());
}

void t.test('who sends no read receipts is in nobody’s list', async (t) => {
  const world = new World();
  const ann = world.addUser('ann@example.com');
  const bob = world.addUser('bob@example.com');
  const cal = world.addUser('cal@example.com');
  const to = { type: 'channel', to: 'general', topic: 'test', content: 'hello' };
  const id = Number((await world.do('send-message', to, ann)).id);
  const flag = { messages: [id], op: 'add', flag: 'read' };
  for (const reader of [bob, cal]) await world.do('update-message-flags', flag, reader);
  t.strictSame(readersOf(world.org, id, ann), [bob.user_id, cal.user_id]);
  world.presetSettings(cal, { send_read_receipts: false });
  t.strictSame(readersOf(world.org, id, ann), [bob.user_id]);
});
