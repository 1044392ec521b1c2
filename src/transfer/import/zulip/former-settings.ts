/** Who might do what in exports from before permissions were groups: numbers of policies. */
import type { RealmPermission, SystemGroupName } from '../../../../schemas/groups/permissions.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { JsonRow } from '../json-rows.js';
import { integerOrNull } from './realm-file.js';

type Policy = Readonly<Record<number, SystemGroupName>>;

const COMMON: Policy = {
  1: 'role:members',
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
  5: 'role:everyone',
  6: 'role:nobody',
  7: 'role:owners',
};
const WILDCARDS: Policy = {
  1: 'role:everyone',
  2: 'role:members',
  3: 'role:fullmembers',
  5: 'role:administrators',
  6: 'role:nobody',
  7: 'role:moderators',
};
/** Of direct messages: anybody, or nobody. */
const DIRECT: Policy = { 1: 'role:everyone', 2: 'role:nobody' };
/** Of bots: everybody, webhooks alone, or only administrators. */
const BOTS: Policy = { 1: 'role:members', 2: 'role:administrators', 3: 'role:administrators' };
const WEBHOOKS: Policy = { 1: 'role:members', 2: 'role:members', 3: 'role:administrators' };

/** A column of such an export, the permissions that it became, and what its numbers mean. */
const COLUMNS: readonly [column: string, names: readonly RealmPermission[], policy: Policy][] = [
  ['invite_to_realm_policy', ['can_invite_users_group'], COMMON],
  [
    'create_stream_policy',
    ['can_create_public_channel_group', 'can_create_private_channel_group'],
    COMMON,
  ],
  ['create_public_stream_policy', ['can_create_public_channel_group'], COMMON],
  ['create_private_stream_policy', ['can_create_private_channel_group'], COMMON],
  ['create_web_public_stream_policy', ['can_create_web_public_channel_group'], COMMON],
  ['invite_to_stream_policy', ['can_add_subscribers_group'], COMMON],
  ['add_custom_emoji_policy', ['can_add_custom_emoji_group'], COMMON],
  ['delete_own_message_policy', ['can_delete_own_message_group'], COMMON],
  ['move_messages_between_streams_policy', ['can_move_messages_between_channels_group'], COMMON],
  ['edit_topic_policy', ['can_move_messages_between_topics_group'], COMMON],
  ['user_group_edit_policy', ['can_create_groups'], COMMON],
  ['wildcard_mention_policy', ['can_mention_many_users_group'], WILDCARDS],
  ['private_message_policy', ['direct_message_permission_group'], DIRECT],
  ['bot_creation_policy', ['can_create_bots_group'], BOTS],
  ['bot_creation_policy', ['can_create_write_only_bots_group'], WEBHOOKS],
];

/** Names of those columns. */
export const FORMER_COLUMNS: readonly string[] = COLUMNS.map(([column]) => column);

/** Permissions that the columns of a former version give; where an export has the group, it counts. */
export function formerPermissions({ groups }: Organization, row: JsonRow): Partial<RealmDocument> {
  const found: Record<string, number> = {};
  for (const [column, names, policy] of COLUMNS) {
    const number = integerOrNull(row, column);
    if (number === null) continue;
    // What is unknown gives nobody a right.
    const group = policy[number] ?? 'role:administrators';
    for (const name of names) {
      if (integerOrNull(row, name) === null) found[name] = groups.system(group).id;
    }
  }
  return found;
}
