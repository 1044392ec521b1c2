import { THUMBNAIL, THUMBNAIL_SIZE } from '../../../services/markdown/media/upload-html.js';
import { videoChatProviders } from '../../../organization/realm/realm-checks.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import * as limits from '../../../../schemas/limits.js';
import { REPORT_TYPES } from '../../../../schemas/messages/message-report.js';
import {
  REALM_PERMISSIONS,
  SUPPORTED_PERMISSION_SETTINGS,
  type SystemGroupName,
} from '../../../../schemas/groups/permissions.js';
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import { uploadQuotaMib } from '../../../organization/uploads/attachments.js';
import { loginEnabled, loginMethods } from '../../../organization/accounts/login-methods.js';
import { twoFactorDemand } from '../../../organization/accounts/two-factor.js';
import type { Organization } from '../../../organization/state/organization.js';
import { DEFAULT_EXTERNAL_ACCOUNTS } from '../../../organization/users/profile-fields.js';
import { realmImageUrl } from '../../../organization/realm/realm-images.js';

type Fields = Record<string, unknown>;

/** The thumbnails of uploaded pictures; one that moves has both. */
const THUMBNAIL_FORMATS = [false, true].map((animated) => ({
  name: animated ? THUMBNAIL.moving : THUMBNAIL.still,
  max_width: THUMBNAIL_SIZE.width,
  max_height: THUMBNAIL_SIZE.height,
  format: 'webp',
  animated,
}));

/** Stored settings shown unchanged, as `realm_{name}`. */
const PLAIN = [
  'name',
  'description',
  'uuid',
  'date_created',
  'org_type',
  'icon_source',
  'logo_source',
  'night_logo_source',
  'default_language',
  'want_advertise_in_communities_directory',
  'welcome_message_custom_text',
  'invite_required',
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'require_unique_names',
  'name_changes_disabled',
  'email_changes_disabled',
  'avatar_changes_disabled',
  'waiting_period_threshold',
  'default_avatar_source',
  'send_welcome_emails',
  'enable_spectator_access',
  'enable_guest_user_indicator',
  'enable_guest_user_dm_warning',
  'owner_full_content_access',
  'allow_message_editing',
  'message_content_edit_limit_seconds',
  'message_content_delete_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
  'message_edit_history_visibility_policy',
  'topics_policy',
  'message_retention_days',
  'enable_read_receipts',
  'default_code_block_language',
  'inline_image_preview',
  'inline_url_embed_preview',
  'media_preview_size',
  'send_channel_events_messages',
  'message_content_allowed_in_email_notifications',
  'digest_emails_enabled',
  'digest_weekday',
  'moderation_request_channel_id',
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'zulip_update_announcements_stream_id',
  'presence_disabled',
  'require_e2ee_push_notifications',
  'video_chat_provider',
  'jitsi_server_url',
  'gif_rating_policy',
] as const satisfies readonly (keyof RealmDocument)[];

/** The section that `fetch_event_types` calls `realm` (register-realm.md#realm). */
export function realmSection(org: Organization): Fields {
  const realm = org.realm.current;
  return {
    ...stored(realm),
    ...identity(org, realm),
    ...accounts(org),
    ...messages(org, realm),
    ...lengths(),
    ...timing(org),
    ...integrations(org, realm),
    realm_upload_quota_mib: uploadQuotaMib(org),
    ...legacyPolicies(org, realm),
    server_supported_permission_settings: SUPPORTED_PERMISSION_SETTINGS,
  };
}

function stored(realm: RealmDocument): Fields {
  const fields: Fields = {};
  for (const name of PLAIN) fields[`realm_${name}`] = realm[name];
  for (const name of REALM_PERMISSIONS) fields[`realm_${name}`] = realm[name];
  return fields;
}

/** Path of the organization's icon; `GET /server_settings` shows it too. */
export function iconUrl(realm: RealmDocument): string {
  return realmImageUrl(realm, 'icon');
}

function identity(org: Organization, realm: RealmDocument): Fields {
  return {
    realm_url: org.site.url,
    realm_uri: org.site.url,
    realm_bot_domain: org.site.botDomain,
    realm_plan_type: 1,
    realm_icon_url: iconUrl(realm),
    realm_logo_url: realmImageUrl(realm, 'logo'),
    realm_night_logo_url: realmImageUrl(realm, 'night_logo'),
    realm_empty_topic_display_name: limits.EMPTY_TOPIC_DISPLAY_NAME,
  };
}

function accounts(org: Organization): Fields {
  const email = loginEnabled(org, 'Email');
  return {
    server_name_changes_disabled: false,
    server_avatar_changes_disabled: false,
    realm_authentication_methods: loginMethods(org),
    realm_password_auth_enabled: email || loginEnabled(org, 'LDAP'),
    realm_email_auth_enabled: email,
    realm_require_two_factor: twoFactorDemand(org),
    password_min_length: limits.PASSWORD_MIN_LENGTH,
    password_max_length: limits.PASSWORD_MAX_LENGTH,
    password_min_guesses: limits.PASSWORD_MIN_GUESSES,
    realm_default_external_accounts: DEFAULT_EXTERNAL_ACCOUNTS,
    server_web_public_streams_enabled: false,
  };
}

function messages(org: Organization, realm: RealmDocument): Fields {
  return {
    realm_allow_edit_history: realm.message_edit_history_visibility_policy !== 'none',
    realm_mandatory_topics: realm.topics_policy === 'disable_empty_topic',
    server_inline_image_preview: true,
    server_inline_url_embed_preview: org.site.previewsPages === true,
    server_thumbnail_formats: THUMBNAIL_FORMATS,
    server_emoji_data_url: `${org.site.url}/static/emoji.json`,
    settings_send_digest_emails: org.site.mails ?? false,
    server_report_message_types: REPORT_TYPES,
    server_can_summarize_topics: false,
  };
}

function lengths(): Fields {
  return {
    max_message_length: limits.MAX_MESSAGE_LENGTH,
    max_topic_length: limits.MAX_TOPIC_LENGTH,
    max_stream_name_length: limits.MAX_STREAM_NAME_LENGTH,
    max_stream_description_length: limits.MAX_STREAM_DESCRIPTION_LENGTH,
    max_channel_folder_name_length: limits.MAX_CHANNEL_FOLDER_NAME_LENGTH,
    max_channel_folder_description_length: limits.MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
    max_reminder_note_length: limits.MAX_REMINDER_NOTE_LENGTH,
    max_bulk_new_subscription_messages: limits.MAX_BULK_NEW_SUBSCRIPTION_MESSAGES,
    max_file_upload_size_mib: limits.MAX_FILE_UPLOAD_SIZE_MIB,
    max_avatar_file_size_mib: limits.MAX_AVATAR_FILE_SIZE_MIB,
    max_icon_file_size_mib: limits.MAX_ICON_FILE_SIZE_MIB,
    max_logo_file_size_mib: limits.MAX_LOGO_FILE_SIZE_MIB,
  };
}

function timing(org: Organization): Fields {
  return {
    event_queue_longpoll_timeout_seconds: limits.EVENT_QUEUE_LONGPOLL_TIMEOUT_SECONDS,
    server_presence_ping_interval_seconds: limits.PRESENCE_PING_INTERVAL_SECONDS,
    server_presence_offline_threshold_seconds: limits.PRESENCE_OFFLINE_THRESHOLD_SECONDS,
    server_typing_started_wait_period_milliseconds: limits.TYPING_STARTED_WAIT_PERIOD_MILLISECONDS,
    server_typing_stopped_wait_period_milliseconds: limits.TYPING_STOPPED_WAIT_PERIOD_MILLISECONDS,
    server_typing_started_expiry_period_milliseconds:
      limits.TYPING_STARTED_EXPIRY_PERIOD_MILLISECONDS,
    server_generation: org.site.generation,
    server_needs_upgrade: false,
    development_environment: false,
    realm_push_notifications_enabled: org.site.pushes ?? false,
    realm_push_notifications_enabled_end_timestamp: null,
    server_min_deactivated_realm_deletion_days: limits.MIN_DEACTIVATED_REALM_DELETION_DAYS,
    server_max_deactivated_realm_deletion_days: null,
  };
}

const GIF_RATINGS = {
  disabled: { name: 'GIFs integration disabled', id: 0 },
  y: { name: 'Allow GIFs rated Y (Very young audience)', id: 1 },
  g: { name: 'Allow GIFs rated G (General audience)', id: 2 },
  pg: { name: 'Allow GIFs rated PG (Parental guidance)', id: 3 },
  'pg-13': { name: 'Allow GIFs rated PG-13 (Parental guidance - under 13)', id: 4 },
  r: { name: 'Allow GIFs rated R (Restricted)', id: 5 },
} as const;

function integrations(org: Organization, realm: RealmDocument): Fields {
  const jitsi = org.site.videoCalls?.jitsiUrl ?? null;
  return {
    realm_available_video_chat_providers: videoChatProviders(org),
    server_jitsi_server_url: jitsi,
    jitsi_server_url: realm.jitsi_server_url ?? jitsi,
    gif_rating_policy_options: GIF_RATINGS,
    zulip_plan_is_not_limited: true,
    upgrade_text_for_wide_organization_logo: '',
  };
}

/**
 * Older integers for permissions that became groups (register-realm.md#messages and
 * register-realm.md#permission-settings).
 */
const LEGACY_POLICY: Readonly<Partial<Record<SystemGroupName, number>>> = {
  'role:everyone': 1,
  'role:members': 1,
  'role:administrators': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
  'role:nobody': 6,
  'role:owners': 7,
};
const LEGACY_MENTION_POLICY: Readonly<Partial<Record<SystemGroupName, number>>> = {
  'role:everyone': 1,
  'role:members': 2,
  'role:fullmembers': 3,
  'role:administrators': 5,
  'role:owners': 5,
  'role:nobody': 6,
  'role:moderators': 7,
};

function legacyPolicies(org: Organization, realm: RealmDocument): Fields {
  const policy = (
    value: GroupSettingValue,
    table: Readonly<Partial<Record<SystemGroupName, number>>>,
    otherwise: number,
  ): number => {
    const name = typeof value === 'number' ? org.groups.get(value)?.name : undefined;
    return table[name as SystemGroupName] ?? otherwise;
  };
  return {
    realm_create_public_stream_policy: policy(
      realm.can_create_public_channel_group,
      LEGACY_POLICY,
      1,
    ),
    realm_create_private_stream_policy: policy(
      realm.can_create_private_channel_group,
      LEGACY_POLICY,
      1,
    ),
    realm_create_web_public_stream_policy: policy(
      realm.can_create_web_public_channel_group,
      LEGACY_POLICY,
      6,
    ),
    realm_wildcard_mention_policy: policy(
      realm.can_mention_many_users_group,
      LEGACY_MENTION_POLICY,
      5,
    ),
  };
}
