import t from 'tap';
import { CHANNEL_PERMISSIONS } from '../../../schemas/channels/channel.js';
import { GROUP_PERMISSIONS } from '../../../schemas/groups/user-group.js';
import { ROLE } from '../../../schemas/users/user-document.js';
import {
  allowsSystemGroup,
  CHANNEL_PERMISSION_SETTINGS,
  GROUP_PERMISSION_SETTINGS,
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  ROLE_GROUP,
  SUPPORTED_PERMISSION_SETTINGS,
  SYSTEM_GROUPS,
  type PermissionSetting,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';

const ALL: readonly PermissionSetting[] = Object.values(SUPPORTED_PERMISSION_SETTINGS).flatMap(
  (table): PermissionSetting[] => Object.values(table),
);

void t.test('the table has every permission setting', async (t) => {
  t.equal(REALM_PERMISSIONS.length, 25);
  t.same(Object.keys(CHANNEL_PERMISSION_SETTINGS), CHANNEL_PERMISSIONS);
  t.same(Object.keys(GROUP_PERMISSION_SETTINGS), GROUP_PERMISSIONS);
});

void t.test('every setting has all seven keys, and its default is allowed', async (t) => {
  const names = new Set<string>(SYSTEM_GROUPS.map((group) => group.name));
  const markers = ['group_creator', 'channel_creator'];
  for (const setting of ALL) {
    t.same(Object.keys(setting).sort(), [
      'allow_everyone_group',
      'allow_internet_group',
      'allow_nobody_group',
      'allowed_system_groups',
      'default_for_system_groups',
      'default_group_name',
      'require_system_group',
    ]);
    const fallback = setting.default_group_name;
    if (markers.includes(fallback)) continue;
    t.ok(names.has(fallback), fallback);
    t.ok(allowsSystemGroup(setting, fallback as SystemGroupName), fallback);
  }
});

void t.test('role:internet is never allowed, role:nobody nearly always', async (t) => {
  t.notOk(ALL.some((setting) => allowsSystemGroup(setting, 'role:internet')));
  const withoutNobody = REALM_PERMISSIONS.filter(
    (name) => !allowsSystemGroup(REALM_PERMISSION_SETTINGS[name], 'role:nobody'),
  );
  t.same([...withoutNobody].sort(), [
    'can_access_all_users_group',
    'can_manage_all_groups',
    'can_manage_billing_group',
  ]);
});

void t.test('the prohibitions of the contract hold', async (t) => {
  const { can_manage_group: manage, can_mention_group: mention } = GROUP_PERMISSION_SETTINGS;
  t.notOk(allowsSystemGroup(manage, 'role:everyone'));
  t.ok(allowsSystemGroup(manage, 'role:owners'));
  t.notOk(allowsSystemGroup(mention, 'role:owners'));
  t.ok(allowsSystemGroup(mention, 'role:everyone'));
  t.ok(allowsSystemGroup(mention, 'role:nobody'));
});

void t.test('settings that name their groups allow no others', async (t) => {
  const all = SYSTEM_GROUPS.map((group) => group.name);
  const allowed = (setting: PermissionSetting) =>
    all.filter((name) => allowsSystemGroup(setting, name));
  t.same(allowed(REALM_PERMISSION_SETTINGS.can_access_all_users_group), [
    'role:members',
    'role:everyone',
  ]);
  t.same(allowed(REALM_PERMISSION_SETTINGS.can_create_web_public_channel_group), [
    'role:nobody',
    'role:owners',
    'role:administrators',
    'role:moderators',
  ]);
});

void t.test('system groups come in creation order, subgroups first', async (t) => {
  t.same(
    SYSTEM_GROUPS.map((group) => group.name),
    [
      'role:nobody',
      'role:owners',
      'role:administrators',
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
      'role:internet',
    ],
  );
  SYSTEM_GROUPS.forEach((group, index) => {
    if (group.subgroup === null) return;
    const at = SYSTEM_GROUPS.findIndex((one) => one.name === group.subgroup);
    t.ok(at >= 0 && at < index, group.name);
  });
});

void t.test('each role has its group', async (t) => {
  for (const role of Object.values(ROLE)) {
    const group = SYSTEM_GROUPS.find((one) => one.name === ROLE_GROUP[role]);
    t.equal(group?.role, role);
  }
});
