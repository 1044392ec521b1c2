/** People, groups, channels and subscriptions of a Zulip export; ids stay, because messages name them. */
import Value from 'typebox/value';
import {
  CHANNEL_PERMISSIONS,
  type ChannelPermission,
} from '../../../../schemas/channels/channel.js';
import type { SystemGroupName } from '../../../../schemas/groups/permissions.js';
import { PLAIN_REALM_SETTINGS } from '../../../../schemas/realm/realm.js';
import { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import {
  SETTING_NAMES,
  USER_SETTINGS,
  type UserSettings,
} from '../../../../schemas/users/user-settings.js';
import { NOTIFICATION_FIELDS } from '../../../journal/renderers/subscription.js';
import { renderFor } from '../../../organization/messages/sending/outgoing-message.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { addAccount, addChannel, addSubscription, anybody } from '../people.js';
import { addGroups, groupId } from './groups.js';
import { addChoices } from './personal.js';
import { addRealmThings, type EmojiPictures } from './realm-things.js';
import {
  integer,
  integerOrNull,
  largest,
  secondsIn,
  textIn,
  type RealmFile,
} from './realm-file.js';

/** Kinds of recipients in an export. */
export const RECIPIENT = { person: 1, channel: 2, group: 3 } as const;

/** Posting policies of channels in exports from before permissions were groups, by the group that may post now. */
const POST_POLICY: Readonly<Record<number, SystemGroupName>> = {
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
};

const BOT_NAMES: readonly [pattern: RegExp, local: string][] = [
  [/^notification-bot@/, 'notification-bot'],
  [/^welcome-bot@/, 'welcome-bot'],
  [/^emailgateway@/, 'emailgateway'],
];

/** Builds everything but messages and files. */
export function buildPeople(
  tx: Transaction,
  file: RealmFile,
  emoji: EmojiPictures,
  markdown: Markdown,
  omissions: Omissions,
): void {
  const { org } = tx;
  const [realm] = file.rows('zerver_realm');
  // System bots and groups come behind those of the export, whose ids stay.
  org.counters.skip('user', largest(file.rows('zerver_userprofile'), 'id'));
  org.counters.skip('user', largest(file.rows('zerver_userprofile_mirrordummy'), 'id'));
  org.counters.skip('user_group', largest(file.rows('zerver_usergroupmembership'), 'user_group'));
  org.counters.skip('user_group', largest(file.rows('zerver_namedusergroup'), groupId));
  org.counters.skip('stream', largest(file.rows('zerver_stream'), 'id'));
  org.counters.skip('recipient', largest(file.rows('zerver_recipient'), 'id'));
  createFrame(tx, { name: textIn(realm!, 'name') || 'Organization' });
  addAccounts(tx, file, omissions);
  changeRealm(tx, realm!, markdown);
  const groups = addGroups(tx, file);
  addChannels(tx, file, markdown, groups, omissions);
  addSubscriptions(tx, file);
  addRealmThings(tx, file, emoji, omissions);
  addChoices(tx, file, markdown, omissions);
}

/** Where system bots of the export are here, by their ids there. */
export function systemBots(
  { org }: Pick<Transaction, 'org'>,
  file: RealmFile,
): Map<number, number> {
  const bots = new Map<number, number>();
  for (const row of file.rows('zerver_userprofile_crossrealm')) {
    const local = BOT_NAMES.find(([pattern]) => pattern.test(textIn(row, 'email')))?.[1];
    const bot = org.users.byRealEmail(`${local ?? 'notification-bot'}@${org.site.botDomain}`);
    if (bot) bots.set(integer(row, 'id'), bot.user_id);
  }
  return bots;
}

function addAccounts(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  const rows = [
    ...file.rows('zerver_userprofile'),
    ...file.rows('zerver_userprofile_mirrordummy'),
  ].sort((a, b) => integer(a, 'id') - integer(b, 'id'));
  for (const row of rows) {
    const user_id = integer(row, 'id');
    const address = textIn(row, 'delivery_email') || textIn(row, 'email');
    const taken = address === '' || tx.org.users.byRealEmail(address) !== undefined;
    if (taken) omissions.add('addresses of accounts, which are empty or taken', address);
    const role = integerOrNull(row, 'role');
    addAccount(tx, {
      user_id,
      email: taken ? `user${user_id}@${tx.org.site.botDomain}` : address,
      full_name: textIn(row, 'full_name'),
      role: (Object.values(ROLE) as (number | null)[]).includes(role)
        ? (role as Role)
        : ROLE.member,
      is_active: row['is_active'] === true && row['is_mirror_dummy'] !== true,
      date_joined: secondsIn(row, 'date_joined') * 1000,
      ...generatedPicture(row),
      ...(row['is_bot'] === true
        ? {
            is_bot: true,
            bot_type: integerOrNull(row, 'bot_type') ?? 1,
            bot_owner_id: ownerOf(row),
          }
        : { settings: settingsIn(row) }),
    });
    if (row['is_bot'] === true) {
      tx.org.bots.insert({
        user_id,
        default_sending_stream: null,
        default_events_register_stream: null,
        default_all_public_streams: false,
      });
    }
  }
}

/** Which picture a user has who uploaded none; uploaded ones come later. */
function generatedPicture(row: JsonRow): { avatar_source?: 'G' | 'J' } {
  const source = textIn(row, 'avatar_source');
  return source === 'G' || source === 'J' ? { avatar_source: source } : {};
}

function ownerOf(row: JsonRow): number | null {
  return integerOrNull(row, 'bot_owner') ?? integerOrNull(row, 'bot_owner_id');
}

/** Settings that exist here under the same name and take the value. */
function settingsIn(row: JsonRow): Partial<UserSettings> {
  const known = SETTING_NAMES.filter(
    (name) => row[name] !== undefined && Value.Check(USER_SETTINGS[name].schema, row[name]),
  );
  return Object.fromEntries(known.map((name) => [name, row[name]]));
}

function changeRealm(tx: Transaction, row: JsonRow, markdown: Markdown): void {
  const { org } = tx;
  const known = PLAIN_REALM_SETTINGS.filter((name) => {
    return row[name] !== undefined && Value.Check(RealmDocument.properties[name], row[name]);
  });
  const description = textIn(row, 'description').slice(0, 1000);
  org.realm.update('realm', {
    ...Object.fromEntries(known.map((name) => [name, row[name]])),
    description,
    rendered_description: renderFor(org, markdown, anybody(tx), description).html,
    date_created: secondsIn(row, 'date_created') || tx.seconds,
  });
}

function addChannels(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  groups: ReadonlyMap<number, number>,
  omissions: Omissions,
): void {
  const recipients = new Map<number, number>();
  for (const row of file.rows('zerver_recipient')) {
    if (row['type'] === RECIPIENT.channel)
      recipients.set(integer(row, 'type_id'), integer(row, 'id'));
  }
  const defaults = new Set(file.rows('zerver_defaultstream').map((row) => row['stream']));
  for (const row of file.rows('zerver_stream')) {
    const stream_id = integer(row, 'id');
    const name = textIn(row, 'name');
    const recipient_id = integerOrNull(row, 'recipient') ?? recipients.get(stream_id);
    if (recipient_id === undefined) {
      omissions.add('channels without a recipient', name);
      continue;
    }
    const isPrivate = row['invite_only'] === true;
    if (row['is_web_public'] === true) {
      omissions.add('channels that were open to visitors without an account, and are public', name);
    }
    const creator = integerOrNull(row, 'creator');
    addChannel(tx, markdown, {
      ...permissionsIn(tx, row, groups, omissions),
      ...{ stream_id, recipient_id, name },
      description: textIn(row, 'description'),
      date_created: secondsIn(row, 'date_created'),
      creator_id: creator !== null && tx.org.users.has(creator) ? creator : null,
      invite_only: isPrivate,
      history_public_to_subscribers: !isPrivate || row['history_public_to_subscribers'] === true,
      is_archived: row['deactivated'] === true,
      is_default: defaults.has(stream_id) && !isPrivate,
    });
  }
}

/** Permissions by groups that are there; what has another form is as for a new channel, for administrators alone. */
function permissionsIn(
  { org }: Transaction,
  row: JsonRow,
  groups: ReadonlyMap<number, number>,
  omissions: Omissions,
): Partial<Record<ChannelPermission, number>> {
  const found: Partial<Record<ChannelPermission, number>> = {};
  const policy = POST_POLICY[integerOrNull(row, 'stream_post_policy') ?? 1];
  if (policy) found.can_send_message_group = org.groups.system(policy).id;
  for (const name of CHANNEL_PERMISSIONS) {
    const given = integerOrNull(row, name);
    if (given === null) continue;
    const group = groups.get(given);
    if (group !== undefined) found[name] = group;
    else {
      omissions.add(`settings ${name} that name people one by one`, textIn(row, 'name'));
      // Who may do it was chosen; nobody gains a right.
      found[name] = org.groups.system('role:administrators').id;
    }
  }
  return found;
}

function addSubscriptions(tx: Transaction, file: RealmFile): void {
  const { channels, conversations, users } = tx.org;
  const byRecipient = new Map(Array.from(channels.values(), (one) => [one.recipient_id, one]));
  const groups = new Map<number, number[]>();
  for (const row of file.rows('zerver_recipient')) {
    if (row['type'] === RECIPIENT.group) groups.set(integer(row, 'id'), []);
  }
  for (const row of file.rows('zerver_subscription')) {
    const userId = integer(row, 'user_profile');
    const recipient = integer(row, 'recipient');
    groups.get(recipient)?.push(userId);
    const channel = byRecipient.get(recipient);
    if (!channel || !users.has(userId)) continue;
    const active = row['active'] === true && users.get(userId)!.is_active;
    addSubscription(tx, userId, channel.stream_id, active, {
      ...(/^#[0-9a-f]{6}$/.test(textIn(row, 'color')) ? { color: textIn(row, 'color') } : {}),
      is_muted: row['is_muted'] === true,
      pin_to_top: row['pin_to_top'] === true,
      ...Object.fromEntries(NOTIFICATION_FIELDS.map((name) => [name, choice(row[name])])),
    });
  }
  for (const [recipient_id, members] of groups) {
    const user_ids = [...new Set(members)].filter((id) => users.has(id)).sort((a, b) => a - b);
    if (user_ids.length > 0 && !conversations.between(user_ids)) {
      conversations.insert({ recipient_id, user_ids });
    }
  }
}

function choice(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
