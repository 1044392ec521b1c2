import t from 'tap';
import { Value } from 'typebox/value';
import { DEFAULT_REALM, RealmDocument } from '../../../schemas/realm/realm-document.js';
import {
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  SYSTEM_GROUPS,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';

const groupIds = new Map<SystemGroupName, number>(
  SYSTEM_GROUPS.map((group, index) => [group.name, index + 11]),
);
const identity = { name: 'Ours', string_id: '', uuid: 'u-1', date_created: 1_700_000_000 };

void t.test('a fresh organization is a valid document', async (t) => {
  const realm = DEFAULT_REALM({ ...identity, groupIds });
  t.ok(Value.Check(RealmDocument, realm));
  t.match(realm, identity);
  t.notOk('groupIds' in realm);
  t.same(
    Object.keys(realm).sort(),
    [...(RealmDocument.required ?? [])].sort(),
    'no key missing, none too many',
  );
});

void t.test('permissions start at the ids of their default groups', async (t) => {
  const realm = DEFAULT_REALM({ ...identity, groupIds });
  for (const name of REALM_PERMISSIONS) {
    t.equal(realm[name], groupIds.get(REALM_PERMISSION_SETTINGS[name].default_group_name), name);
  }
});

void t.test('a missing system group is a fault, not a silent gap', async (t) => {
  const partial = new Map(groupIds);
  partial.delete('role:moderators');
  t.throws(() => DEFAULT_REALM({ ...identity, groupIds: partial }), {
    message: 'System group role:moderators has no id',
  });
});

void t.test('two organizations share no mutable part', async (t) => {
  const first = DEFAULT_REALM({ ...identity, groupIds });
  first.authentication_methods['Email'] = false;
  t.equal(DEFAULT_REALM({ ...identity, groupIds }).authentication_methods['Email'], true);
});

void t.test('disputed defaults follow the precedence of the pages', async (t) => {
  const realm = DEFAULT_REALM({ ...identity, groupIds });
  t.equal(realm.enable_read_receipts, true, 'a new organization is invite-only');
  t.equal(realm.message_retention_days, -1);
  t.notOk(Value.Check(RealmDocument, { ...realm, message_content_edit_limit_seconds: 0 }));
  t.ok(Value.Check(RealmDocument, { ...realm, message_content_edit_limit_seconds: null }));
});
