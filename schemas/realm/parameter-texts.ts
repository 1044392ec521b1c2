import { GENERAL } from '../example-values.js';
import { parameterTexts } from '../parameter-texts.js';

const LIMIT = 'Seconds after sending, or `unlimited`.';
const NOTICES = 'A channel’s id, or -1 for nowhere.';
const GSV =
  'A group’s id, or an object with `direct_members` and `direct_subgroups`, sent as `{"new", "old"}` with the value the caller believes to be there.';

/** Parameters about the organization. */
export const realmTexts = parameterTexts({
  'get-audit-log.before': ['Only records older than the one with this id.', 1200],
  'get-audit-log.limit': ['Maximum number of records, 1 to 200.', 50],
  'get-audit-log.user_id': 'Only what this user changed.',
  'get-audit-log.kind': 'Only records with a change of this kind.',
  'get-audit-log.subject_id': [
    'Only records with a change of the thing with this id; 0 is the organization.',
    0,
  ],
  'update-realm.message_retention_days': [
    'Days after which messages are deleted, direct messages included, where a channel has no period of its own: a number, or `unlimited` (-1) to keep them for ever. The server carries it out within the hour, and the operator can restore what went for a while. For owners.',
    365,
  ],
  'update-realm.topics_policy':
    'Whether messages may have the empty topic, unless a channel says otherwise: `allow_empty_topic` or `disable_empty_topic`.',
  'fetch-api-key.password': 'Password of the account, or the one in the directory.',
  username:
    'E-mail address of the account, or its name in the directory (see `require_email_format_usernames` in the server’s settings).',
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
  message_content_edit_limit_seconds: [
    `How long authors may edit the text of a message. ${LIMIT}`,
    600,
  ],
  message_content_delete_limit_seconds: [
    `How long authors may delete a message of theirs. ${LIMIT}`,
    600,
  ],
  move_messages_within_stream_limit_seconds: [
    `How long messages may be moved to another topic. ${LIMIT}`,
    604_800,
  ],
  move_messages_between_streams_limit_seconds: [
    `How long messages may be moved to another channel. ${LIMIT}`,
    604_800,
  ],
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
  new_stream_announcements_stream_id: [
    `Where new public channels are announced. ${NOTICES}`,
    GENERAL,
  ],
  signup_announcements_stream_id: [`Where new accounts are announced. ${NOTICES}`, GENERAL],
  zulip_update_announcements_stream_id: [
    `Where news of the software are announced. ${NOTICES}`,
    -1,
  ],
  moderation_request_channel_id: [
    `Where reports of messages go; a private channel. ${NOTICES}`,
    -1,
  ],
  video_chat_provider: [
    'Service for video calls that clients offer: 0 none, 1 Jitsi; 4 BigBlueButton and 5 Zoom where the operator configured them.',
    1,
  ],
  jitsi_server_url: [
    'Address of the Jitsi server for calls, or `default` for the one clients know.',
    'https://meet.example.com',
  ],
  authentication_methods: [
    'Which ways to log in are allowed, as an object of booleans by name; at least one must stay. For owners.',
    { Email: true },
  ],
  create_multiuse_invite_group: `Who may make reusable invitation links. ${GSV}`,
  can_access_all_users_group: `Who sees all accounts; guests outside it see those they share a channel or conversation with. Only \`role:everyone\` or \`role:members\`. ${GSV}`,
  can_add_custom_emoji_group: `Who may add custom emoji. ${GSV}`,
  can_create_bots_group: `Who may make bots of any kind. ${GSV}`,
  can_create_write_only_bots_group: `Who may make incoming webhook bots. ${GSV}`,
  can_create_groups: `Who may make user groups. ${GSV}`,
  can_create_public_channel_group: `Who may make public channels. ${GSV}`,
  can_create_private_channel_group: `Who may make private channels. ${GSV}`,
  can_create_web_public_channel_group: `Who could make web-public channels, which this server does not serve. ${GSV}`,
  can_invite_users_group: `Who may invite people by mail. ${GSV}`,
  can_manage_all_groups: `Who may change every user group. ${GSV}`,
  can_manage_billing_group: `Who would manage a paid plan; there is none here. ${GSV}`,
  can_mention_many_users_group: `Who may use \`@all\` in large channels and topics. ${GSV}`,
  can_move_messages_between_channels_group: `Who may move messages to another channel. ${GSV}`,
  can_move_messages_between_topics_group: `Who may move messages to another topic. ${GSV}`,
  can_set_delete_message_policy_group: `Who may say, for a channel they administer, who deletes messages there. ${GSV}`,
  can_set_topics_policy_group: `Who may change the \`topics_policy\` of a channel they administer. ${GSV}`,
  can_summarize_topics_group: `Who could have topics summarized, which this server does not do. ${GSV}`,
  direct_message_initiator_group: `Who may begin a direct conversation. ${GSV}`,
  direct_message_permission_group: `Users at least one of whom must be in every direct conversation. ${GSV}`,
  workplace_users_group: `Who counts as an employee for a paid plan; there is none here. ${GSV}`,
  deletion_delay_days: [
    'Days until the data of a deactivated organization would be deleted; refused here with the deactivation.',
    14,
  ],
  filter_id: 'Which linkifier, by its number from `GET /realm/linkifiers`.',
  pattern:
    'Regular expression with named groups such as `(?P<id>[0-9]+)`, for what is turned into a link.',
  url_template: 'RFC 6570 template of the link; `{id}` stands for the group `id` of the pattern.',
  example_input:
    'Text that the pattern matches; needed with `reverse_template`, which is checked with it.',
  alternative_url_templates: [
    'Further RFC 6570 templates whose links are turned back into text.',
    ['https://old-tracker.example.com/{id}'],
  ],
  ordered_linkifier_ids: 'Ids of all linkifiers, in the order in which they are tried.',
  domain: 'Name of the domain, such as `example.com`, in any case of its letters.',
  allow_subdomains: 'Whether addresses of its subdomains are allowed too.',
  'add-code-playground.name': 'Name of the playground, as clients show it.',
  pygments_language: 'Language of the code blocks it is for, as Pygments names it.',
  playground_id: 'Which playground, by its number from `realm_playgrounds`.',
  order: 'Ids of all of them, in the order in which they are shown.',
  'upload-custom-emoji.emoji_name': 'Name of the new emoji: small letters, digits, `-` and `_`.',
  'deactivate-custom-emoji.emoji_name':
    'Which custom emoji is put away; messages that use it still show it.',
});
