import type { EventFields } from '../../../schemas/events.js';
import type { GroupSettingValue } from '../../../schemas/groups/group-document.js';
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

/** New values of the organization's settings; checked, in stored form. */
export type RealmChange = Partial<RealmDocument>;

type Name = keyof RealmDocument;

type RealmEvent = EventFields<'realm'>;
/** Settings that have an event of their own. */
type PlainName = Name & Extract<RealmEvent, { op: 'update' }>['property'];
/** Their event where several share one. */
type Together = Extract<RealmEvent, { op: 'update_dict'; property: 'default' }>;

/** Settings that share one `update_dict` event (events-organization.md#organization). */
const TOGETHER: readonly {
  readonly names: readonly Name[];
  readonly event: (realm: RealmDocument, tx: Transaction) => Together;
}[] = [
  {
    names: ['allow_message_editing', 'message_content_edit_limit_seconds'],
    event: ({ allow_message_editing, message_content_edit_limit_seconds }) =>
      together({
        allow_message_editing,
        message_content_edit_limit_seconds,
      }),
  },
  {
    names: ['description'],
    event: ({ description, rendered_description }) =>
      together({ description, rendered_description }),
  },
  {
    names: ['topics_policy'],
    event: ({ topics_policy }) =>
      together({
        topics_policy,
        mandatory_topics: topics_policy === 'disable_empty_topic',
      }),
  },
  {
    names: ['authentication_methods'],
    event: (_realm, { org }) => together({ authentication_methods: loginMethods(org) }),
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
 * set of settings that share it, permissions last (events-organization.md#organization), then whom guests see by a new
 * `can_access_all_users_group`, and the effects of the waiting period. Emits nothing for equal values. The caller has checked the values.
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

function isPlain(name: Name): name is PlainName {
  return !NOT_PLAIN.has(name);
}

function emitChanges(tx: Transaction, changed: readonly Name[]): void {
  const realm = tx.org.realm.current;
  for (const property of changed) {
    if (!isPlain(property)) continue;
    tx.emit('realm', { to: 'all' }, { op: 'update', property, value: realm[property] });
  }
  for (const { names, event } of TOGETHER) {
    if (!names.some((name) => changed.includes(name))) continue;
    tx.emit('realm', { to: 'all' }, event(realm, tx));
  }
  const permissions = REALM_PERMISSIONS.filter((name) => changed.includes(name));
  if (permissions.length > 0) tx.emit('realm', { to: 'all' }, together(pick(realm, permissions)));
}

function pick(
  realm: RealmDocument,
  names: readonly RealmPermission[],
): Partial<Record<RealmPermission, GroupSettingValue>> {
  return Object.fromEntries(names.map((name) => [name, realm[name]]));
}

function together<D>(data: D) {
  return { op: 'update_dict', property: 'default', data } as const;
}
