/**
 * The columns of each table of a Zulip export that the import takes, or that say nothing once the row is here: what a
 * server can find out anew, what it keeps for itself, and names of former versions beside newer ones.
 */
import { CHANNEL_PERMISSIONS } from '../../../../schemas/channels/channel.js';
import { REALM_PERMISSIONS } from '../../../../schemas/groups/permissions.js';
import { GROUP_PERMISSIONS } from '../../../../schemas/groups/user-group.js';
import { REALM_CHANNELS } from '../../../../schemas/realm/realm.js';
import { SETTING_NAMES } from '../../../../schemas/users/user-settings.js';
import { NOTIFICATION_FIELDS } from '../../../journal/renderers/subscription.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { noteUnknown, rowKind, type RowKind } from '../unknown-fields.js';
import { FORMER_COLUMNS } from './former-settings.js';
import { ALIKE, FORMER_NAMES } from './realm-settings.js';

/** Of almost every table. */
const COMMON = ['id', 'realm', 'realm_id'];

const USER = [
  ...SETTING_NAMES,
  ...['email', 'delivery_email', 'full_name', 'role', 'is_active', 'is_mirror_dummy', 'is_bot'],
  ...['bot_type', 'bot_owner', 'bot_owner_id', 'date_joined', 'is_imported_stub', 'is_deleted'],
  ...['can_create_users', 'can_change_user_emails', 'avatar_source', 'long_term_idle'],
  ...['default_sending_stream', 'default_events_register_stream', 'default_all_public_streams'],
  ...['is_realm_owner', 'is_realm_admin', 'is_guest', 'alert_words'],
  // Rights of the framework, keys and sums of another server, and how far its pages have led somebody.
  ...['password', 'api_key', 'uuid', 'is_staff', 'is_superuser', 'user_permissions', 'groups'],
  ...['is_api_super_user', 'can_forge_sender', 'is_billing_admin', 'tos_version', 'rate_limits'],
  ...['last_login', 'last_reminder', 'last_active_message_id', 'pointer', 'last_pointer_updater'],
  ...['avatar_version', 'avatar_hash', 'recipient', 'recipient_id', 'tutorial_status'],
  ...[
    'onboarding_steps',
    'third_party_api_state',
    'zoom_token',
    'short_name',
    'left_side_userlist',
  ],
  ...['is_bot_owner_deactivated', 'bot_owner_full_name', 'imported_from'],
];

const REALM = [
  ...[...ALIKE, ...REALM_PERMISSIONS, ...FORMER_COLUMNS, ...Object.values(FORMER_NAMES)],
  ...REALM_CHANNELS.flatMap((name) => [name, name.replace(/_id$/, '')]),
  ...['name', 'description', 'date_created', 'deactivated', 'enable_spectator_access', 'uuid'],
  ...['custom_upload_quota_gb', 'mandatory_topics', 'allow_edit_history', 'icon_source'],
  ...['logo_source', 'night_logo_source', 'message_content_edit_limit_seconds'],
  ...['message_content_delete_limit_seconds', 'move_messages_within_stream_limit_seconds'],
  'move_messages_between_streams_limit_seconds',
  // Of that server and its plan, and numbers of pictures.
  ...['string_id', 'uuid_owner_secret', 'plan_type', 'first_visible_message_id', '_max_invites'],
  ...['max_invites', 'push_notifications_enabled', 'icon_version', 'logo_version', 'seat_limit'],
  ...['night_logo_version', 'authentication_methods', 'has_seat_based_plan', 'upload_quota_gb'],
  ...['zulip_update_announcements_level', 'rendered_description', 'enable_guest_user_dm_warning'],
  'rendered_description_version',
  'owner_full_content_access',
];

const TABLES: Readonly<Record<string, readonly string[]>> = {
  zerver_realm: REALM,
  zerver_userprofile: USER,
  zerver_userprofile_mirrordummy: USER,
  // Bots of the server: which of the bots here they are is told by the address.
  zerver_userprofile_crossrealm: ['email', 'recipient_id', 'recipient'],
  zerver_stream: [
    ...CHANNEL_PERMISSIONS,
    ...['name', 'description', 'date_created', 'creator', 'invite_only', 'is_web_public'],
    ...['history_public_to_subscribers', 'deactivated', 'message_retention_days', 'folder'],
    ...['topics_policy', 'recipient', 'stream_post_policy', 'is_announcement_only'],
    ...['rendered_description', 'first_message_id', 'is_recently_active', 'subscriber_count'],
    ...['is_in_zephyr_realm', 'email_token', 'is_archived', 'stream_weekly_traffic'],
  ],
  zerver_defaultstream: ['stream'],
  zerver_recipient: ['type', 'type_id'],
  zerver_subscription: [
    ...NOTIFICATION_FIELDS,
    ...['user_profile', 'recipient', 'active', 'color', 'is_muted', 'in_home_view', 'pin_to_top'],
    'is_user_active',
  ],
  zerver_namedusergroup: [
    ...GROUP_PERMISSIONS,
    ...['usergroup_ptr', 'name', 'description', 'creator', 'date_created', 'is_system_group'],
    ...['deactivated', 'realm_for_sharding'],
  ],
  zerver_usergroup: [
    ...GROUP_PERMISSIONS,
    ...['name', 'description', 'is_system_group', 'creator', 'date_created', 'deactivated'],
    // In their own tables, too.
    ...['members', 'direct_members', 'direct_subgroups'],
  ],
  zerver_usergroupmembership: ['user_group', 'user_profile'],
  zerver_groupgroupmembership: ['supergroup', 'subgroup'],
  zerver_client: ['name'],
  zerver_usertopic: [
    ...['user_profile', 'stream', 'topic_name', 'visibility_policy', 'last_updated', 'recipient'],
  ],
  zerver_muteduser: ['user_profile', 'muted_user', 'date_muted'],
  zerver_mutedtopic: ['user_profile', 'stream', 'topic_name', 'date_muted', 'recipient'],
  zerver_alertword: ['user_profile', 'word'],
  zerver_savedsnippet: ['user_profile', 'title', 'content', 'date_created'],
  zerver_realmemoji: ['name', 'author', 'deactivated', 'file_name', 'is_animated'],
  zerver_realmfilter: [
    ...['pattern', 'url_template', 'url_format_string', 'order', 'example_input'],
    ...['reverse_template', 'alternative_url_templates'],
  ],
  zerver_realmplayground: ['name', 'pygments_language', 'url_template', 'url_prefix'],
  zerver_realmdomain: ['domain', 'allow_subdomains'],
  zerver_customprofilefield: [
    ...['name', 'hint', 'order', 'field_type', 'field_data', 'required', 'editable_by_user'],
    ...['display_in_profile_summary', 'use_for_user_matching'],
  ],
  zerver_customprofilefieldvalue: ['user_profile', 'field', 'value', 'rendered_value'],
  zerver_channelfolder: [
    ...['name', 'description', 'rendered_description', 'is_archived', 'creator', 'date_created'],
    'order',
  ],
  zerver_userstatus: [
    ...['user_profile', 'status_text', 'emoji_name', 'emoji_code', 'reaction_type'],
    ...['timestamp', 'client'],
  ],
  zerver_scheduledmessage: [
    ...['sender', 'recipient', 'subject', 'content', 'scheduled_timestamp', 'delivery_type'],
    ...['delivered', 'sending_client', 'failed', 'failure_message', 'read_by_sender'],
    ...['reminder_target_message', 'reminder_target_message_id', 'reminder_note'],
    ...['rendered_content', 'stream', 'has_attachment', 'delivered_message', 'request_timestamp'],
  ],
  zerver_realmuserdefault: [...SETTING_NAMES],
  zerver_navigationview: ['user', 'fragment', 'is_pinned', 'name'],
  zerver_botstoragedata: ['bot_profile', 'key', 'value'],
  zerver_botconfigdata: ['bot_profile', 'key', 'value'],
  zerver_service: ['user_profile', 'name', 'base_url', 'token', 'interface'],
  zerver_draft: ['user_profile', 'recipient', 'to', 'topic', 'content', 'last_edit_time'],
  zerver_onboardingstep: ['user', 'onboarding_step', 'timestamp'],
  zerver_realmauthenticationmethod: ['name'],
  zerver_message: [
    ...['sender', 'recipient', 'subject', 'content', 'date_sent', 'pub_date', 'sending_client'],
    ...['edit_history', 'last_edit_time', 'last_moved_time'],
    ...['rendered_content', 'rendered_content_version', 'has_attachment', 'has_image', 'has_link'],
    ...['is_channel_message', 'search_tsvector', 'type'],
  ],
  zerver_usermessage: ['user_profile', 'message', 'flags_mask', 'flags'],
  zerver_submessage: ['message', 'sender', 'content', 'msg_type'],
  zerver_reaction: ['message', 'user_profile', 'emoji_name', 'emoji_code', 'reaction_type'],
  zerver_attachment: [
    ...['file_name', 'path_id', 'owner', 'create_time', 'messages', 'size', 'content_type'],
    // Who may see a file follows from the messages.
    ...['is_realm_public', 'is_realm_public_cache', 'is_web_public', 'scheduled_messages'],
    ...['is_web_public_cache'],
  ],
};

/** Kinds of rows by their tables. */
const ROWS: ReadonlyMap<string, RowKind> = new Map(
  Object.entries(TABLES).map(([table, known]) => [table, rowKind(table, [...COMMON, ...known])]),
);

/** Notes the columns of a row that the import does not know. */
export function noteFields(table: string, row: JsonRow, omissions: Omissions): void {
  const kind = ROWS.get(table);
  if (!kind) return;
  noteUnknown(row, kind, (what, example) => omissions.add(what, example || String(row['id'])));
}
