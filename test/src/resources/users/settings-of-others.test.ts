import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { SettingsWorld as World } from '../../../fixtures/settings-world.js';
import { updateSettings } from '../../../../schemas/users/settings.js';

// [c:settings-of-others]
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
      group_ids: [world.system('role:members')],
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

// [c:settings-of-others-refusals]
void t.test('bulk changes are refused in the words of the contract', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  const target = { user_ids: [hamlet.user_id], skip_if_already_edited: false };
  await t.rejects(world.patch(hamlet, { enter_sends: true, target_users: target }), {
    code: 'UNAUTHORIZED_PRINCIPAL',
    message: 'Must be an organization administrator',
  });
  const refusals: [Body, string][] = [
    ...[{}, { user_ids: [], group_ids: [] }].map((nobody): [Body, string] => [
      { target_users: { ...nobody, skip_if_already_edited: false } },
      'Either user_ids or group_ids must be provided.',
    ]),
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

// [c:settings-of-nested-groups]
void t.test('group_ids means all active members, nested, humans only', async (t) => {
  const world = new World();
  const { hamlet, guest, admin, owner } = world;
  const gone = world.addUser('gone@example.com');
  const bot = world.addUser('bot@example.com');
  world.alter(gone.user_id, { is_active: false });
  world.alter(bot.user_id, { is_bot: true, bot_type: 1 });
  const group = (name: string, members: number[], direct_subgroup_ids: number[], more: Body = {}) =>
    world.transact((tx) => {
      const nobody = tx.org.groups.system('role:nobody');
      const id = tx.org.counters.next('user_group');
      const fields = { id, name, is_system_group: false, members, direct_subgroup_ids };
      return tx.org.groups.insert({ ...nobody, ...fields, ...more }).id;
    });
  const inner = group('inner', [hamlet.user_id, gone.user_id, bot.user_id], []);
  const middle = group('middle', [], [inner]);
  const outer = group('outer', [guest.user_id], [middle]);
  const dead = group('dead', [owner.user_id], [], { deactivated: true });
  for (const target of [
    { group_ids: [dead] },
    { user_ids: [guest.user_id], group_ids: [outer, dead] },
  ]) {
    const refused = world.patch(admin, { enter_sends: true, target_users: target });
    await t.rejects(refused, { status: 400, message: 'User group is deactivated.' });
  }
  t.notOk(
    [...world.org.settings.values()].some(({ enter_sends }) => enter_sends),
    'nobody changed',
  );
  const since = world.position;
  await world.patch(admin, {
    enter_sends: true,
    target_users: { group_ids: [outer], skip_if_already_edited: false },
  });
  const changed = [...world.org.settings.values()].filter(({ enter_sends }) => enter_sends);
  t.strictSame(changed.map(({ user_id }) => user_id).sort(), [hamlet.user_id, guest.user_id]);
  for (const user of [hamlet, guest]) {
    t.strictSame(world.received(user, since), [
      { type: 'user_settings', op: 'update', property: 'enter_sends', value: true },
    ]);
  }
  t.strictSame(world.received(admin, since), [], 'the caller hears of nothing');
});

void t.test('user_ids reach a deactivated user, who has the values on coming back', async (t) => {
  const world = new World();
  const { guest, hamlet, admin, org } = world;
  const gone = world.addUser('gone@example.com');
  world.alter(gone.user_id, { is_active: false });
  await world.patch(admin, {
    color_scheme: 2,
    target_users: { user_ids: [gone.user_id, hamlet.user_id], skip_if_already_edited: true },
  });
  world.alter(gone.user_id, { is_active: true });
  for (const [user, scheme] of [[gone, 2] as const, [hamlet, 2] as const, [guest, 1] as const]) {
    t.equal(org.settings.value(user.user_id, 'color_scheme'), scheme);
  }
});

void t.test('without skip_if_already_edited nobody is skipped', async (t) => {
  const world = new World();
  const { hamlet, admin, org } = world;
  await world.patch(hamlet, { color_scheme: 2 });
  await world.patch(admin, { color_scheme: 3, target_users: { user_ids: [hamlet.user_id] } });
  t.equal(org.settings.value(hamlet.user_id, 'color_scheme'), 3);
});

// [c:settings-of-others-once]
void t.test('user_ids and group_ids together change everybody once', async (t) => {
  const world = new World();
  const { hamlet, admin, org } = world;
  const since = world.position;
  await world.patch(admin, {
    color_scheme: 2,
    target_users: {
      user_ids: [hamlet.user_id, hamlet.user_id],
      group_ids: [org.groups.system('role:members').id],
      skip_if_already_edited: false,
    },
  });
  t.equal(world.received(hamlet, since).length, 1);
});

// [c:settings-aliases-target-users]
void t.test('the deprecated aliases take target_users too', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  for (const [i, handler] of world.handlers.entries()) {
    await world.call(handler, admin, {
      color_scheme: (i % 3) + 1,
      target_users: { user_ids: [hamlet.user_id], skip_if_already_edited: false },
    });
    t.equal(world.org.settings.value(hamlet.user_id, 'color_scheme'), (i % 3) + 1);
    t.equal(handler.endpoint.params, updateSettings.params);
    t.equal(handler.endpoint.access, 'human');
  }
});
