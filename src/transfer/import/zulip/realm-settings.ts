/** Settings of the organization of a Zulip export: one that had locked itself must not come up open. */
import Value from 'typebox/value';
import type { TSchema } from 'typebox';
import { MAX_REALM_DESCRIPTION_LENGTH } from '../../../../schemas/limits.js';
import {
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
} from '../../../../schemas/groups/permissions.js';
import { isLanguage } from '../../../../schemas/realm/languages.js';
import {
  MAX_WAITING_PERIOD_DAYS,
  PLAIN_REALM_SETTINGS,
  REALM_CHANNELS,
  REALM_TIME_LIMITS,
} from '../../../../schemas/realm/realm.js';
import { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { renderFor } from '../../../organization/messages/sending/outgoing-message.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { anybody } from '../people.js';
import { REALM_CODES, worded } from './codes.js';
import { formerPermissions } from './former-settings.js';
import type { GroupValues } from './group-values.js';
import { integerOrNull, secondsIn, textIn, type RealmFile } from './realm-file.js';

/** Settings that are stored here as there, beside those that requests carry so. */
export const ALIKE = [
  ...PLAIN_REALM_SETTINGS,
  'default_language',
  'waiting_period_threshold',
  'message_retention_days',
  'default_code_block_language',
  'media_preview_size',
  'video_chat_provider',
  'jitsi_server_url',
  'owner_full_content_access',
] as const satisfies readonly (keyof RealmDocument)[];

/** Names that columns had in former versions. */
export const FORMER_NAMES: Readonly<Record<string, string>> = {
  gif_rating_policy: 'giphy_rating',
  new_stream_announcements_stream_id: 'notifications_stream',
  signup_announcements_stream_id: 'signup_notifications_stream',
};

/** Ways to log in that this server knows, by the names that exports have, too. */
export const LOGIN_METHODS = ['Email', 'LDAP', 'JWT', 'OpenID Connect'] as const;

const UNKNOWN_VALUE = 'settings of the organization with a value that is unknown here';

/** MiB of a GiB, in which exports give the quota. */
const MIB_PER_GIB = 1024;

/** Changes the organization, once people, groups and channels are there. */
export function changeRealm(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  groups: GroupValues,
  omissions: Omissions,
): void {
  const { org } = tx;
  const row = file.realm;
  file.settle('zerver_realm', omissions);
  const description = [...textIn(row, 'description').toWellFormed().replaceAll('\0', '')]
    .slice(0, MAX_REALM_DESCRIPTION_LENGTH)
    .join('');
  org.realm.update('realm', {
    ...settingsAlike(row, omissions),
    ...timeLimits(row, omissions),
    ...channels(tx, row, omissions),
    ...permissions(row, groups),
    ...formerPermissions(org, row),
    ...loginMethods(file, omissions),
    ...quota(row),
    ...(textIn(row, 'uuid') === '' ? {} : { uuid: textIn(row, 'uuid') }),
    description,
    rendered_description: renderFor(org, markdown, anybody(tx), description).html,
    date_created: secondsIn(row, 'date_created') || tx.seconds,
  });
  if (row['enable_spectator_access'] === true) {
    org.realm.update('realm', { enable_spectator_access: false });
    omissions.add('organizations that visitors without an account could read, and can not here');
  }
  if (row['deactivated'] === true) {
    omissions.add('organizations that were deactivated there, and are active here');
  }
}

/** Values that are valid here, too; of others the default stays, and is named. */
function settingsAlike(row: JsonRow, omissions: Omissions): Partial<RealmDocument> {
  const found: Record<string, unknown> = {};
  for (const name of ALIKE) {
    const given = columnOf(row, name);
    // Only of the address of Jitsi it says something.
    if (given === undefined || (given === null && name !== 'jitsi_server_url')) continue;
    const value = worded(REALM_CODES[name], given);
    if (isValid(name, value)) found[name] = value;
    else omissions.add(UNKNOWN_VALUE, name);
  }
  // Before the policies of topics and of histories.
  if (row['mandatory_topics'] === true) found['topics_policy'] = 'disable_empty_topic';
  if (row['allow_edit_history'] === false) found['message_edit_history_visibility_policy'] = 'none';
  return found;
}

function isValid(name: keyof RealmDocument, value: unknown): boolean {
  if (name === 'default_language') return typeof value === 'string' && isLanguage(value);
  if (name === 'waiting_period_threshold' && Number(value) > MAX_WAITING_PERIOD_DAYS) return false;
  return Value.Check(RealmDocument.properties[name] as TSchema, value);
}

function columnOf(row: JsonRow, name: string): unknown {
  return row[name] ?? row[name.replace(/_id$/, '')] ?? row[FORMER_NAMES[name] ?? name];
}

/** Seconds; null, and formerly 0, is no limit. */
function timeLimits(row: JsonRow, omissions: Omissions): Partial<RealmDocument> {
  const given = REALM_TIME_LIMITS.filter((name) => row[name] !== undefined);
  const limits = given.map((name) => [name, integerOrNull(row, name) || null] as const);
  const valid = limits.filter(([name, value]) => isValid(name, value));
  for (const [name] of limits.filter((one) => !valid.includes(one))) {
    omissions.add(UNKNOWN_VALUE, name);
  }
  return Object.fromEntries(valid);
}

function channels(
  { org }: Transaction,
  row: JsonRow,
  omissions: Omissions,
): Partial<RealmDocument> {
  const found: Record<string, number> = {};
  for (const name of REALM_CHANNELS) {
    const given = columnOf(row, name);
    if (typeof given !== 'number') continue;
    if (org.channels.has(given)) found[name] = given;
    else omissions.add('channels for announcements that are missing', name);
  }
  return found;
}

function permissions(row: JsonRow, groups: GroupValues): Partial<RealmDocument> {
  const found: Record<string, unknown> = {};
  for (const name of REALM_PERMISSIONS) {
    const rules = REALM_PERMISSION_SETTINGS[name];
    const value = groups.permission(row, name, rules, 'the organization');
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Methods that the organization did not allow stay off, also where the server is configured for them. */
function loginMethods(file: RealmFile, omissions: Omissions): Partial<RealmDocument> {
  const rows = file.rows('zerver_realmauthenticationmethod');
  if (rows.length === 0) return {};
  const allowed = new Set<string>();
  file.each('zerver_realmauthenticationmethod', omissions, (row) => {
    const name = textIn(row, 'name');
    if (!(LOGIN_METHODS as readonly string[]).includes(name)) {
      return `such as ${name}: this server has no such way to log in`;
    }
    allowed.add(name);
    return null;
  });
  if (allowed.size === 0) {
    omissions.add('organizations without a way to log in that exists here: by password it is');
    allowed.add('Email');
  }
  const methods = LOGIN_METHODS.map((name) => [name, allowed.has(name)]);
  return { authentication_methods: Object.fromEntries(methods) as Record<string, boolean> };
}

function quota(row: JsonRow): Partial<RealmDocument> {
  const gib = integerOrNull(row, 'custom_upload_quota_gb');
  return gib === null || gib < 0 ? {} : { upload_quota_mib: gib * MIB_PER_GIB };
}
