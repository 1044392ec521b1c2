import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { collection } from '../collection.js';
import { nullable, oneOf } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { isLanguage } from '../realm/languages.js';
import { text } from '../text.js';
import { isTimeZone } from '../time-zones.js';

/**
 * One personal setting: specification-resources.md#user-settings, settings.md#user-settings,
 * settings.md#user-settings-object.
 */
export interface Setting<T extends TSchema = TSchema> {
  /** What is stored and shown. */
  readonly schema: T;
  readonly default: Static<T>;
  /** An administrator cannot change it for others (`Cannot change this setting for other users.`). */
  readonly securitySensitive: boolean;
  /** Never in `realm_user_settings_defaults` (marked † in settings.md#user-settings-object). */
  readonly personal: boolean;
}

function setting<T extends TSchema>(schema: T, fallback: Static<T>): Setting<T> {
  return { schema, default: fallback, securitySensitive: false, personal: false };
}

function sensitive<T extends TSchema>(schema: T, fallback: Static<T>): Setting<T> {
  return { ...setting(schema, fallback), securitySensitive: true };
}

const Flag = Type.Boolean();
const on = setting(Flag, true);
const off = setting(Flag, false);

/**
 * Sounds that clients of the protocol have, so that no user who comes from another server loses the chosen one; `none`
 * is allowed beside them but not listed.
 */
export const NOTIFICATION_SOUNDS = [
  ...['ascend', 'beep_boop', 'bink', 'bright', 'brlip', 'chime', 'deep tom', 'ding', 'double tap'],
  ...['down', 'dry bongos', 'dutdut', 'fast ascend', 'flute', 'friendly', 'kick roll'],
  ...['loud tintong', 'metallic snare', 'pan', 'practicechat', 'shaker', 'simple', 'stairs'],
  ...['subtle', 'swish', 'tintong', 'up', 'wood block', 'zaping', 'zing', 'zulip'],
] as const;

/**
 * Emoji sets in display order. The contract names `text`, `emoji_set_a`, `emoji_set_b`; existing clients
 * know the other three. Each is stored and shown exactly as it was set (settings.md#user-settings).
 */
export const EMOJISET_CHOICES = [
  { key: 'google', text: 'Google' },
  { key: 'google-blob', text: 'Google blobs' },
  { key: 'twitter', text: 'Twitter' },
  { key: 'emoji_set_a', text: 'Emoji set A (modern)' },
  { key: 'emoji_set_b', text: 'Emoji set B' },
  { key: 'text', text: 'Plain text' },
] as const;

const Emojiset = oneOf('text', 'emoji_set_a', 'emoji_set_b', 'google', 'google-blob', 'twitter');
const TopicPolicy = oneOf(1, 2, 3, 4);

/** Longest time e-mail notifications may be batched: one week. */
export const MAX_BATCHING_PERIOD_SECONDS = 604_800;

/**
 * Every setting, in the order of specification.md and then of settings.md#user-settings. Where the pages
 * disagree register.md wins: `user_list_style` 3 (not 2), batching period from 0 (not 1),
 * `twenty_four_hour_time` may be null ("by locale").
 */
export const USER_SETTINGS = {
  twenty_four_hour_time: setting(nullable(Flag), false),
  web_mark_read_on_scroll_policy: setting(oneOf(1, 2, 3), 1),
  // The contract describes 3 but leaves it out of its enumeration.
  web_channel_default_view: setting(oneOf(1, 2, 3, 4), 1),
  starred_message_counts: on,
  receives_typing_notifications: on,
  web_suggest_update_timezone: on,
  fluid_layout_width: off,
  high_contrast_mode: off,
  web_font_size_px: setting(Type.Integer({ minimum: 1, maximum: 1000 }), 16),
  web_line_height_percent: setting(Type.Integer({ minimum: 1, maximum: 1000 }), 140),
  color_scheme: setting(oneOf(1, 2, 3), 1),
  enable_drafts_synchronization: on,
  translate_emoticons: off,
  display_emoji_reaction_users: on,
  default_language: setting(text(50), 'en'),
  web_home_view: setting(oneOf('recent', 'inbox', 'all_messages'), 'inbox'),
  web_escape_navigates_to_home_view: on,
  left_side_userlist: off,
  emojiset: setting(Emojiset, 'google'),
  demote_inactive_streams: setting(oneOf(1, 2, 3), 1),
  user_list_style: setting(oneOf(1, 2, 3), 3),
  web_animate_image_previews: setting(oneOf('always', 'on_hover', 'never'), 'on_hover'),
  web_stream_unreads_count_display_policy: setting(oneOf(1, 2, 3), 2),
  hide_ai_features: off,
  web_inbox_show_channel_folders: on,
  web_left_sidebar_show_channel_folders: on,
  web_left_sidebar_unreads_count_summary: on,
  timezone: { ...sensitive(text(50), ''), personal: true },
  enable_stream_desktop_notifications: off,
  enable_stream_email_notifications: off,
  enable_stream_push_notifications: off,
  enable_stream_audible_notifications: off,
  notification_sound: setting(text(50), 'zulip'),
  enable_desktop_notifications: on,
  enable_sounds: on,
  email_notifications_batching_period_seconds: setting(
    Type.Integer({ minimum: 0, maximum: MAX_BATCHING_PERIOD_SECONDS }),
    120,
  ),
  enable_offline_email_notifications: on,
  enable_offline_push_notifications: on,
  enable_online_push_notifications: on,
  enable_followed_topic_desktop_notifications: on,
  enable_followed_topic_email_notifications: on,
  enable_followed_topic_push_notifications: on,
  enable_followed_topic_audible_notifications: on,
  enable_digest_emails: sensitive(Flag, true),
  enable_marketing_emails: sensitive(Flag, true),
  enable_login_emails: sensitive(Flag, true),
  message_content_in_email_notifications: on,
  pm_content_in_desktop_notifications: on,
  wildcard_mentions_notify: on,
  enable_followed_topic_wildcard_mentions_notify: on,
  desktop_icon_count_display: setting(oneOf(1, 2, 3, 4), 1),
  realm_name_in_email_notifications_policy: setting(oneOf(1, 2, 3), 1),
  automatically_follow_topics_policy: setting(TopicPolicy, 3),
  automatically_unmute_topics_in_muted_streams_policy: setting(TopicPolicy, 2),
  automatically_follow_topics_where_mentioned: on,
  resolved_topic_notice_auto_read_policy: setting(
    oneOf('always', 'except_followed', 'never'),
    'except_followed',
  ),
  presence_enabled: sensitive(Flag, true),
  enter_sends: off,
  send_private_typing_notifications: sensitive(Flag, true),
  send_stream_typing_notifications: sensitive(Flag, true),
  send_read_receipts: sensitive(Flag, true),
  allow_private_data_export: sensitive(Flag, false),
  email_address_visibility: sensitive(oneOf(1, 2, 3, 4, 5), 1),
  web_navigate_to_sent_message: on,
} as const;

/** Name of a setting of a user. */
export type SettingName = keyof typeof USER_SETTINGS;

/** All setting names, in table order. */
export const SETTING_NAMES = Object.keys(USER_SETTINGS) as readonly SettingName[];

/** Whether users have a setting of this name. */
export function isUserSetting(name: string): name is SettingName {
  return Object.hasOwn(USER_SETTINGS, name);
}

type SettingSchemas = { [K in SettingName]: (typeof USER_SETTINGS)[K]['schema'] };

function column<K extends keyof Setting>(key: K): Record<SettingName, Setting[K]> {
  const entries = SETTING_NAMES.map((name) => [name, (USER_SETTINGS[name] as Setting)[key]]);
  return Object.fromEntries(entries) as Record<SettingName, Setting[K]>;
}

/** The effective settings of one user: every key present. */
export const UserSettings: TObject<SettingSchemas> = Type.Object(
  column('schema') as SettingSchemas,
);
export type UserSettings = Static<typeof UserSettings>;

/** Settings of somebody who never touched them. Shared: treat as immutable. */
export const DEFAULT_USER_SETTINGS: Readonly<UserSettings> = Object.freeze(
  column('default') as UserSettings,
);

/** Keys of the `user_settings` object that follow from the server, not from the user. */
export const DERIVED_USER_SETTINGS: {
  readonly available_notification_sounds: readonly string[];
  readonly emojiset_choices: readonly { readonly key: string; readonly text: string }[];
} = { available_notification_sounds: NOTIFICATION_SOUNDS, emojiset_choices: EMOJISET_CHOICES };

/** What `PATCH /realm/user_settings_defaults` does not take (endpoints-organization.md#change-organization). */
export const SETTINGS_WITHOUT_REALM_DEFAULT: readonly SettingName[] = [
  'default_language',
  'timezone',
  'allow_private_data_export',
  'enable_login_emails',
  'enable_marketing_emails',
];

/** Older spellings of setting values that clients still send (the contract, level 454). */
const VALUE_ALIASES: Readonly<Partial<Record<SettingName, Readonly<Record<string, string>>>>> = {
  web_home_view: { recent_topics: 'recent' },
};

/** The value to store for a value as sent: older spellings become today's, all else stays. */
export function normalizeSetting(name: SettingName, value: unknown): unknown {
  const aliases = VALUE_ALIASES[name];
  if (aliases === undefined || typeof value !== 'string') return value;
  return Object.hasOwn(aliases, value) ? aliases[value] : value;
}

type Fault = (value: unknown) => string | undefined;

const FAULTS: Readonly<Partial<Record<SettingName, Fault>>> = {
  default_language: (value) =>
    typeof value === 'string' && isLanguage(value) ? undefined : 'Invalid default_language',
  timezone: (value) =>
    typeof value === 'string' && isTimeZone(value)
      ? undefined
      : 'timezone is not a recognized time zone',
  notification_sound: (value) =>
    value === 'none' || (NOTIFICATION_SOUNDS as readonly unknown[]).includes(value)
      ? undefined
      : `Invalid notification sound '${String(value)}'`,
  email_notifications_batching_period_seconds: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_BATCHING_PERIOD_SECONDS
      ? undefined
      : `Invalid email batching period: ${String(value)} seconds`,
};

/**
 * What is wrong with a decoded value in words of its own (settings.md#user-settings, requests.md#invalid and
 * errors-by-endpoint.md#by-endpoint), or undefined. What the parameter's schema refuses never gets here.
 */
export function settingFault(name: SettingName, value: unknown): string | undefined {
  return FAULTS[name]?.(value);
}

/** Stored settings that differ from the defaults. */
const SomeSettings = Type.Partial(UserSettings);

/** Settings of new accounts. */
export const settingsDefaultsCollection = collection('realm_user_settings_defaults', SomeSettings);

/** Settings of a person, and the names of those they changed themselves. */
export const userSettingsCollection = collection(
  'user_settings',
  Type.Intersect([
    SomeSettings,
    Type.Object({ user_id: Type.Integer(), edited: Type.Array(Type.String()) }),
  ]),
);

/** events-personal.md#personal-data, `user_settings`; the name of the language only with `default_language`. */
export const UserSettingsUpdate = Type.Object(
  {
    type: Type.Literal('user_settings'),
    op: Type.Literal('update'),
    property: Type.String(),
    value: Type.Union([Type.Boolean(), Type.Integer(), Type.String(), Type.Null()]),
    language_name: Type.Optional(Type.String()),
  },
  exact,
);

/** The event of settings. */
export const userSettingEvents = events(UserSettingsUpdate);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'user_settings.property': ['Which setting of the user changed.', 'twenty_four_hour_time'],
  'user_settings.value': ['New value of the setting.', true],
  language_name: ['Name of the language in itself; only with `default_language`.', 'Deutsch'],
});
