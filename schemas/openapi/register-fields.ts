import type { Json } from './json-schema.js';

const int = (description: string): Json => ({ type: 'integer', description });
const num = (description: string): Json => ({ type: 'number', description });
const str = (description: string): Json => ({ type: 'string', description });
const bool = (description: string): Json => ({ type: 'boolean', description });
const list = (description: string, items: Json = {}): Json => ({
  type: 'array',
  items,
  description,
});
const map = (description: string): Json => ({ type: 'object', description });
const orNull = ({ type, ...rest }: Json): Json => ({ type: [type, 'null'], ...rest });

const INTS = { type: 'integer' };
const TEXTS = { type: 'string' };

/** What is always there; the descriptor of the endpoint has their types. */
export const ALWAYS: Readonly<Record<string, string>> = {
  queue_id: 'Id of the queue, for `GET /events`.',
  last_event_id: 'Cursor that goes with this snapshot: the first poll sends it as `last_event_id`.',
  zulip_version: 'Version of the protocol this server speaks.',
  zulip_feature_level:
    'Newest feature level this server has; the changes of the interface are numbered by it.',
  zulip_merge_base: 'The same as `zulip_version`.',
  idle_queue_timeout_secs: 'Seconds without a request after which the queue ends. Since level 478.',
};

/** Section `realm`: limits, times and abilities of the server. */
export const SERVER_FIELDS: Readonly<Record<string, Json>> = {
  max_message_length: int('Longest text of a message, in code points.'),
  max_topic_length: int('Longest topic, in code points.'),
  max_stream_name_length: int('Longest name of a channel, in code points.'),
  max_stream_description_length: int('Longest description of a channel, in code points.'),
  max_channel_folder_name_length: int('Longest name of a folder, in code points.'),
  max_channel_folder_description_length: int('Longest description of a folder, in code points.'),
  max_reminder_note_length: int('Longest note of a reminder, in code points.'),
  max_bulk_new_subscription_messages: int(
    'People that may be subscribed at once and told by a direct message.',
  ),
  max_file_upload_size_mib: int('Largest uploaded file, in MiB.'),
  max_avatar_file_size_mib: int('Largest picture of a person, in MiB.'),
  max_icon_file_size_mib: int('Largest icon of the organization, in MiB.'),
  max_logo_file_size_mib: int('Largest logo of the organization, in MiB.'),
  realm_upload_quota_mib: orNull(
    int('Space for all uploaded files, in MiB; null without a limit.'),
  ),
  event_queue_longpoll_timeout_seconds: int(
    'Seconds after which a client may give up a poll: longer than the time between heartbeats.',
  ),
  server_presence_ping_interval_seconds: int(
    'Seconds between two calls by which a client tells that its person is there.',
  ),
  server_presence_offline_threshold_seconds: int(
    'Seconds without such a call after which somebody counts as away.',
  ),
  server_typing_started_wait_period_milliseconds: int(
    'Milliseconds between two notices that somebody is still typing.',
  ),
  server_typing_stopped_wait_period_milliseconds: int(
    'Milliseconds without a key after which a client tells that typing ended.',
  ),
  server_typing_started_expiry_period_milliseconds: int(
    'Milliseconds after which a notice of typing is forgotten without a new one.',
  ),
  server_generation: int(
    'When the serving process began, UNIX seconds; clients reload when it changes.',
  ),
  server_needs_upgrade: bool('Whether the server is too old for its clients; always false.'),
  development_environment: bool('Whether the server is one for developing; always false.'),
  server_min_deactivated_realm_deletion_days: int(
    'Days for which a deactivated organization would at least be kept.',
  ),
  server_max_deactivated_realm_deletion_days: orNull(
    int('Days for which it would be kept at most; null without a limit.'),
  ),
  server_name_changes_disabled: bool('Whether the server itself forbids changes of names.'),
  server_avatar_changes_disabled: bool('Whether the server itself forbids changes of pictures.'),
  server_web_public_streams_enabled: bool(
    'Whether channels can be shown to visitors without an account; always false.',
  ),
  server_inline_image_preview: bool('Whether the server allows previews of pictures.'),
  server_inline_url_embed_preview: bool(
    'Whether the server makes previews of linked pages; always false.',
  ),
  server_thumbnail_formats: list(
    'Sizes in which pictures are offered: none, clients show the picture itself.',
  ),
  server_emoji_data_url: str('Address of the JSON file that has the names of all emoji by code.'),
  server_report_message_types: list(
    'Reasons for reporting a message, each with `key` and `name`. Since level 435.',
    { type: 'object' },
  ),
  server_can_summarize_topics: bool('Whether topics can be summarized; always false.'),
  server_jitsi_server_url: orNull(str('Address of the server’s own Jitsi; null without one.')),
  server_supported_permission_settings: map(
    'Which groups each permission of `realm`, `stream` and `group` may be given to, with its default.',
  ),
  password_min_length: int('Shortest password, in characters.'),
  password_max_length: int('Longest password, in characters.'),
  password_min_guesses: int('Guesses a password must withstand by the estimate of zxcvbn.'),
};

/** Section `realm`: what the organization is, beside its settings. */
export const IDENTITY_FIELDS: Readonly<Record<string, Json>> = {
  realm_url: str('Public address of the organization, without a path.'),
  realm_uri: str('Older name of `realm_url`.'),
  realm_bot_domain: str('Domain of the addresses of bots and of placeholders.'),
  realm_plan_type: int('Kind of plan: 1, self-hosted.'),
  realm_icon_url: str('Address of the icon; may be relative.'),
  realm_logo_url: str('Address of the logo for light backgrounds; may be relative.'),
  realm_night_logo_url: str('Address of the logo for dark backgrounds; may be relative.'),
  realm_empty_topic_display_name: str('Name under which the empty topic is shown.'),
  realm_authentication_methods: map('Ways to log in by name, each with `enabled` and `available`.'),
  realm_password_auth_enabled: bool('Whether people log in by password, here or in a directory.'),
  realm_email_auth_enabled: bool('Whether people log in by e-mail address and password.'),
  realm_default_external_accounts: map('Services that external account fields know, by key.'),
  realm_allow_edit_history: bool('Whether edit histories show anything: the policy is not `none`.'),
  realm_mandatory_topics: bool(
    'Whether every channel message needs a topic: the policy is `disable_empty_topic`.',
  ),
  settings_send_digest_emails: bool('Whether the server sends digests; always false.'),
  realm_push_notifications_enabled: bool('Whether notifications are pushed to mobile devices.'),
  realm_push_notifications_enabled_end_timestamp: orNull(
    int('When that ends, UNIX seconds; null for never.'),
  ),
  realm_available_video_chat_providers: map(
    'Services for video calls that can be chosen, each with `name` and `id`.',
  ),
  jitsi_server_url: orNull(str('Older copy of the address of the Jitsi server in effect.')),
  gif_rating_policy_options: map(
    'Choices of `realm_gif_rating_policy`, each with `name` and `id`.',
  ),
  zulip_plan_is_not_limited: bool('Whether nothing is limited by a plan; always true.'),
  upgrade_text_for_wide_organization_logo: str(
    'Advertisement for a plan with a wide logo; always empty.',
  ),
  realm_create_public_stream_policy: int(
    'Older form of `realm_can_create_public_channel_group`: 1 members, 2 administrators, 3 full members, 4 moderators.',
  ),
  realm_create_private_stream_policy: int(
    'Older form of `realm_can_create_private_channel_group`, with the same numbers.',
  ),
  realm_create_web_public_stream_policy: int(
    'Older form of `realm_can_create_web_public_channel_group`: 2 administrators, 4 moderators, 6 nobody, 7 owners.',
  ),
  realm_wildcard_mention_policy: int(
    'Older form of `realm_can_mention_many_users_group`: 1 everybody, 2 members, 3 full members, 5 administrators, 6 nobody, 7 moderators.',
  ),
};

/** All other sections; each text names the one that brings the field, where it has another name. */
export const SECTION_FIELDS: Readonly<Record<string, Json>> = {
  alert_words: list('Words and phrases whose use notifies the caller.', TEXTS),
  custom_profile_fields: list('Custom profile fields, in the order in which they are shown.', {
    type: 'object',
  }),
  custom_profile_field_types: map(
    'Kinds of profile fields by name, each with `id` and `name`. Section `custom_profile_fields`.',
  ),
  onboarding_steps: list('Hints the caller has not dismissed yet.', { type: 'object' }),
  navigation_tour_video_url: orNull(
    str('Address of a video for newcomers; null here. Section `onboarding_steps`.'),
  ),
  max_message_id: int(
    'Id of the newest message the caller received, -1 without one. Section `message`.',
  ),
  drafts: list(
    'The caller’s drafts, the newest edit first; none while they are not synchronized.',
    { type: 'object' },
  ),
  saved_snippets: list('The caller’s snippets, oldest first.', { type: 'object' }),
  scheduled_messages: list(
    'Messages the caller scheduled and that were not delivered, by delivery time; failed ones too.',
    { type: 'object' },
  ),
  reminders: list('Reminders of the caller, by delivery time.', { type: 'object' }),
  navigation_views: list('Views the caller added or arranged.', { type: 'object' }),
  muted_topics: list(
    'Muted topics as `[channel name, topic, UNIX seconds]`; left out where `user_topic` was asked for by name.',
  ),
  muted_users: list('People whose messages the caller hides, each with `id` and `timestamp`.', {
    type: 'object',
  }),
  user_topics: list('Topics the caller treats in a way of their own. Section `user_topic`.', {
    type: 'object',
  }),
  presences: map(
    'Who was there when: by user id (modern) or by e-mail address. Section `presence`.',
  ),
  presence_last_update_id: int(
    'Cursor for `POST /users/me/presence`, -1 without any presence. Section `presence`.',
  ),
  server_timestamp: num('Time of the server, UNIX seconds with a fraction. Section `presence`.'),
  realm_domains: list('Allowed domains, each with `allow_subdomains`.', { type: 'object' }),
  realm_emoji: map('Custom emoji by id, deactivated ones included.'),
  realm_linkifiers: list(
    'Linkifiers, in the order in which they are tried; none without the capability `linkifier_url_template`.',
    { type: 'object' },
  ),
  realm_filters: list('Older form of linkifiers; always empty.'),
  realm_playgrounds: list('Pages on which clients can try code blocks out, by language.', {
    type: 'object',
  }),
  realm_user_groups: list(
    'User groups by id, those of the system included; deactivated ones only with the capability.',
    { type: 'object' },
  ),
  realm_billing: map('State of a paid plan; there is none.'),
  realm_users: list('Active accounts the caller may see, by id. Section `realm_user`.', {
    type: 'object',
  }),
  realm_non_active_users: list('Deactivated accounts. Section `realm_user`.', { type: 'object' }),
  cross_realm_bots: list('System bots. Section `realm_user`.', { type: 'object' }),
  user_id: int('Id of the caller. Section `realm_user`.'),
  email: str('API e-mail address of the caller. Section `realm_user`.'),
  delivery_email: str('Real e-mail address of the caller. Section `realm_user`.'),
  full_name: str('Name of the caller. Section `realm_user`.'),
  is_owner: bool('Whether the caller is an owner. Section `realm_user`.'),
  is_admin: bool('Whether the caller is an administrator; true for owners. Section `realm_user`.'),
  is_moderator: bool('Whether the caller is a moderator or above. Section `realm_user`.'),
  is_guest: bool('Whether the caller is a guest. Section `realm_user`.'),
  avatar_source: str(
    'Where the caller’s picture comes from: `G` gravatar.com, `U` uploaded, `J` made by this server. Section `realm_user`.',
  ),
  avatar_url: str('Address of the caller’s picture. Section `realm_user`.'),
  avatar_url_medium: str('Address of a larger form of it. Section `realm_user`.'),
  can_create_public_streams: bool(
    'Whether the caller may make public channels. Section `realm_user`.',
  ),
  can_create_private_streams: bool(
    'Whether the caller may make private channels. Section `realm_user`.',
  ),
  can_create_web_public_streams: bool(
    'Whether the caller may make web-public channels. Section `realm_user`.',
  ),
  can_create_streams: bool(
    'Whether the caller may make public or private channels. Section `realm_user`.',
  ),
  can_invite_others_to_realm: bool(
    'Whether the caller may invite people by mail. Section `realm_user`.',
  ),
  realm_bots: list('Bots of the caller, or all for administrators. Section `realm_bot`.', {
    type: 'object',
  }),
  realm_embedded_bots: list('Programs for embedded bots; there are none.'),
  realm_incoming_webhook_bots: list('Integrations for incoming webhooks; there are none.'),
  recent_private_conversations: list(
    'Direct conversations of late, newest first, each with `user_ids` of the others and `max_message_id`.',
    { type: 'object' },
  ),
  subscriptions: list('Channels the caller is subscribed to. Section `subscription`.', {
    type: 'object',
  }),
  unsubscribed: list('Channels the caller was subscribed to before. Section `subscription`.', {
    type: 'object',
  }),
  never_subscribed: list('Other channels the caller can see. Section `subscription`.', {
    type: 'object',
  }),
  channel_folders: list('Folders of channels in their order, archived ones included.', {
    type: 'object',
  }),
  unread_msgs: map(
    'Unread messages by conversation, the newest 50,000. Sections `message` and `update_message_flags` together.',
  ),
  starred_messages: list('Ids of starred messages, ascending.', INTS),
  streams: list('All channels the caller can see. Section `stream`.', { type: 'object' }),
  realm_default_streams: list(
    'Ids of the channels new accounts are subscribed to; none for guests. Section `default_streams`.',
    INTS,
  ),
  realm_default_stream_groups: list(
    'Groups of default channels; there are none. Section `default_stream_groups`.',
  ),
  stop_words: list('Words too common to search for.', TEXTS),
  user_status: map('Status of those who have one, by user id.'),
  has_zoom_token: bool(
    'Whether the caller’s Zoom account is connected; always false. Section `video_calls`.',
  ),
  has_webex_token: bool(
    'Whether the caller’s Webex account is connected; always false. Section `video_calls`.',
  ),
  giphy_api_key: str('Key for pictures of GIPHY; empty here. Section `giphy`.'),
  tenor_api_key: str('Key for pictures of Tenor; empty here. Section `tenor`.'),
  klipy_api_key: str('Key for pictures of KLIPY; empty here. Section `klipy`.'),
  devices: map('Client devices of the caller by id, with the state of their push registration.'),
};
