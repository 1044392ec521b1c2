import Type, { type TSchema } from 'typebox';
import { Empty, endpoint, oneOf, optional, type Param } from '../endpoint.js';
import {
  GroupSettingChange,
  REALM_PERMISSIONS,
  type RealmPermission,
} from '../groups/permissions.js';
import { MAX_REALM_DESCRIPTION_LENGTH, MAX_REALM_NAME_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText, text } from '../text.js';
import { SETTING_PARAMS } from '../users/settings.js';
import {
  SETTING_NAMES,
  type SettingName,
  SETTINGS_WITHOUT_REALM_DEFAULT,
} from '../users/user-settings.js';
import { RealmDocument, TwoFactorDemand } from './realm-document.js';

/**
 * Settings that a request carries just as they are stored, in the order of
 * endpoints-organization.md#change-organization.
 */
export const PLAIN_REALM_SETTINGS = [
  'org_type',
  'want_advertise_in_communities_directory',
  'enable_spectator_access',
  'invite_required',
  'emails_restricted_to_domains',
  'disallow_disposable_email_addresses',
  'require_unique_names',
  'send_welcome_emails',
  'welcome_message_custom_text',
  'name_changes_disabled',
  'email_changes_disabled',
  'avatar_changes_disabled',
  'default_avatar_source',
  'allow_message_editing',
  'message_edit_history_visibility_policy',
  'topics_policy',
  'enable_read_receipts',
  'inline_image_preview',
  'inline_url_embed_preview',
  'message_content_allowed_in_email_notifications',
  'digest_emails_enabled',
  'digest_weekday',
  'send_channel_events_messages',
  'enable_guest_user_indicator',
  'enable_guest_user_dm_warning',
  'gif_rating_policy',
  'require_e2ee_push_notifications',
  'presence_disabled',
] as const satisfies readonly (keyof RealmDocument)[];
type PlainSetting = (typeof PLAIN_REALM_SETTINGS)[number];

/** Time limits: seconds above 0, or `unlimited`. */
export const REALM_TIME_LIMITS = [
  'message_content_edit_limit_seconds',
  'message_content_delete_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
] as const satisfies readonly (keyof RealmDocument)[];

/** Channels for a purpose, -1 for none. */
export const REALM_CHANNELS = [
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'zulip_update_announcements_stream_id',
  'moderation_request_channel_id',
] as const satisfies readonly (keyof RealmDocument)[];

/** What only an owner may change (marked ° in endpoints-organization.md#change-organization). */
export const OWNERS_REALM_SETTINGS = [
  'invite_required',
  'emails_restricted_to_domains',
  'waiting_period_threshold',
  'message_retention_days',
  'authentication_methods',
  'require_two_factor',
  'create_multiuse_invite_group',
  'can_create_groups',
  'can_invite_users_group',
  'can_create_web_public_channel_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
] as const satisfies readonly (keyof RealmDocument)[];

/** Longest waiting period, in days: a hundred years. */
export const MAX_WAITING_PERIOD_DAYS = 36_500;
/** Heights of media previews that clients know, in percent of the usual one. */
const MEDIA_PREVIEW_SIZES = [100, 150, 200] as const;

type PlainParams = {
  readonly [K in PlainSetting]: Param<(typeof RealmDocument)['properties'][K], 'optional'>;
};
type PermissionParams = {
  readonly [K in RealmPermission]: Param<typeof GroupSettingChange, 'optional'>;
};

function each<K extends string>(names: readonly K[], param: (name: K) => Param): unknown {
  return Object.fromEntries(names.map((name) => [name, param(name)]));
}

const PLAIN_PARAMS = each(PLAIN_REALM_SETTINGS, (name) =>
  optional(RealmDocument.properties[name] as TSchema),
) as PlainParams;

const PERMISSION_PARAMS = each(REALM_PERMISSIONS, () =>
  optional(GroupSettingChange),
) as PermissionParams;

/** A number, or a word for a special one; which, is the handler's to check. */
const numberOrWord = () => optional(Type.Union([Type.Integer(), ShortText]), { wire: 'lenient' });
const channel = () => optional(Type.Integer({ minimum: -1 }));

/** endpoints-organization.md#change-organization; what only owners may change is refused to administrators. */
export const updateRealm = endpoint({
  operation: 'update-realm',
  method: 'PATCH',
  path: '/realm',
  access: 'administrator',
  summary: "Change the organization's settings",
  params: {
    // Its length is counted when the blanks around it are gone.
    name: optional(checkedText({ minLength: 1, maxLength: MAX_REALM_NAME_LENGTH })),
    description: optional(text(MAX_REALM_DESCRIPTION_LENGTH)),
    string_id: optional(ShortText, {
      example: 'elsinore',
      description: 'Only demo organizations have another one',
    }),
    default_language: optional(ShortText),
    waiting_period_threshold: optional(
      Type.Integer({ minimum: 0, maximum: MAX_WAITING_PERIOD_DAYS }),
    ),
    ...PLAIN_PARAMS,
    message_content_edit_limit_seconds: numberOrWord(),
    message_content_delete_limit_seconds: numberOrWord(),
    move_messages_within_stream_limit_seconds: numberOrWord(),
    move_messages_between_streams_limit_seconds: numberOrWord(),
    message_retention_days: numberOrWord(),
    default_code_block_language: optional(text(100)),
    media_preview_size: optional(oneOf(...MEDIA_PREVIEW_SIZES)),
    new_stream_announcements_stream_id: channel(),
    signup_announcements_stream_id: channel(),
    zulip_update_announcements_stream_id: channel(),
    moderation_request_channel_id: channel(),
    video_chat_provider: optional(Type.Integer()),
    jitsi_server_url: optional(ShortText, { wire: 'lenient' }),
    authentication_methods: optional(Type.Record(Type.String(), Type.Boolean())),
    require_two_factor: optional(TwoFactorDemand),
    ...PERMISSION_PARAMS,
  },
  response: Empty,
  errors: [
    'UNAUTHORIZED_PRINCIPAL',
    'REQUEST_VARIABLE_INVALID',
    'EXPECTATION_MISMATCH',
    'SYSTEM_GROUP_REQUIRED',
  ],
  example: { description: 'The *court* at Elsinore', enable_read_receipts: true },
  events: ['realm', 'user_group', 'stream', 'subscription'],
});

/** endpoints-organization.md#change-organization: nobody can log in afterwards. */
export const deactivateRealm = endpoint({
  operation: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  access: 'owner',
  summary: 'Deactivate the organization',
  params: {
    deletion_delay_days: optional(Type.Integer({ minimum: 0 }), { nullMeansAbsent: true }),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: ['realm'],
});

/** Settings of which an organization can say what new accounts start with. */
export type DefaultableSetting = Exclude<
  SettingName,
  | 'default_language'
  | 'timezone'
  | 'allow_private_data_export'
  | 'enable_login_emails'
  | 'enable_marketing_emails'
>;
/** The settings for which the organization gives new accounts a value of its own. */
export const DEFAULTABLE_SETTINGS = SETTING_NAMES.filter(
  (name) => !SETTINGS_WITHOUT_REALM_DEFAULT.includes(name),
) as readonly DefaultableSetting[];

const DEFAULT_PARAMS = Object.fromEntries(
  DEFAULTABLE_SETTINGS.map((name) => [name, SETTING_PARAMS[name]]),
) as Pick<typeof SETTING_PARAMS, DefaultableSetting>;

/** endpoints-organization.md#change-organization: values that accounts created later start with. */
export const updateSettingsDefaults = endpoint({
  operation: 'update-realm-user-settings-defaults',
  method: 'PATCH',
  path: '/realm/user_settings_defaults',
  access: 'administrator',
  summary: 'Change the settings that new accounts start with',
  params: DEFAULT_PARAMS,
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { enter_sends: true },
  events: ['realm_user_settings_defaults'],
  level: 96,
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'update-realm.message_retention_days': [
    'Days after which messages are deleted, direct messages included, where a channel has no period of its own: a number, or `unlimited` (-1) to keep them for ever. The server carries it out within the hour, and the operator can restore what went for a while. For owners.',
    365,
  ],
  'update-realm.topics_policy':
    'Whether messages may have the empty topic, unless a channel says otherwise: `allow_empty_topic` or `disable_empty_topic`.',
  'update-realm.welcome_message_custom_text': [
    'Second greeting that the Welcome Bot sends to new accounts, in Markdown, at most 8000 code points; empty for none.',
    'Welcome to **Elsinore**',
  ],
  'update-realm.name': 'Name of the organization, at most 40 characters.',
  'update-realm.description': 'What the organization is for, in Markdown, at most 1000 characters.',
  waiting_period_threshold: [
    'Days until a member counts as a full member; moderators and above always do.',
    3,
  ],
  org_type:
    'Kind of organization, as a hint for clients: 0 unspecified, 10 business, 20 open source, 30 education (non-profit), 35 education, 40 research, 50 event, 60 non-profit, 70 government, 80 political group, 90 community, 100 personal, 1000 other.',
  want_advertise_in_communities_directory:
    'Whether a directory of open communities may list the organization; there is none here.',
  enable_spectator_access: 'Refused where true: nothing is shown to visitors without an account.',
  invite_required: 'Whether only invited people can make an account.',
  emails_restricted_to_domains: 'Whether only addresses of the allowed domains can have accounts.',
  disallow_disposable_email_addresses: 'Whether addresses of throw-away mail services are refused.',
  require_unique_names: 'Whether two accounts may not have names that look alike.',
  require_two_factor:
    'Of whom a second factor is demanded where their password opens the account: `nobody`, `administrators` (and owners), or `everyone`; bots are exempt. Who has none sets it up before anything else. For owners, who need one of their own first.',
  send_welcome_emails: 'Whether new accounts get mails that introduce the product.',
  name_changes_disabled: 'Whether only administrators change names.',
  email_changes_disabled: 'Whether only administrators change e-mail addresses.',
  avatar_changes_disabled: 'Whether only administrators change pictures.',
  presence_disabled: 'Whether presence is disabled: neither shown nor recorded.',
  default_avatar_source:
    'Picture of accounts without one: `G` from gravatar.com, `J` a pattern made by this server.',
  allow_message_editing: 'Whether authors may edit the text of their messages.',
  message_edit_history_visibility_policy:
    'What edit histories show: `all`, `moves` only, or `none`.',
  enable_read_receipts: 'Whether people can see who has read a message.',
  inline_image_preview:
    'Whether uploaded pictures and videos, and pictures elsewhere where the server fetches them, are shown below the messages that link them.',
  inline_url_embed_preview:
    'Whether messages show what the web pages that they link say of themselves, where the server asks them.',
  message_content_allowed_in_email_notifications:
    'Whether mails about missed messages may quote them.',
  digest_emails_enabled:
    'Whether weekly digests are mailed to users who have been absent for 5 days; refused if the server has no mail server.',
  digest_weekday: 'Day of digests: 0 Monday to 6 Sunday, from 9:00 UTC on.',
  send_channel_events_messages: 'Whether a notice in a channel announces changes of the channel.',
  enable_guest_user_indicator: 'Whether clients mark guests in their names.',
  enable_guest_user_dm_warning: 'Whether clients warn before a direct message to a guest.',
  gif_rating_policy: 'Which GIFs the picker offers: 0 none, 1 y, 2 g, 3 pg, 4 pg-13, 5 r.',
  require_e2ee_push_notifications:
    'Whether notifications go only to devices that can decrypt them; others get none.',
  default_code_block_language: [
    'Language that code blocks without one are highlighted as; empty for none.',
    'Python',
  ],
  'update-realm.default_language': [
    'Language of new accounts and of mails to people without one, as a code such as `de`.',
    'de',
  ],
  media_preview_size: [
    'Height of previews of pictures and videos, in percent of the usual one; a hint for clients.',
    100,
  ],
  video_chat_provider: [
    'Service for video calls that clients offer: 0 none, 1 Jitsi; 4 BigBlueButton and 5 Zoom where the operator configured them.',
    1,
  ],
  jitsi_server_url: [
    'Address of the Jitsi server for calls, or `default` for the one clients know.',
    'https://meet.example.com',
  ],
  deletion_delay_days: [
    'Days until the data of a deactivated organization would be deleted; refused here with the deactivation.',
    14,
  ],
});
