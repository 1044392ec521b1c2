/** People, groups, channels and subscriptions of a Zulip export; ids stay, because messages name them. */
import {
  CHANNEL_PERMISSIONS,
  type ChannelPermission,
  type TopicsPolicy,
} from '../../../../schemas/channels/channel.js';
import {
  CHANNEL_PERMISSION_SETTINGS,
  type SystemGroupName,
} from '../../../../schemas/groups/permissions.js';
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import { MAX_REALM_NAME_LENGTH } from '../../../../schemas/limits.js';
import { NOTIFICATION_FIELDS } from '../../../journal/renderers/subscription.js';
import { channelDescription } from '../../../organization/channels/channel-creation.js';
import { renderFor } from '../../../organization/messages/sending/outgoing-message.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { addChannel, addSubscription, anybody } from '../people.js';
import { addAccounts } from './accounts.js';
import { addBots } from './bots.js';
import { CHANNEL_TOPICS } from './codes.js';
import type { GroupValues } from './group-values.js';
import { addGroups, groupId, systemGroupIds } from './groups.js';
import { addPersonalThings } from './own-things.js';
import { addChoices } from './personal.js';
import { addRealmThings, type EmojiPictures } from './realm-things.js';
import { changeRealm } from './realm-settings.js';
import {
  integer,
  integerOrNull,
  largest,
  secondsIn,
  textIn,
  type RealmFile,
} from './realm-file.js';
import { noteFields } from './zulip-fields.js';

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
  const { counters } = tx.org;
  file.countInto(omissions);
  for (const [table, row] of file.all()) noteFields(table, row, omissions);
  const kept = { groups: systemGroupIds(file), bots: systemBotIds(file) };
  // Ids of the export stay; what it lacks comes behind them.
  const people = ['zerver_userprofile', 'zerver_userprofile_mirrordummy'] as const;
  for (const table of people) counters.skip('user', largest(file.rows(table), 'id'));
  counters.skip('user', Math.max(0, ...kept.bots.values()));
  counters.skip('user_group', largest(file.namedGroups, groupId));
  counters.skip('stream', largest(file.rows('zerver_stream'), 'id'));
  counters.skip('recipient', largest(keptRecipients(file), 'id'));
  const name = [...textIn(file.realm, 'name')].slice(0, MAX_REALM_NAME_LENGTH).join('');
  createFrame(tx, { name: name || 'Organization' }, kept);
  addAccounts(tx, file, omissions);
  const groups = addGroups(tx, file, omissions);
  addFolders(tx, file, markdown, omissions);
  addChannels(tx, file, markdown, groups, omissions);
  changeRealm(tx, file, markdown, groups, omissions);
  addSubscriptions(tx, file, omissions);
  addBots(tx, file, omissions);
  addRealmThings(tx, file, emoji, omissions);
  addChoices(tx, file, markdown, omissions);
  addPersonalThings(tx, file, omissions);
  for (const table of SETTLED) file.settle(table, omissions);
}

/** Tables by which others are read, and what waits for the messages. */
const SETTLED = [
  'zerver_client',
  'zerver_recipient',
  'zerver_userprofile_crossrealm',
  'zerver_scheduledmessage',
] as const;

/** Conversations that keep their numbers: those of one person get one when there is a message. */
function keptRecipients(file: RealmFile): JsonRow[] {
  return file.rows('zerver_recipient').filter((row) => row['type'] !== RECIPIENT.person);
}

/** Ids of system bots that no person of the export has, by the local parts of their addresses. */
function systemBotIds(file: RealmFile): Map<string, number> {
  const people = new Set(file.rows('zerver_userprofile').map((row) => row['id']));
  const ids = new Map<string, number>();
  for (const row of file.rows('zerver_userprofile_crossrealm')) {
    const local = localPartOf(row);
    const id = integer(row, 'id');
    if (local !== undefined && !people.has(id)) ids.set(local, id);
  }
  return ids;
}

function localPartOf(row: JsonRow): string | undefined {
  return BOT_NAMES.find(([pattern]) => pattern.test(textIn(row, 'email')))?.[1];
}

/** Where system bots of the export are here, by their ids there. */
export function systemBots(
  { org }: Pick<Transaction, 'org'>,
  file: RealmFile,
): Map<number, number> {
  const bots = new Map<number, number>();
  for (const row of file.rows('zerver_userprofile_crossrealm')) {
    const local = localPartOf(row) ?? 'notification-bot';
    const bot = org.users.byRealEmail(`${local}@${org.site.botDomain}`);
    if (bot) bots.set(integer(row, 'id'), bot.user_id);
  }
  return bots;
}

function addChannels(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  groups: GroupValues,
  omissions: Omissions,
): void {
  const { org } = tx;
  const recipients = new Map<number, number>();
  for (const row of file.rows('zerver_recipient')) {
    if (row['type'] === RECIPIENT.channel)
      recipients.set(integer(row, 'type_id'), integer(row, 'id'));
  }
  const defaults = new Set<number>();
  const known = new Set(file.rows('zerver_stream').map((row) => integer(row, 'id')));
  file.each('zerver_defaultstream', omissions, (row) => {
    const id = integer(row, 'stream');
    defaults.add(id);
    return known.has(id) ? null : 'of channels that are missing';
  });
  file.each('zerver_stream', omissions, (row) => {
    const stream_id = integer(row, 'id');
    const name = textIn(row, 'name');
    const recipient_id = integerOrNull(row, 'recipient') ?? recipients.get(stream_id);
    if (recipient_id === undefined) return 'without a recipient';
    const isPrivate = row['invite_only'] === true;
    if (row['is_web_public'] === true) {
      omissions.add('channels that were open to visitors without an account, and are public', name);
    }
    const creator = integerOrNull(row, 'creator');
    const folder = integerOrNull(row, 'folder');
    addChannel(tx, markdown, omissions, {
      ...permissionsIn(tx, row, groups),
      ...{ stream_id, recipient_id, name },
      description: textIn(row, 'description'),
      date_created: secondsIn(row, 'date_created'),
      creator_id: creator !== null && org.users.has(creator) ? creator : null,
      invite_only: isPrivate,
      history_public_to_subscribers: !isPrivate || row['history_public_to_subscribers'] === true,
      is_archived: row['deactivated'] === true,
      is_default: defaults.has(stream_id) && !isPrivate,
      message_retention_days: integerOrNull(row, 'message_retention_days'),
      folder_id: folder !== null && org.channelFolders.has(folder) ? folder : null,
      topics_policy: topicsPolicyIn(row),
    });
    return null;
  });
}

function topicsPolicyIn(row: JsonRow): TopicsPolicy {
  return (CHANNEL_TOPICS[integerOrNull(row, 'topics_policy') ?? 1] ?? 'inherit') as TopicsPolicy;
}

function addFolders(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  omissions: Omissions,
): void {
  const { channelFolders, counters, users } = tx.org;
  counters.skip('channel_folder', largest(file.rows('zerver_channelfolder'), 'id'));
  file.each('zerver_channelfolder', omissions, (row) => {
    const name = textIn(row, 'name').trim();
    const is_archived = row['is_archived'] === true;
    if (name === '' || (!is_archived && channelFolders.live(name))) return 'of the name of another';
    const creator = integerOrNull(row, 'creator');
    const description = channelDescription(textIn(row, 'description'));
    channelFolders.insert({
      ...{ id: integer(row, 'id'), name, description, is_archived },
      rendered_description: renderFor(tx.org, markdown, anybody(tx), description).html,
      creator_id: creator !== null && users.has(creator) ? creator : null,
      date_created: secondsIn(row, 'date_created'),
      order: integerOrNull(row, 'order') ?? channelFolders.size,
    });
    return null;
  });
}

/** Who may do what there; formerly the number of a policy said who may post. */
function permissionsIn(
  { org }: Transaction,
  row: JsonRow,
  groups: GroupValues,
): Partial<Record<ChannelPermission, GroupSettingValue>> {
  const found: Partial<Record<ChannelPermission, GroupSettingValue>> = {};
  const policy = POST_POLICY[integerOrNull(row, 'stream_post_policy') ?? 1];
  // Before there were policies.
  if (row['is_announcement_only'] === true) {
    found.can_send_message_group = org.groups.system('role:administrators').id;
  }
  if (policy) found.can_send_message_group = org.groups.system(policy).id;
  for (const name of CHANNEL_PERMISSIONS) {
    const rules = CHANNEL_PERMISSION_SETTINGS[name];
    const value = groups.permission(row, name, rules, textIn(row, 'name'));
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function addSubscriptions(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  const { channels, conversations, users, subscriptions } = tx.org;
  const byRecipient = new Map(Array.from(channels.values(), (one) => [one.recipient_id, one]));
  const groups = new Map<number, number[]>();
  const persons = new Set<number>();
  for (const row of file.rows('zerver_recipient')) {
    if (row['type'] === RECIPIENT.group) groups.set(integer(row, 'id'), []);
    if (row['type'] === RECIPIENT.person) persons.add(integer(row, 'id'));
  }
  file.each('zerver_subscription', omissions, (row) => {
    const userId = integer(row, 'user_profile');
    const recipient = integer(row, 'recipient');
    if (persons.has(recipient)) return null;
    if (!users.has(userId)) return 'of people who are missing';
    const group = groups.get(recipient);
    if (group) group.push(userId);
    const channel = byRecipient.get(recipient);
    if (!channel) return group ? null : 'of channels that are missing';
    if (subscriptions.of(userId, channel.stream_id)) return 'that are there twice';
    // Also of those who were deactivated: whoever comes back is in their channels.
    addSubscription(tx, userId, channel.stream_id, row['active'] === true, {
      ...(/^#[0-9a-f]{6}$/.test(textIn(row, 'color')) ? { color: textIn(row, 'color') } : {}),
      // Formerly whether it was shown among all others.
      is_muted: row['is_muted'] === true || row['in_home_view'] === false,
      pin_to_top: row['pin_to_top'] === true,
      ...Object.fromEntries(NOTIFICATION_FIELDS.map((name) => [name, choice(row[name])])),
    });
    return null;
  });
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
