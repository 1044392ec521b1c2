import t from 'tap';
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import {
  CHANNEL_PERMISSION_SETTINGS,
  REALM_PERMISSION_SETTINGS,
} from '../../../../schemas/groups/permissions.js';
import {
  groupSetting,
  normalized,
  sameGroupSetting,
} from '../../../../src/organization/access/group-setting.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

function fixture() {
  const test = new TestOrganization();
  const [ann, bob] = [test.user().user_id, test.user().user_id];
  const group = test.group().id;
  const check = (
    value: GroupSettingValue,
    name: keyof typeof CHANNEL_PERMISSION_SETTINGS = 'can_send_message_group',
  ) => groupSetting(test.org, name, CHANNEL_PERMISSION_SETTINGS[name], value);
  const value = (direct_members: number[], direct_subgroups: number[]) => ({
    direct_members,
    direct_subgroups,
  });
  return { test, ann, bob, group, check, value };
}

// [c:group-setting-form]
void t.test('a group setting is stored sorted and without repetitions', async (t) => {
  const { test, ann, bob, group, check, value } = fixture();
  const nobody = test.system('role:nobody');
  t.equal(check(group), group);
  t.equal(check(value([], [group])), group);
  t.equal(check(value([], [group, group])), group);
  t.equal(check(value([], [])), nobody);
  t.strictSame(check(value([bob, ann, bob], [])), value([ann, bob], []));
  t.strictSame(check(value([ann], [group, nobody])), value([ann], [nobody, group]));
});

void t.test('equality is by what a value says', async (t) => {
  const { test, ann, bob, group, value } = fixture();
  const one = (input: GroupSettingValue) => normalized(test.org, input);
  t.ok(sameGroupSetting(one(value([], [group])), one(group)));
  t.ok(sameGroupSetting(one(value([bob, ann], [])), one(value([ann, bob], []))));
  t.notOk(sameGroupSetting(one(value([ann], [])), one(value([bob], []))));
  t.notOk(sameGroupSetting(one(value([ann], [])), one(value([ann], [group]))));
  t.notOk(sameGroupSetting(one(group), one(value([ann], [group]))));
});

void t.test('faults are told in the words of the contract', async (t) => {
  const { test, ann, check, value } = fixture();
  const gone = test.group({ deactivated: true }).id;
  const left = test.user({ is_active: false }).user_id;
  const refuses = (input: GroupSettingValue, message: string) =>
    t.throws(() => check(input), { message, code: 'BAD_REQUEST', status: 400 });
  refuses(999, 'Invalid user group');
  refuses(gone, 'User group is deactivated.');
  refuses(value([ann], [999]), 'Invalid user group ID: 999');
  refuses(value([ann], [gone]), 'User group is deactivated.');
  refuses(value([999], []), 'Invalid user ID: 999');
  refuses(value([left], []), `User with ID ${left} is deactivated`);
});

void t.test('some settings refuse some system groups, also inside a value', async (t) => {
  const { test, ann, check, value } = fixture();
  const everyone = test.system('role:everyone');
  const internet = test.system('role:internet');
  const message = "'can_subscribe_group' setting cannot be set to 'role:everyone' group.";
  t.throws(() => check(everyone, 'can_subscribe_group'), { message });
  t.throws(() => check(value([ann], [everyone]), 'can_subscribe_group'), { message });
  t.throws(() => check(internet), {
    message: "'can_send_message_group' setting cannot be set to 'role:internet' group.",
  });
  t.equal(check(everyone), everyone);
});

void t.test('a setting may insist on a system group', async (t) => {
  const { test, ann, group, value } = fixture();
  const name = 'can_create_web_public_channel_group';
  const check = (input: GroupSettingValue) =>
    groupSetting(test.org, name, REALM_PERMISSION_SETTINGS[name], input);
  for (const input of [group, value([ann], [])]) {
    t.throws(() => check(input), {
      code: 'SYSTEM_GROUP_REQUIRED',
      message: `'${name}' must be a system user group.`,
      fields: { setting_name: name },
    });
  }
  t.equal(check(test.system('role:moderators')), test.system('role:moderators'));
  t.throws(() => check(test.system('role:members')), {
    message: `'${name}' setting cannot be set to 'role:members' group.`,
  });
});
