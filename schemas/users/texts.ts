/* Words that several things of this area share, or for which the file of the thing has no room. */
import { BOT, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Fields of accounts, bots, profiles and settings. */
export const FIELD_TEXTS = fieldTexts({
  user_id: ['Id of the user.', OWNER],
  email: [
    'API e-mail address of the user: the real one, or a made-up one where that is hidden.',
    'owner@example.com',
  ],
  full_name: ['Name of the user.', 'Hamlet'],
  date_joined: ['When the account was made, ISO 8601 in UTC.', '2026-01-31T09:00:00.000000+00:00'],
  is_active: 'Whether the account is active; false after deactivation.',
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
  rendered_value: ['The value as HTML, for fields that may have Markdown.', '<p>Elsinore</p>'],
  user: 'The account.',
  recovery_codes_left: ['Recovery codes that were not used.', 9],
  recovery_codes: [
    'Codes for users who lost the app, each for one login. Only this reply shows them.',
    ['k3uq-7fzn-2xwd-mbc4'],
  ],
  otpauth_url: [
    'The same as a link, which apps read from a QR code.',
    'otpauth://totp/Parley:hamlet%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Parley',
  ],
  api_key: [
    'API key, which goes with the API e-mail address as the password of HTTP Basic.',
    'cYyCKBfzHPzRNnJ1pTDsKvnrVJPYRpPN',
  ],

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
  avatar_source:
    'Where the picture comes from: `G` gravatar.com, `U` uploaded, `J` made by this server.',
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
});

/** Parameters about accounts, bots and profiles. */
export const PARAMETER_TEXTS = parameterTexts({
  user_id: 'Id of an account; system bots included where one reads.',
  user_ids: ['Only these accounts; without it all that the caller may see.', [4]],
  full_name: 'Name that others see, 2 to 100 characters, without control characters.',
  role: 'Role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody gives a role above their own.',
  profile_data: [
    'Values of custom profile fields, as objects `{"id", "value"}`; null or an empty text removes one.',
    [{ id: 1, value: 'Elsinore' }],
  ],
  new_email: 'New address of the account, without confirmation. For administrators who may.',
  bot_id: 'Id of a bot that the caller owns, or any for administrators.',
  bot_type:
    'Kind of bot: 1 generic, 2 incoming webhook, 3 outgoing webhook; 4 (embedded) is refused.',
  short_name:
    'First part of the bot’s address: it becomes `{short_name}-bot@` the organization’s host.',
  bot_owner_id: 'Id of the person the bot belongs to from now on.',
  payload_url: [
    'Address that an outgoing webhook posts to, `http` or `https`; other bots have none.',
    'https://bot.example.com/hook',
  ],
  interface_type: [
    'Form of what an outgoing webhook posts: 1 generic, 2 compatible with Slack.',
    1,
  ],
  service_payload_url: [
    'New address that an outgoing webhook posts to.',
    'https://bot.example.com/hook',
  ],
  service_interface: [
    'New form of what an outgoing webhook posts: 1 generic, 2 compatible with Slack.',
    1,
  ],
  service_name: [
    'Program of an embedded bot. Those are refused, so nothing reads it.',
    'converter',
  ],
  config_data: [
    'Settings of the bot: `webhook_secret`, with which a service signs what it sends to `POST /external/{integration}`; an empty one removes it.',
    { webhook_secret: 'something is rotten' },
  ],
  default_all_public_streams:
    'Whether the bot’s queues get messages of all public channels where the registration does not say.',
  storage: 'What the bot stores, as an object of texts; existing keys are replaced.',
  keys: ['Which of the stored keys; without it all.', ['act']],
  slim_presence:
    'Whether presences come by user id in the modern form instead of by e-mail address. Deprecated since level 263.',
  required: 'Whether clients ask everybody to fill the field in.',
});
