import t from 'tap';
import type { UserDocument } from '../../../schemas/documents/user.js';
import type { Body } from '../../fixtures/living-organization.js';
import { SettingsWorld as World } from '../../fixtures/settings-world.js';

void t.test('administrators change settings of others, by user and by group', async (t) => {
  const world = new World();
  const { hamlet, guest, admin, owner } = world;
  await world.patch(hamlet, { enter_sends: true });
  await world.patch(hamlet, { enter_sends: false });
  const since = world.position;
  await world.patch(admin, {
    enter_sends: true,
    color_scheme: 2,
    target_users: {
      user_ids: [guest.user_id],
      group_ids: [world.org.groups.system('role:members').id],
      skip_if_already_edited: true,
    },
  });
  const changed = (user: UserDocument) =>
    world.received(user, since).map((event) => `${String(event.property)}=${String(event.value)}`);
  t.strictSame(changed(hamlet), ['color_scheme=2'], 'what they once set themselves stays');
  t.strictSame(changed(guest), ['color_scheme=2', 'enter_sends=true']);
  t.strictSame(changed(owner), ['color_scheme=2', 'enter_sends=true'], 'by subgroup');
  await world.patch(admin, {
    color_scheme: 3,
    target_users: { user_ids: [guest.user_id], skip_if_already_edited: true },
  });
  t.equal(
    world.org.settings.value(guest.user_id, 'color_scheme'),
    3,
    'set by others is not edited',
  );
});

void t.test('bulk changes are refused in the words of the contract', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  const target = { user_ids: [hamlet.user_id], skip_if_already_edited: false };
  await t.rejects(world.patch(hamlet, { enter_sends: true, target_users: target }), {
    code: 'UNAUTHORIZED_PRINCIPAL',
    message: 'Must be an organization administrator',
  });
  const refusals: [Body, string][] = [
    [
      { target_users: { skip_if_already_edited: false } },
      'Either user_ids or group_ids must be provided.',
    ],
    [{ target_users: { ...target, user_ids: [999] } }, 'Invalid user ID: 999'],
    [{ target_users: { ...target, group_ids: [999] } }, 'Invalid user group'],
    ...[
      { presence_enabled: false },
      { timezone: 'UTC' },
      { email: 'a@example.com' },
      { new_password: 'xK7#qPz4w' },
      { email_address_visibility: 4 },
    ].map((params): [Body, string] => [
      { ...params, target_users: target },
      'Cannot change this setting for other users.',
    ]),
  ];
  for (const [params, message] of refusals) {
    await t.rejects(world.patch(admin, { enter_sends: true, ...params }), { message });
  }
  t.notOk(world.org.settings.value(hamlet.user_id, 'enter_sends'));
});
