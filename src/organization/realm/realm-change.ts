import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import { REALM_PERMISSIONS, type RealmPermission } from '../../../schemas/groups/permissions.js';
import { changeFullMembers } from '../groups/full-members.js';
import { sameGroupSetting, forgetPlaces } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import {
  captureAccess,
  emitAccessChange,
  knownIds,
  type FormerAccess,
} from '../views/access-change.js';
import { loginMethods } from '../accounts/login-methods.js';
import type { Transaction } from '../state/transaction.js';
import {
  emitRealmSetting,
  emitRealmUpdateDict,
  sharedSettings,
  type PlainRealmSetting,
  type RealmUpdateDict,
} from '../views/realm-events.js';

/** New values of the organization's settings; checked, in stored form. */
export type RealmChange = Partial<RealmDocument>;

type Name = keyof RealmDocument;

/** Settings that share one `update_dict` event (events-organization.md#organization). */
const TOGETHER: readonly {
  readonly names: readonly Name[];
  readonly update: (realm: RealmDocument, tx: Transaction) => RealmUpdateDict;
}[] = [
  {
    names: ['allow_message_editing', 'message_content_edit_limit_seconds'],
    update: ({ allow_message_editing, message_content_edit_limit_seconds }) =>
      sharedSettings({ allow_message_editing, message_content_edit_limit_seconds }),
  },
  {
    names: ['description'],
    update: ({ description, rendered_description }) =>
      sharedSettings({ description, rendered_description }),
  },
  {
    names: ['topics_policy'],
    update: ({ topics_policy }) =>
      sharedSettings({
        topics_policy,
        mandatory_topics: topics_policy === 'disable_empty_topic',
      }),
  },
  {
    names: ['authentication_methods'],
    update: (_realm, { org }) => sharedSettings({ authentication_methods: loginMethods(org) }),
  },
];

/** Settings without an event of their own. */
const NOT_PLAIN: ReadonlySet<Name> = new Set<Name>([
  ...TOGETHER.flatMap(({ names }) => names),
  'rendered_description',
  ...REALM_PERMISSIONS,
]);

/**
 * Changes the organization's settings: emits `realm` update for each plain one, then one `update_dict` per set of
 * settings that share it, permissions last (events-organization.md#organization), then whom guests see by a new
 * `can_access_all_users_group`, and the effects of the waiting period. Emits nothing for equal values. The caller has
 * checked the values.
 */
export function changeRealm(tx: Transaction, change: RealmChange): void {
  const changed = changedNames(tx.org.realm.current, change);
  if (changed.length === 0) return;
  const isAccess = changed.includes('can_access_all_users_group');
  const write = () => {
    const access = isAccess ? accessOfGuests(tx.org) : [];
    const fields = Object.fromEntries(changed.map((name) => [name, change[name]]));
    tx.org.realm.update('realm', fields);
    forgetPlaces(
      tx,
      'realm',
      REALM_PERMISSIONS.filter((name) => changed.includes(name)),
    );
    emitChanges(tx, changed);
    emitAccessChange(tx, access);
  };
  if (!changed.includes('waiting_period_threshold')) write();
  else changeFullMembers(tx, change.waiting_period_threshold!, write);
}

/** Captures whom all guests see, before the setting changes. */
function accessOfGuests(org: Organization): FormerAccess {
  const everybody = { viewerIds: org.users.activeGuests, userIds: knownIds(org) };
  return captureAccess(org, [everybody], true);
}

function changedNames(current: RealmDocument, change: RealmChange): Name[] {
  return (Object.keys(change) as Name[]).filter((name) => {
    const value = change[name];
    return value !== undefined && !isSame(name, value, current[name]);
  });
}

function isSame(name: Name, value: unknown, current: unknown): boolean {
  if ((REALM_PERMISSIONS as readonly string[]).includes(name)) {
    return sameGroupSetting(value as GroupSettingValue, current as GroupSettingValue);
  }
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value) === JSON.stringify(current)
    : value === current;
}

function isPlain(name: Name): name is PlainRealmSetting {
  return !NOT_PLAIN.has(name);
}

function emitChanges(tx: Transaction, changed: readonly Name[]): void {
  const realm = tx.org.realm.current;
  for (const property of changed) {
    if (isPlain(property)) emitRealmSetting(tx, property);
  }
  for (const { names, update } of TOGETHER) {
    if (names.some((name) => changed.includes(name))) emitRealmUpdateDict(tx, update(realm, tx));
  }
  const permissions = REALM_PERMISSIONS.filter((name) => changed.includes(name));
  if (permissions.length > 0) emitRealmUpdateDict(tx, sharedSettings(pick(realm, permissions)));
}

function pick(
  realm: RealmDocument,
  names: readonly RealmPermission[],
): Partial<Record<RealmPermission, GroupSettingValue>> {
  return Object.fromEntries(names.map((name) => [name, realm[name]]));
}
