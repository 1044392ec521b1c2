import { parameterTexts } from '../parameter-texts.js';

/** Parameters about accounts, bots and profiles. */
export const userTexts = parameterTexts({
  user_id: 'Id of an account; system bots included where one reads.',
  'update-user.user_id': 'Id of the account to be changed, for administrators.',
  'get-user-by-email.email':
    'E-mail address of an account: the real one where the caller may see it, or the API address.',
  'create-user.email':
    'Address of the new account; it must be allowed by the organization’s domains and unused.',
  'update-user-by-email.email': 'E-mail address of the account to be changed, real or API address.',
  user_id_or_email: 'An account, by its id or its API e-mail address.',
  user_ids: ['Only these accounts; without it all that the caller may see.', [4]],
  full_name: 'Name that others see, 2 to 100 characters, without control characters.',
  role: 'Role of the account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody gives a role above their own.',
  password: 'Password: 8 to 100 characters, and not easily guessed.',
  include_custom_profile_fields:
    'Whether the values of custom profile fields are included as `profile_data`.',
  profile_data: [
    'Values of custom profile fields, as objects `{"id", "value"}`; null or an empty text removes one.',
    [{ id: 1, value: 'Elsinore' }],
  ],
  new_email: 'New address of the account, without confirmation. For administrators who may.',
  data: 'Values of own profile fields, as objects `{"id", "value"}`.',
  'remove-own-profile-data.data': 'Ids of the profile fields whose own values are removed.',
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
  field_id: 'Id of a custom profile field.',
  'create-custom-profile-field.name':
    'Name of the field, at most 40 characters; for external accounts the service has it.',
  'update-custom-profile-field.name': 'Name of the field, at most 40 characters.',
  hint: 'Help text for those who fill the field in, at most 80 characters.',
  field_type:
    'Kind of the field: 1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 people, 7 external account, 8 pronouns. It never changes.',
  field_data: [
    'Options by key as `{"text", "order"}` for a list; `{"subtype"}` for an external account, with `url_pattern` where that is `custom`.',
    { castle: { text: 'Elsinore', order: '1' } },
  ],
  'reorder-custom-profile-fields.order':
    'Ids of all profile fields, in the order in which they are shown.',
  display_in_profile_summary:
    'Whether the short form of a profile shows the field; at most two do.',
  required: 'Whether clients ask everybody to fill the field in.',
  editable_by_user: 'Whether people change their own value; otherwise administrators do.',
  use_for_user_matching:
    'Whether the value finds people when somebody types it in a mention; for short texts, lists and external accounts.',
});
