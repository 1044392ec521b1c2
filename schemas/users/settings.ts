import Type from 'typebox';
import { endpoint, IdList, oneOf, optional, type Param } from '../endpoint.js';
import { GROUP, OPHELIA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_PARAMETER_LENGTH, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../limits.js';
import { checkedText, FullName, LongText, ShortText } from '../text.js';
import {
  MAX_BATCHING_PERIOD_SECONDS,
  NOTIFICATION_SOUNDS,
  SETTING_NAMES,
  type SettingName,
  USER_SETTINGS,
} from './user-settings.js';

/** Bulk change of other people's settings (specification-endpoints.md#update-settings; level 444). */
export const TargetUsers = Type.Object({
  user_ids: Type.Optional(IdList),
  group_ids: Type.Optional(IdList),
  /** Judged per setting: leave alone what a user once set themselves. False where it is left out. */
  skip_if_already_edited: Type.Optional(Type.Boolean()),
});

/**
 * Parameters wider than the stored value: the handler normalizes old spellings, and refuses in words
 * of its own (`normalizeSetting`, `settingFault`).
 */
const WIDER = {
  web_home_view: oneOf('recent', 'inbox', 'all_messages', 'recent_topics'),
  notification_sound: checkedText({ enum: [...NOTIFICATION_SOUNDS, 'none'] }),
  default_language: ShortText,
  timezone: ShortText,
  email_notifications_batching_period_seconds: Type.Integer({
    told: { minimum: 0, maximum: MAX_BATCHING_PERIOD_SECONDS },
  }),
} as const;

type Wider = typeof WIDER;

/** The parameter of each setting. */
export type SettingParams = {
  readonly [K in SettingName]: Param<
    K extends keyof Wider ? Wider[K] : (typeof USER_SETTINGS)[K]['schema'],
    'optional'
  >;
};

function settingParams(): SettingParams {
  const wider: Partial<Record<SettingName, Wider[keyof Wider]>> = WIDER;
  const entries = SETTING_NAMES.map((name) => [
    name,
    optional(wider[name] ?? USER_SETTINGS[name].schema),
  ]);
  return Object.fromEntries(entries) as SettingParams;
}

/** Every setting as an optional parameter, as `PATCH /settings` takes them. */
export const SETTING_PARAMS = settingParams();

const PARAMS = {
  ...SETTING_PARAMS,
  // Checked by the handler, in its own words.
  full_name: optional(FullName),
  email: optional(ShortText),
  old_password: optional(LongText),
  new_password: optional(
    checkedText(
      { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH },
      MAX_PARAMETER_LENGTH,
    ),
  ),
  target_users: optional(TargetUsers),
  regenerate_api_key: optional(Type.Boolean()),
};

/** The new key, where one was asked for. */
const Changed = Type.Object({ api_key: Type.Optional(Type.String()) });

const SHARED = {
  method: 'PATCH',
  access: 'human',
  params: PARAMS,
  response: Changed,
  errors: ['UNAUTHORIZED_PRINCIPAL', 'RATE_LIMIT_HIT'],
  events: ['user_settings', 'realm_user', 'presence', 'realm_export_consent', 'device'],
  level: 454,
} as const;

/** specification-endpoints.md#update-settings. */
export const updateSettings = endpoint({
  ...SHARED,
  operation: 'update-settings',
  path: '/settings',
  summary: "Change the caller's settings or, as an administrator, those of others",
  example: { twenty_four_hour_time: true },
});

/** Deprecated alias of `PATCH /settings` (level 80). */
export const updateDisplaySettings = endpoint({
  ...SHARED,
  operation: 'update-display-settings',
  path: '/settings/display',
  summary: 'Deprecated alias of PATCH /settings',
  example: { color_scheme: 2 },
});

/** Deprecated alias of `PATCH /settings` (level 80). */
export const updateNotificationSettings = endpoint({
  ...SHARED,
  operation: 'update-notification-settings',
  path: '/settings/notifications',
  summary: 'Deprecated alias of PATCH /settings',
  example: { enable_sounds: false },
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'target_users.user_ids': ['Users whose settings change, by id.', [OPHELIA]],
  'target_users.group_ids': ['Groups whose members’ settings change, by id.', [GROUP]],
  skip_if_already_edited: 'Whether a setting that a user once set themselves is left alone.',
});
