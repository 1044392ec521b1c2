import { fieldTexts } from '../field-texts.js';
import { BOT, GENERAL, GROUP, OPHELIA, OWNER, SENT } from '../example-values.js';

/** Fields of accounts, bots, profiles and settings. */
export const userFields = fieldTexts({
  user_id: ['Id of the user.', OWNER],
  email: [
    'API e-mail address of the user: the real one, or a made-up one where that is hidden.',
    'owner@example.com',
  ],
  delivery_email: [
    'Real e-mail address; null where the caller may not see it.',
    'owner@example.com',
  ],
  full_name: ['Name of the user.', 'Hamlet'],
  date_joined: ['When the account was made, ISO 8601 in UTC.', '2026-01-31T09:00:00.000000+00:00'],
  is_active: 'Whether the account is active; false after deactivation.',
  is_owner: 'Whether the user is an owner of the organization.',
  is_admin: 'Whether the user is an administrator; true for owners.',
  is_guest: 'Whether the user is a guest, who sees only what they are let in.',
  is_bot: 'Whether the account is that of a program.',
  bot_type: [
    'Kind of bot: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; null for people.',
    1,
  ],
  bot_owner_id: [
    'User id of the bot’s owner; null for people, and for bots without an owner.',
    OWNER,
  ],
  role: ['Role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.', 400],
  timezone: ['Time zone of the user by its IANA name; empty where unknown.', 'Europe/Copenhagen'],
  avatar_url: [
    'Address of the picture; may be relative. Null where `client_gravatar` lets the client compute it.',
    '/avatar/4?version=1',
  ],
  avatar_version: [
    'Increases with each new picture of the user, so that caches can tell them apart.',
    1,
  ],
  presence_enabled:
    'Whether the user shares their presence; clients show those as offline who do not. True for bots, which have none.',
  is_imported_stub:
    'Whether the account came with imported data and nobody has logged in to it yet.',
  is_deleted: 'True for accounts that were deleted for good; else left out.',
  is_system_bot: 'True for bots of the server itself; else left out.',
  profile_data: [
    'Values of custom profile fields by field id; only where they were asked for, and of people.',
    { 1: { value: 'Elsinore' } },
  ],
  'profile_data.value': [
    'Value of the field: a text, a date, a link, the key of an option, or user ids as JSON text.',
    'Elsinore',
  ],
  'profile_data.id': ['Id of the custom profile field.', 1],
  'data.id': ['Id of the custom profile field.', 1],
  'data.value': ['Value of the field; null or an empty text removes it.', 'Elsinore'],
  rendered_value: ['The value as HTML, for fields that may have Markdown.', '<p>Elsinore</p>'],
  'get-own-user.max_message_id': [
    'Id of the newest message the caller received, -1 without one. Deprecated: the reply of `POST /register` has it.',
    SENT,
  ],
  'get-users.members': 'Accounts the caller may see, deactivated ones and bots included.',
  user: 'The account.',
  'create-user.user_id': ['Id of the new account.', OPHELIA],
  'get-two-factor.enabled': 'Whether logins by password need a code.',
  recovery_codes_left: ['Recovery codes that were not used.', 9],
  recovery_codes: [
    'Codes for users who lost the app, each for one login. Only this reply shows them.',
    ['k3uq-7fzn-2xwd-mbc4'],
  ],
  'begin-two-factor.secret': [
    'The secret in the form that people type into an app.',
    'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  ],
  otpauth_url: [
    'The same as a link, which apps read from a QR code.',
    'otpauth://totp/Parley:hamlet%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Parley',
  ],
  api_key: [
    'API key, which goes with the API e-mail address as the password of HTTP Basic.',
    'cYyCKBfzHPzRNnJ1pTDsKvnrVJPYRpPN',
  ],
  subscribed_channel_ids: [
    'Channels the user is subscribed to and the caller may know of, by id.',
    [GENERAL],
  ],
  is_subscribed: 'Whether the user is subscribed to the channel.',

  bots: 'Active bots of the caller.',
  username: ['API e-mail address of the bot.', 'yorick-bot@example.com'],
  'bots.full_name': ['Name of the bot.', 'Yorick'],
  default_all_public_streams:
    'Whether the bot’s queues get messages of all public channels where the registration does not say.',
  default_sending_stream: [
    'Channel, by name, to which the bot writes by default; null for none.',
    'general',
  ],
  default_events_register_stream: [
    'Channel, by name, of which the bot’s queues get messages by default; null for all.',
    'general',
  ],
  'create-bot.user_id': ['Id of the new bot.', BOT],
  'update-bot.full_name': ['Name of the bot.', 'Alas Yorick'],
  'update-bot.service_interface': [
    'Form of what an outgoing webhook posts; null for other bots.',
    null,
  ],
  'update-bot.service_payload_url': [
    'Address that an outgoing webhook posts to; null for other bots.',
    null,
  ],
  'update-bot.config_data': [
    'What the bot is configured with, such as the secret of its webhooks; null without any.',
    null,
  ],
  bot_owner: [
    'API e-mail address of the new owner; only where the owner changed.',
    'owner@example.com',
  ],
  'get-bot-storage.storage': ['Stored texts by key.', { act: 'five' }],

  'ProfileField.id': ['Id of the field.', 1],
  'create-custom-profile-field.id': ['Id of the new field.', 1],
  'ProfileField.type': [
    'Kind: 1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 people, 7 external account, 8 pronouns.',
    1,
  ],
  'ProfileField.order': ['Place among all fields, from 1.', 1],
  'ProfileField.name': ['Name of the field.', 'Castle'],
  'ProfileField.hint': ['Help for those who fill it in; may be empty.', 'Where you live'],
  'ProfileField.field_data': [
    'More about fields of the kinds 3 and 7, as JSON text; empty for others.',
    '',
  ],
  'field_data.text': ['Text of the choice.', 'Elsinore'],
  'field_data.order': ['Place of the choice among the others, as text.', '1'],
  'field_data.subtype': ['Which site: a key of the server’s list, or `custom`.', 'github'],
  'field_data.url_pattern': [
    'Address of a person’s page at a `custom` site, with `%(username)s`.',
    'https://example.com/%(username)s',
  ],
  'ProfileField.required': 'Whether clients ask everybody to fill it in.',
  'ProfileField.editable_by_user':
    'Whether people change their own value; otherwise administrators do.',
  'ProfileField.display_in_profile_summary':
    'True where the short form of a profile shows it; else left out.',
  'ProfileField.use_for_user_matching':
    'True where the value finds people in mentions; else left out.',
  custom_fields: 'The fields in their order.',

  'deactivate-user.delete_profile': 'Whether to delete the profile; true is refused.',
  'deactivate-user.delete_public_channel_messages':
    'Whether to delete messages in public channels; true is refused.',
  'deactivate-user.delete_private_channel_messages':
    'Whether to delete messages in private channels; true is refused.',
  'deactivate-user.delete_direct_messages': 'Whether to delete direct messages; true is refused.',

  'target_users.user_ids': ['Users whose settings change, by id.', [OPHELIA]],
  'target_users.group_ids': ['Groups whose members’ settings change, by id.', [GROUP]],
  skip_if_already_edited: 'Whether a setting that a user once set themselves is left alone.',

  /* Events. */
  person: 'The account: whole where it is new, otherwise its id and what changed.',
  'person.full_name': ['Name of the user.', 'Hamlet'],
  avatar_source:
    'Where the picture comes from: `G` gravatar.com, `U` uploaded, `J` made by this server.',
  avatar_url_medium: [
    'Address of the picture, 500 pixels wide; may be relative.',
    '/avatar/4/medium?version=1',
  ],
  custom_profile_field: 'The value that changed.',
  'custom_profile_field.id': ['Id of the custom profile field.', 1],
  'custom_profile_field.value': ['New value as text; null where it was removed.', 'Elsinore'],
  new_email: ['New API e-mail address.', 'prince@example.com'],
  bot: 'The bot: its defaults where they are new or changed, always its id.',
  'realm_bot.user_id': ['Id of the bot.', BOT],
  services: ['Where an outgoing webhook posts to; empty for other bots.', []],
  'BotService.base_url': ['Address that it posts to.', 'https://bot.example.com/hook'],
  'BotService.interface': ['Form of what it posts: 1 generic, 2 compatible with Slack.', 1],
  'BotService.token': [
    'By which the address knows that this server posts.',
    'l4c3YpxPBCyEVfT9ZWuFQzAyrzZeYvBh',
  ],
  'custom_profile_fields.fields': 'All fields in their order.',
  'user_settings.property': ['Which setting of the user changed.', 'twenty_four_hour_time'],
  'user_settings.value': ['New value of the setting.', true],
  language_name: ['Name of the language in itself; only with `default_language`.', 'Deutsch'],
});
