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

void t.test('people near the caller come by their own name alone, and not beside all', (t) => {
  const world = new TestOrganization();
  const fields = fieldsOf(world, ['near_users']);
  t.strictSame(fields.slice(0, 3), ['realm_users', 'cross_realm_bots', 'user_id']);
  t.ok(fields.includes('can_create_public_streams'));
  const besideAll = { named: () => true, wants: () => true } as unknown as SnapshotRequest;
  const unnamed = { named: () => false, wants: () => true } as unknown as SnapshotRequest;
  for (const request of [besideAll, unnamed])
    t.strictSame(SECTIONS['near_users']!({ ...request, params: {} } as SnapshotRequest), {});
  t.end();
});

void t.test('a section comes by its own name, and by each event type that it goes with', (t) => {
  for (const [section, ...events] of [
    ['realm_user_groups', 'user_group'],
    ['channel_folders', 'channel_folder'],
    ['devices', 'device'],
    ['video_calls', 'has_zoom_token', 'has_webex_token'],
    ...['giphy', 'tenor', 'klipy', 'stop_words', 'realm_billing'].map((name) => [name]),
  ] as [string, ...string[]][]) {
    for (const name of [section, ...events]) t.strictSame([...sectionNames([name])], [section]);
  }
  for (const name of ['attachment', 'reaction', 'typing', 'restart', 'toString', 'no_such']) {
    t.strictSame([...sectionNames([name])], [], name);
  }
  t.end();
});
