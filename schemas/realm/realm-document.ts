import Type, { type Static, type TObject } from 'typebox';
import { nullable, oneOf } from '../endpoint.js';
import {
  MAX_REALM_DESCRIPTION_LENGTH,
  MAX_REALM_NAME_LENGTH,
  MAX_WELCOME_MESSAGE_LENGTH,
} from '../limits.js';
import {
  REALM_PERMISSION_SETTINGS,
  REALM_PERMISSIONS,
  type RealmPermission,
  type SystemGroupName,
} from '../groups/permissions.js';
import { text } from '../text.js';
import { GroupSettingValue } from '../groups/user-group.js';
import { collection } from '../collection.js';

/** Kinds of organization: `realm_org_type` (register-realm.md#identity). */
export const ORG_TYPES = [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000] as const;

const Flag = Type.Boolean();
const Text = Type.String();
/** Seconds of a time limit, or null for none. */
const TimeLimit = nullable(Type.Integer({ minimum: 1 }));
/** Channel for a purpose, or -1. */
const ChannelOrNone = Type.Integer({ minimum: -1 });
const ImageVersion = Type.Integer({ minimum: 1 });

/** Of whom the organization demands a second factor (endpoints-users.md#two-factor-demanded). */
export const TWO_FACTOR_DEMANDS = ['nobody', 'administrators', 'everyone'] as const;
export const TwoFactorDemand = oneOf(...TWO_FACTOR_DEMANDS);
export type TwoFactorDemand = Static<typeof TwoFactorDemand>;

const IDENTITY = {
  /** Short name that messages carry as `sender_realm_str`. */
  string_id: Text,
  uuid: Text,
  /** UNIX seconds. */
  date_created: Type.Integer(),
  /** A deactivated organization refuses every login. */
  deactivated: Flag,
  name: text(MAX_REALM_NAME_LENGTH),
  /** Markdown. */
  description: text(MAX_REALM_DESCRIPTION_LENGTH),
  rendered_description: Text,
  org_type: oneOf(...ORG_TYPES),
  icon_source: oneOf('G', 'U'),
  icon_version: ImageVersion,
  /** Name of the uploaded picture's file; absent where there is none. */
  icon_file: Type.Optional(Text),
  logo_source: oneOf('D', 'U'),
  logo_version: ImageVersion,
  logo_file: Type.Optional(Text),
  night_logo_source: oneOf('D', 'U'),
  night_logo_version: ImageVersion,
  night_logo_file: Type.Optional(Text),
  default_language: Text,
  want_advertise_in_communities_directory: Flag,
  welcome_message_custom_text: text(MAX_WELCOME_MESSAGE_LENGTH),
};

const ACCOUNTS = {
  invite_required: Flag,
  emails_restricted_to_domains: Flag,
  disallow_disposable_email_addresses: Flag,
  require_unique_names: Flag,
  name_changes_disabled: Flag,
  email_changes_disabled: Flag,
  avatar_changes_disabled: Flag,
  /** Days until a member is a full member. */
  waiting_period_threshold: Type.Integer({ minimum: 0 }),
  default_avatar_source: oneOf('G', 'J'),
  send_welcome_emails: Flag,
  /** Login method to whether it is on; shown as `{enabled, available}`. */
  authentication_methods: Type.Record(Type.String(), Flag),
  /** Absent in organizations from before there was one: nobody. */
  require_two_factor: Type.Optional(TwoFactorDemand),
  enable_spectator_access: Flag,
  enable_guest_user_indicator: Flag,
  enable_guest_user_dm_warning: Flag,
  owner_full_content_access: Flag,
};

const MESSAGES = {
  allow_message_editing: Flag,
  message_content_edit_limit_seconds: TimeLimit,
  message_content_delete_limit_seconds: TimeLimit,
  move_messages_within_stream_limit_seconds: TimeLimit,
  move_messages_between_streams_limit_seconds: TimeLimit,
  message_edit_history_visibility_policy: oneOf('all', 'moves', 'none'),
  topics_policy: oneOf('allow_empty_topic', 'disable_empty_topic'),
  /** -1 keeps messages for ever. */
  message_retention_days: Type.Integer({ minimum: -1 }),
  enable_read_receipts: Flag,
  default_code_block_language: Text,
  inline_image_preview: Flag,
  inline_url_embed_preview: Flag,
  media_preview_size: Type.Integer({ minimum: 1 }),
  send_channel_events_messages: Flag,
  message_content_allowed_in_email_notifications: Flag,
  digest_emails_enabled: Flag,
  /** 0 is Monday. */
  digest_weekday: oneOf(0, 1, 2, 3, 4, 5, 6),
  moderation_request_channel_id: ChannelOrNone,
  new_stream_announcements_stream_id: ChannelOrNone,
  signup_announcements_stream_id: ChannelOrNone,
  zulip_update_announcements_stream_id: ChannelOrNone,
};

const SERVICES = {
  presence_disabled: Flag,
  require_e2ee_push_notifications: Flag,
  video_chat_provider: oneOf(0, 1, 3, 4, 5),
  jitsi_server_url: nullable(Text),
  gif_rating_policy: oneOf(0, 1, 2, 3, 4, 5),
  /** Null for no quota. */
  upload_quota_mib: nullable(Type.Integer({ minimum: 0 })),
};

type PermissionFields = { [K in RealmPermission]: typeof GroupSettingValue };

const PERMISSIONS = Object.fromEntries(
  REALM_PERMISSIONS.map((name) => [name, GroupSettingValue]),
) as PermissionFields;

type Fields = typeof IDENTITY &
  typeof ACCOUNTS &
  typeof MESSAGES &
  typeof SERVICES &
  PermissionFields;

/**
 * The stored organization: all properties of register-realm.md#realm that can change, without the prefix
 * `realm_`. Configuration, limits and derived properties (`realm_mandatory_topics`,
 * `realm_allow_edit_history`, `realm_wildcard_mention_policy`, URLs …) are not stored.
 */
export const RealmDocument: TObject<Fields> = Type.Object({
  ...IDENTITY,
  ...ACCOUNTS,
  ...MESSAGES,
  ...SERVICES,
  ...PERMISSIONS,
});
export type RealmDocument = Static<typeof RealmDocument>;

/** Properties of a new organization. */
export interface NewRealm {
  readonly name: string;
  readonly string_id: string;
  readonly uuid: string;
  /** UNIX seconds. */
  readonly date_created: number;
  /** Ids of the system groups, by name; they are created before the organization's document. */
  readonly groupIds: ReadonlyMap<SystemGroupName, number>;
}

/**
 * The permission settings of a fresh organization (register-realm.md#permission-settings).
 * @throws Error when a system group has no id
 */
export function defaultRealmPermissions(
  groupIds: ReadonlyMap<SystemGroupName, number>,
): Record<RealmPermission, GroupSettingValue> {
  const value = (name: RealmPermission): GroupSettingValue => {
    const group = REALM_PERMISSION_SETTINGS[name].default_group_name;
    const id = groupIds.get(group);
    if (id === undefined) throw new Error(`System group ${group} has no id`);
    return id;
  };
  const entries = REALM_PERMISSIONS.map((name) => [name, value(name)]);
  return Object.fromEntries(entries) as Record<RealmPermission, GroupSettingValue>;
}

const WEEK_SECONDS = 604_800;

const DEFAULT_IDENTITY = {
  deactivated: false,
  description: '',
  rendered_description: '',
  org_type: 0,
  icon_source: 'G',
  icon_version: 1,
  logo_source: 'D',
  logo_version: 1,
  night_logo_source: 'D',
  night_logo_version: 1,
  default_language: 'en',
  want_advertise_in_communities_directory: false,
  welcome_message_custom_text: '',
} as const;

const DEFAULT_ACCOUNTS = {
  invite_required: true,
  emails_restricted_to_domains: false,
  disallow_disposable_email_addresses: true,
  require_unique_names: false,
  name_changes_disabled: false,
  email_changes_disabled: false,
  avatar_changes_disabled: false,
  waiting_period_threshold: 0,
  default_avatar_source: 'G',
  send_welcome_emails: true,
  enable_spectator_access: false,
  enable_guest_user_indicator: true,
  enable_guest_user_dm_warning: true,
  owner_full_content_access: false,
} as const;

const DEFAULT_MESSAGES = {
  allow_message_editing: true,
  message_content_edit_limit_seconds: 600,
  message_content_delete_limit_seconds: 600,
  move_messages_within_stream_limit_seconds: WEEK_SECONDS,
  move_messages_between_streams_limit_seconds: WEEK_SECONDS,
  message_edit_history_visibility_policy: 'all',
  topics_policy: 'allow_empty_topic',
  message_retention_days: -1,
  // As in the reference, where only people who were invited see who has read what.
  enable_read_receipts: DEFAULT_ACCOUNTS.invite_required,
  default_code_block_language: '',
  inline_image_preview: true,
  inline_url_embed_preview: false,
  media_preview_size: 100,
  send_channel_events_messages: true,
  message_content_allowed_in_email_notifications: true,
  digest_emails_enabled: false,
  digest_weekday: 1,
  moderation_request_channel_id: -1,
  new_stream_announcements_stream_id: -1,
  signup_announcements_stream_id: -1,
  zulip_update_announcements_stream_id: -1,
} as const;

const DEFAULT_SERVICES = {
  presence_disabled: false,
  require_e2ee_push_notifications: false,
  // A new organization has no provider configured, so the button for calls would not work.
  video_chat_provider: 0,
  jitsi_server_url: null,
  gif_rating_policy: 2,
  upload_quota_mib: null,
} as const;

/**
 * The document of a fresh organization, defaults of register-realm.md#realm.
 * @throws Error when a system group has no id
 */
export function DEFAULT_REALM(realm: NewRealm): RealmDocument {
  const { groupIds, ...identity } = realm;
  return {
    ...DEFAULT_IDENTITY,
    ...identity,
    ...DEFAULT_ACCOUNTS,
    authentication_methods: { Email: true },
    ...DEFAULT_MESSAGES,
    ...DEFAULT_SERVICES,
    ...defaultRealmPermissions(groupIds),
  };
}

/** The stored documents of `realm`. */
export const realmCollection = collection('realm', RealmDocument);
