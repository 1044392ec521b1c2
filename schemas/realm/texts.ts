/* Words that several things of this area share, or for which the file of the thing has no room. */
import { GENERAL, OWNER, SENT } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

const EMOJI = {
  id: '1',
  name: 'skull',
  source_url: '/user_avatars/emoji/1.png',
  still_url: null,
  deactivated: false,
  author_id: OWNER,
};

/** Fields of the organization and of what belongs to it. */
export const FIELD_TEXTS = fieldTexts({
  'realm.realm_id': ['Number of the organization; always 1.', 1],
  emoji: ['Custom emoji by id.', { 1: EMOJI }],
  'realm_emoji.emoji': ['The new emoji.', EMOJI],
  'realm_emoji.realm_emoji': ['All custom emoji by id.', { 1: EMOJI }],

  domain: ['The domain.', 'example.com'],
  icon_source: 'Where the icon comes from: `G` a default one, `U` uploaded.',
  logo_source: 'Where that logo comes from: `D` a default one, `U` uploaded.',
  night_logo_source:
    'Where the logo for dark backgrounds comes from: `D` a default one, `U` uploaded.',

  /* Events. */
  'realm.property': [
    'Setting of the organization that changed; with `data` several at once.',
    'name',
  ],
  'realm.data': 'What changed, with its new value.',
  'realm.message_content_edit_limit_seconds': [
    'Seconds for which authors may edit a message of theirs; null without a limit.',
    600,
  ],
  'realm.mandatory_topics':
    'Older form of `topics_policy`: whether every channel message needs a topic.',
  'realm.rendered_description': [
    'The description as HTML.',
    '<p>The <em>court</em> at Elsinore</p>',
  ],
  'realm.authentication_methods': [
    'All ways to log in by name.',
    { Email: { enabled: true, available: true } },
  ],
  enabled: 'Whether the organization allows it.',
  available: 'Whether the server can offer it.',
  'test-welcome-bot-custom-message.message_id': [
    'Id of the greeting that was sent to the caller.',
    SENT,
  ],
});

const LIMIT = 'Seconds after sending, or `unlimited`.';

const NOTICES = 'A channel’s id, or -1 for nowhere.';

const GSV =
  'A group’s id, or an object with `direct_members` and `direct_subgroups`, sent as `{"new", "old"}` with the value the caller believes to be there.';

/** Parameters about the organization. */
export const PARAMETER_TEXTS = parameterTexts({
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
  url_template: 'RFC 6570 template of the link; `{id}` stands for the group `id` of the pattern.',
  domain: 'Name of the domain, such as `example.com`, in any case of its letters.',
});
