import type {
  AuditChange,
  AuditDocument,
  AuditField,
  AuditKind,
  AuditWay,
} from '../../../schemas/realm/audit-log.js';
import { DEFAULT_USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import { MAX_AUDIT_RECORD_LENGTH, MAX_AUDIT_VALUE_LENGTH } from '../../../schemas/limits.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';

/** Who acts, for the audit log. */
export interface Actor {
  readonly way: AuditWay;
  /** Null: nobody who is logged in. */
  readonly user: Pick<UserDocument, 'user_id' | 'role'> | null;
}

/** What nobody asked for. */
export const SERVER: Actor = { way: 'server', user: null };

/** Whoever runs the commands of the admin socket. */
export const OPERATOR: Actor = { way: 'operator', user: null };

/** A login by another service, which decides about the account. */
export const LOGIN: Actor = { way: 'login', user: null };

/** Whoever has a mailed link. */
export const LINK: Actor = { way: 'link', user: null };

type Fields = Readonly<Record<string, unknown>>;

/** A collection whose changes are recorded. */
interface Audited {
  readonly kind: AuditKind;
  /** Fields that follow from others, or from what is no setting. */
  readonly derived?: readonly string[];
  /** Fields whose values are not told, by the name that the record has. */
  readonly secret?: Readonly<Record<string, string>>;
  /** Values where there is no document. */
  readonly defaults?: Fields;
  /** Field with the name of the thing. */
  readonly title?: string;
}

/** Of what has no name: no document has this field. */
const NAMELESS = '';

const AUDITED: Readonly<Record<string, Audited>> = {
  realm: { kind: 'organization', title: 'name', derived: ['rendered_description'] },
  realm_user_settings_defaults: { kind: 'default_settings', defaults: DEFAULT_USER_SETTINGS },
  realm_domain: { kind: 'domain', title: 'domain' },
  linkifier: { kind: 'linkifier', title: 'pattern' },
  playground: { kind: 'playground', title: 'name' },
  custom_emoji: { kind: 'emoji', title: 'name', derived: ['file', 'animated'] },
  custom_profile_field: { kind: 'profile_field', title: 'name' },
  channel_folder: { kind: 'channel_folder', title: 'name', derived: ['rendered_description'] },
  user: {
    kind: 'user',
    title: 'full_name',
    derived: ['awaits_first_login', 'vacated', 'login_places', 'avatar_file', 'can_create_users'],
    secret: { password_hash: 'password', key_version: 'api_key' },
  },
  profile: { kind: 'user', derived: ['user_id'], secret: { values: 'profile_data' }, defaults: {} },
  user_settings: {
    kind: 'user_settings',
    defaults: DEFAULT_USER_SETTINGS,
    derived: ['user_id', 'edited'],
  },
  two_factor: {
    kind: 'user',
    derived: ['user_id', 'nonce', 'last_step', 'recovery_codes'],
    defaults: { two_factor: false },
  },
  // Tokens, keys of other services, passwords in addresses.
  bot: { kind: 'bot', secret: { service: 'service', config_data: 'config_data' } },
  // Who has everything that people wrote: its beginning, and the end of its file.
  realm_export: {
    kind: 'export',
    title: 'export_type',
    derived: ['token', 'address', 'pending', 'failed_timestamp', 'parts'],
  },
  channel: { kind: 'channel', title: 'name', derived: ['rendered_description'] },
  user_group: { kind: 'group', title: 'name' },
  // By number: the address is erased with the invitation.
  invitation: { kind: 'invitation', title: NAMELESS, derived: ['invited', 'nonce', 'key_hash'] },
  multiuse_invitation: {
    kind: 'invitation_link',
    title: NAMELESS,
    derived: ['nonce', 'key_hash'],
  },
};

/** Whether it is recorded who changes documents of a collection (endpoints-organization.md#audit-log). */
export function isAudited(collection: string): boolean {
  return Object.hasOwn(AUDITED, collection);
}

/** A document of an audited collection, before and after. */
export interface AuditedChange {
  readonly collection: string;
  readonly id: number | string;
  readonly previous: object | undefined;
  readonly next: object | undefined;
}

/** The record of changes; null where there are none. @param seq position of the entry */
export function auditRecord(
  seq: number,
  now: number,
  { user, way }: Actor,
  changes: readonly AuditChange[],
): AuditDocument | null {
  if (changes.length === 0) return null;
  const by = { user_id: user?.user_id ?? null, role: user?.role ?? null, way };
  return { id: seq, at: now, ...by, ...fitted(changes) };
}

/** What documents' changes tell; none for those that change nothing that is recorded. */
export function changesOf(
  changed: readonly AuditedChange[],
  userName: (id: number) => string | undefined,
): AuditChange[] {
  // What a new account begins with is no change.
  const isNew = new Set(
    changed.filter((one) => one.collection === 'user' && !one.previous).map(({ id }) => id),
  );
  return changed
    .filter(
      ({ collection, id }) => collection === 'user' || !isOfUser(collection) || !isNew.has(id),
    )
    .flatMap((one) => changeOf(one, userName) ?? []);
}

function isOfUser(collection: string): boolean {
  return ['user', 'profile', 'user_settings', 'two_factor', 'bot'].includes(collection);
}

function changeOf(
  { collection, id, previous, next }: AuditedChange,
  userName: (id: number) => string | undefined,
): AuditChange | null {
  const audited = AUDITED[collection]!;
  const { kind, title, defaults } = audited;
  const last = (next ?? previous) as Fields | undefined;
  if (!last) return null;
  const named = title === undefined ? userName(Number(id)) : (last[title] as string | undefined);
  const change = { kind, id: Number(id) || 0, name: cut(named ?? '') };
  // Without a document the defaults hold, so that its first and last change nothing else.
  if (!defaults && (!previous || !next)) {
    return { ...change, action: next ? 'created' : 'removed', fields: [] };
  }
  const whole = (document: object | undefined): Fields =>
    (defaults ? { ...defaults, ...document } : document) as Fields;
  const fields = fieldsOf(whole(previous), whole(next), audited);
  return fields.length === 0 ? null : { ...change, action: 'changed', fields };
}

function fieldsOf(before: Fields, after: Fields, { derived, secret }: Audited): AuditField[] {
  const found: AuditField[] = [];
  const came = Object.keys(after).filter((name) => !Object.hasOwn(before, name));
  for (const name of [...Object.keys(before), ...came]) {
    const old = before[name];
    const now = after[name];
    if (old === now || derived?.includes(name)) continue;
    // Who is in a group of roles follows from the roles.
    if (name === 'members' && after['is_system_group'] === true) continue;
    if (isSame(old, now)) continue;
    const hidden = secret?.[name];
    if (hidden !== undefined) found.push({ name: hidden, old: null, new: null });
    else found.push({ name, ...values(old, now) });
  }
  return found;
}

/** Whether two values that are not one say the same. */
function isSame(old: unknown, now: unknown): boolean {
  if (typeof now !== 'object' || haveOtherLengths(old, now)) return false;
  return JSON.stringify(old) === JSON.stringify(now);
}

/** Whether lists, or those of the same name in two objects, differ in length: a hundred channels may list thousands. */
function haveOtherLengths(old: unknown, now: unknown): boolean {
  if (Array.isArray(old)) return Array.isArray(now) && old.length !== now.length;
  if (!isObject(old) || !isObject(now)) return false;
  return Object.entries(old).some(([name, list]) => {
    return Array.isArray(list) && haveOtherLengths(list, now[name]);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of lists what went and what came. */
function values(old: unknown, now: unknown): { old: string | null; new: string | null } {
  if (!Array.isArray(old) || !Array.isArray(now))
    return { old: valueText(old), new: valueText(now) };
  const [before, after] = [new Set<unknown>(old), new Set<unknown>(now)];
  return {
    old: valueText(old.filter((one) => !after.has(one))),
    new: valueText(now.filter((one) => !before.has(one))),
  };
}

/** A value as records have it; null where there is none. */
export function valueText(value: unknown): string | null {
  return value === undefined ? null : cut(JSON.stringify(shortened(value)));
}

/** A value without what is cut off anyway: each item of a list is a character at least. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_AUDIT_VALUE_LENGTH);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, list]) => {
    return [name, Array.isArray(list) ? list.slice(0, MAX_AUDIT_VALUE_LENGTH) : list] as const;
  });
  return Object.fromEntries(entries);
}

function cut(long: string): string {
  if (long.length <= MAX_AUDIT_VALUE_LENGTH) return long;
  return `${long.slice(0, MAX_AUDIT_VALUE_LENGTH - 1).toWellFormed()}…`;
}

/** As many changes as have room in a record. */
function fitted(changes: readonly AuditChange[]): {
  changes: AuditChange[];
  left_out: number;
} {
  const kept: AuditChange[] = [];
  let length = 0;
  for (const change of changes) {
    length += JSON.stringify(change).length;
    // One is always told: its fields are few enough, and each is bounded.
    if (length > MAX_AUDIT_RECORD_LENGTH && kept.length > 0) break;
    kept.push(change);
  }
  return { changes: kept, left_out: changes.length - kept.length };
}
