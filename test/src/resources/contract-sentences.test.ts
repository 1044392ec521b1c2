import t from 'tap';
import { createInviteLink, sendInvites } from '../../../schemas/invitations/invites.js';
import { addLinkifier, updateLinkifier } from '../../../schemas/realm/linkifiers.js';
import { addApnsToken } from '../../../schemas/personal/push.js';
import { updateSettingsDefaults } from '../../../schemas/realm/realm.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { createScheduledMessage } from '../../../schemas/scheduling/scheduled-messages.js';
import {
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from '../../../schemas/users/settings.js';
import { UserSettings } from '../../../schemas/users/user-settings.js';
import { compileDecoder } from '../../../src/http/request/decoder.js';
import { messageDeletionHandlers } from '../../../src/resources/messages/message-deletion.js';
import { presenceHandlers } from '../../../src/resources/presence/presence.js';
import type { TopicDeletions } from '../../../src/organization/messages/deletion/topic-deletions.js';
import { handlerOf } from '../../fixtures/handler-of.js';
import { LivingOrganization } from '../../fixtures/living-organization.js';
import { World } from './scheduling/fixtures/scheduling-world.js';

/* Sentences of the specification that no test of one resource would notice if they became false. */

/** The names of a form that an endpoint does not know. */
function ignoredBy(endpoint: EndpointDescriptor, form: Readonly<Record<string, string>>) {
  return compileDecoder(endpoint)(new Map(Object.entries(form)), {}).ignored;
}

// [c:scheduled-id-unique]
void t.test('scheduled_message_id: unique, and never given twice', async (t) => {
  const world = new World();
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) {
    ids.push(await world.id(world.create({ content: `${i}` })));
    ids.push(
      await world.id(world.create({ content: `${i}`, to: [world.hamlet.user_id] }, world.ophelia)),
    );
    // The newest is gone, and its number with it.
    await world.do('delete-scheduled-message', { scheduled_message_id: ids.at(-2) });
  }
  t.equal(new Set(ids).size, ids.length);
  t.same(
    [...ids].sort((a, b) => a - b),
    ids,
    'and they rise',
  );
});

// [c:scheduled-creation-without-id]
void t.test('creation of a scheduled message does not take scheduled_message_id', (t) => {
  const form = {
    type: 'direct',
    to: '[5]',
    content: 'x',
    scheduled_delivery_timestamp: '4000000000',
    scheduled_message_id: '7',
  };
  t.same(ignoredBy(createScheduledMessage, form), ['scheduled_message_id']);
  t.end();
});

// [c:no-expires-in-days]
void t.test('invite_expires_in_days is no parameter any more', (t) => {
  const days = { invite_expires_in_days: '3' };
  t.same(ignoredBy(createInviteLink, days), ['invite_expires_in_days']);
  const mail = { invitee_emails: 'a@example.com', stream_ids: '[]', ...days };
  t.same(ignoredBy(sendInvites, mail), ['invite_expires_in_days']);
  t.same(ignoredBy(createInviteLink, { invite_expires_in_minutes: '3' }), []);
  t.end();
});

// [c:no-dense-mode]
void t.test('dense_mode is no setting any more', (t) => {
  for (const endpoint of [updateSettings, updateDisplaySettings, updateNotificationSettings]) {
    t.same(ignoredBy(endpoint, { dense_mode: 'true' }), ['dense_mode'], endpoint.path);
  }
  t.notOk('dense_mode' in UserSettings.properties);
  t.end();
});

// [c:no-url-format-string]
void t.test('url_format_string is no parameter any more', (t) => {
  const form = { pattern: 'x', url_template: 'https://x.example/', url_format_string: 'y' };
  t.same(ignoredBy(addLinkifier, form), ['url_format_string']);
  const { filter_id: _path, ...params } = updateLinkifier.params;
  t.notOk('url_format_string' in params);
  t.end();
});

// [c:settings-aliases]
void t.test('the aliases of the settings endpoint take exactly what it takes', (t) => {
  for (const alias of [updateDisplaySettings, updateNotificationSettings]) {
    t.same(Object.keys(alias.params).sort(), Object.keys(updateSettings.params).sort(), alias.path);
    t.equal(alias.method, updateSettings.method);
    t.equal(alias.access, updateSettings.access);
  }
  t.end();
});

// [c:apns-needs-appid]
void t.test('an APNs token without appid is refused', (t) => {
  t.throws(() => ignoredBy(addApnsToken, { token: 'c0ffee' }), {
    code: 'REQUEST_VARIABLE_MISSING',
    message: "Missing 'appid' argument",
  });
  t.end();
});

// [c:new-account-settings-ignore]
void t.test('settings of new accounts name what they do not know', (t) => {
  const form = { enter_sends: 'true', dense_mode: 'true', timezone: 'Europe/Berlin' };
  t.same(ignoredBy(updateSettingsDefaults, form), ['dense_mode', 'timezone']);
  t.end();
});

// [c:delete-topic-complete]
void t.test('delete_topic answers `complete` as it was reached', async (t) => {
  const world = new LivingOrganization();
  const { stream_id } = world.general;
  for (const reached of [false, true]) {
    const deletions = { delete: () => Promise.resolve(reached) } as unknown as TopicDeletions;
    const handler = handlerOf(messageDeletionHandlers(deletions), 'delete-topic');
    const reply = await world.call(handler, world.owner, { stream_id, topic_name: 'x' });
    t.same(reply, { complete: reached });
  }
});

// [c:new-user-input]
void t.test('new_user_input is taken, and presence goes by the status', async (t) => {
  for (const new_user_input of [true, false]) {
    const world = new LivingOrganization();
    const hamlet = world.addUser('hamlet@example.com');
    const handler = handlerOf(presenceHandlers(world.presence), 'update-presence');
    const report = (status: string) =>
      world.call(handler, hamlet, { status, new_user_input, last_update_id: -1 });
    const seconds = Math.floor(world.clock.now() / 1000);
    await report('active');
    world.clock.advance(100_000);
    const { presences } = await report('idle');
    const own = (presences as Record<string, unknown>)[hamlet.user_id];
    t.same(own, { active_timestamp: seconds, idle_timestamp: seconds + 100 });
  }
});
