import type { GroupSettingValue } from '../../../schemas/groups/group-document.js';
import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import { REALM_PERMISSIONS, type RealmPermission } from '../../../schemas/groups/permissions.js';
import { changeFullMembers } from '../groups/full-members.js';
import { sameGroupSetting } from '../access/group-setting.js';
import { loginMethods } from '../accounts/login-methods.js';
import type { Transaction } from '../state/transaction.js';

/** New values of the organization's settings; checked, in stored form. */
export type RealmChange = Partial<RealmDocument>;

type Name = keyof RealmDocument;

/** Settings that share one `update_dict` event (events-organization.md#organization). */
const TOGETHER: readonly {
  readonly names: readonly Name[];
  readonly data: (realm: RealmDocument, tx: Transaction) => Record<string, unknown>;
}[] = [
  {
    names: ['allow_message_editing', 'message_content_edit_limit_seconds'],
    data: ({ allow_message_editing, message_content_edit_limit_seconds }) => ({
      allow_message_editing,
      message_content_edit_limit_seconds,
    }),
  },
  {
    names: ['description'],
    data: ({ description, rendered_description }) => ({ description, rendered_description }),
  },
  {
    names: ['topics_policy'],
    data: ({ topics_policy }) => ({
      topics_policy,
      mandatory_topics: topics_policy === 'disable_empty_topic',
    }),
  },
  {
    names: ['authentication_methods'],
    data: (_realm, { org }) => ({ authentication_methods: loginMethods(org) }),
  },
];

/** Settings without an event of their own. */
const NOT_PLAIN: ReadonlySet<Name> = new Set<Name>([
  ...TOGETHER.flatMap(({ names }) => names),
  'rendered_description',
  ...REALM_PERMISSIONS,
]);

/**
 * Changes the organization's settings: emits `realm` update for each plain one, then one `update_dict` per
 * set of settings that share it, permissions last (events-organization.md#organization), then the effects of the
 * waiting period. Emits nothing for equal values. The caller has checked the values.
 */
export function changeRealm(tx: Transaction, change: RealmChange): void {
  const changed = changedNames(tx.org.realm.current, change);
  if (changed.length === 0) return;
  const write = () => {
    const fields = Object.fromEntries(changed.map((name) => [name, change[name]]));
    tx.org.realm.update('realm', fields);
    emitChanges(tx, changed);
  };
  if (!changed.includes('waiting_period_threshold')) write();
  else changeFullMembers(tx, change.waiting_period_threshold!, write);
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

function emitChanges(tx: Transaction, changed: readonly Name[]): void {
  const realm = tx.org.realm.current;
  for (const property of changed) {
    if (NOT_PLAIN.has(property)) continue;
    tx.emit('realm', { to: 'all' }, { op: 'update', property, value: realm[property] });
  }
  for (const { names, data } of TOGETHER) {
    if (names.some((name) => changed.includes(name))) emitTogether(tx, data(realm, tx));
  }
  const permissions = REALM_PERMISSIONS.filter((name) => changed.includes(name));
  if (permissions.length > 0) emitTogether(tx, pick(realm, permissions));
}

function pick(
  realm: RealmDocument,
  names: readonly RealmPermission[],
): Record<string, GroupSettingValue> {
  return Object.fromEntries(names.map((name) => [name, realm[name]]));
}

function emitTogether(tx: Transaction, data: Readonly<Record<string, unknown>>): void {
  tx.emit('realm', { to: 'all' }, { op: 'update_dict', property: 'default', data });
}
