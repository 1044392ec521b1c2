import t from 'tap';
import { PreparedUnread } from '../../../../../src/organization/messages/reading/prepared-reading.js';
import { SECTIONS, sectionNames } from '../../../../../src/resources/queues/register/sections.js';
import type { SnapshotRequest } from '../../../../../src/resources/queues/register/queue-request.js';
import { TestOrganization } from '../../../../fixtures/chat-organization.js';

/** The fields a list of names fetches (register.md#request and register.md#sections). */
function fieldsOf(world: TestOrganization, names: readonly string[]): string[] {
  const wanted = sectionNames(names);
  const user = world.user();
  const request = {
    org: world.org,
    user,
    unread: new PreparedUnread(world.org, user.user_id, { emptyTopicName: true }),
    params: { client_capabilities: {} },
    named: (section: string) => names.includes(section),
    wants: (section: string) => wanted.has(section),
  } as unknown as SnapshotRequest;
  return [...wanted].flatMap((name) => Object.keys(SECTIONS[name]!(request)));
}

void t.test('unread messages come by both event names, or by their own', (t) => {
  const world = new TestOrganization();
  t.strictSame(fieldsOf(world, ['update_message_flags']), []);
  t.strictSame(fieldsOf(world, ['message']), ['max_message_id']);
  t.strictSame(fieldsOf(world, ['message', 'update_message_flags']), [
    'max_message_id',
    'unread_msgs',
  ]);
  t.strictSame(fieldsOf(world, ['unread_msgs']), ['unread_msgs']);
  t.end();
});
