import {
  EMPTY_TOPIC_DISPLAY_NAME,
  EVENT_QUEUE_LONGPOLL_TIMEOUT_SECONDS,
  FEATURE_LEVEL,
  IDLE_QUEUE_TIMEOUT_SECONDS,
  MAX_AVATAR_FILE_SIZE_MIB,
  MAX_BULK_NEW_SUBSCRIPTION_MESSAGES,
  MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
  MAX_CHANNEL_FOLDER_NAME_LENGTH,
  MAX_FILE_UPLOAD_SIZE_MIB,
  MAX_ICON_FILE_SIZE_MIB,
  MAX_LOGO_FILE_SIZE_MIB,
  MAX_MESSAGE_LENGTH,
  MAX_REMINDER_NOTE_LENGTH,
  MAX_STREAM_DESCRIPTION_LENGTH,
  MAX_STREAM_NAME_LENGTH,
  MAX_TOPIC_LENGTH,
  MIN_DEACTIVATED_REALM_DELETION_DAYS,
  PASSWORD_MAX_LENGTH,
  PASSWORD_MIN_GUESSES,
  PASSWORD_MIN_LENGTH,
  PRESENCE_OFFLINE_THRESHOLD_SECONDS,
  PRESENCE_PING_INTERVAL_SECONDS,
  TYPING_STARTED_EXPIRY_PERIOD_MILLISECONDS,
  TYPING_STARTED_WAIT_PERIOD_MILLISECONDS,
  TYPING_STOPPED_WAIT_PERIOD_MILLISECONDS,
  UPLOAD_QUOTA_MIB,
  ZULIP_VERSION,
} from '../limits.js';
import { type Json } from './json-schema.js';
import { int, str, bool, list, map, orNull } from './register-kinds.js';

/** What is always there. */
export const ALWAYS: Readonly<Record<string, Json>> = {
  queue_id: str('Id of the queue, for `GET /events`.', 'fb67bf8a-c031-47cc-84cf-ed80accacda8'),
  last_event_id: int(
    'Cursor that goes with this snapshot: the first poll sends it as `last_event_id`.',
    2047,
  ),
  zulip_version: str('Version of the protocol this server speaks.', ZULIP_VERSION),
  zulip_feature_level: int(
    'Newest feature level this server has; the changes of the interface are numbered by it.',
    FEATURE_LEVEL,
  ),
  zulip_merge_base: str('The same as `zulip_version`.', ZULIP_VERSION),
  idle_queue_timeout_secs: int(
    'Seconds without a request after which the queue ends. Since level 481.',
    IDLE_QUEUE_TIMEOUT_SECONDS,
  ),
};

/** Section `realm`: limits, times and abilities of the server. */
export const SERVER_FIELDS: Readonly<Record<string, Json>> = {
  max_message_length: int('Longest text of a message, in code points.', MAX_MESSAGE_LENGTH),
  max_topic_length: int('Longest topic, in code points.', MAX_TOPIC_LENGTH),
  max_stream_name_length: int('Longest name of a channel, in code points.', MAX_STREAM_NAME_LENGTH),
  max_stream_description_length: int(
    'Longest description of a channel, in code points.',
    MAX_STREAM_DESCRIPTION_LENGTH,
  ),
  max_channel_folder_name_length: int(
    'Longest name of a folder, in code points.',
    MAX_CHANNEL_FOLDER_NAME_LENGTH,
  ),
  max_channel_folder_description_length: int(
    'Longest description of a folder, in code points.',
    MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
  ),
  max_reminder_note_length: int(
    'Longest note of a reminder, in code points.',
    MAX_REMINDER_NOTE_LENGTH,
  ),
  max_bulk_new_subscription_messages: int(
    'Maximum number of users that one request subscribes with a direct message to each.',
    MAX_BULK_NEW_SUBSCRIPTION_MESSAGES,
  ),
  max_file_upload_size_mib: int('Largest uploaded file, in MiB.', MAX_FILE_UPLOAD_SIZE_MIB),
  max_avatar_file_size_mib: int('Largest picture of a person, in MiB.', MAX_AVATAR_FILE_SIZE_MIB),
  max_icon_file_size_mib: int('Largest icon of the organization, in MiB.', MAX_ICON_FILE_SIZE_MIB),
  max_logo_file_size_mib: int('Largest logo of the organization, in MiB.', MAX_LOGO_FILE_SIZE_MIB),
  realm_upload_quota_mib: orNull(
    int('Space for all uploaded files, in MiB; null without a limit.', UPLOAD_QUOTA_MIB),
  ),
  event_queue_longpoll_timeout_seconds: int(
    'Seconds after which a client may give up a poll: longer than the time between heartbeats.',
    EVENT_QUEUE_LONGPOLL_TIMEOUT_SECONDS,
  ),
  server_presence_ping_interval_seconds: int(
    'Seconds between two presence reports of a client.',
    PRESENCE_PING_INTERVAL_SECONDS,
  ),
  server_presence_offline_threshold_seconds: int(
    'Seconds without such a call after which somebody counts as away.',
    PRESENCE_OFFLINE_THRESHOLD_SECONDS,
  ),
  server_typing_started_wait_period_milliseconds: int(
    'Milliseconds between two notices that somebody is still typing.',
    TYPING_STARTED_WAIT_PERIOD_MILLISECONDS,
  ),
  server_typing_stopped_wait_period_milliseconds: int(
    'Milliseconds without a key after which a client tells that typing ended.',
    TYPING_STOPPED_WAIT_PERIOD_MILLISECONDS,
  ),
  server_typing_started_expiry_period_milliseconds: int(
    'Milliseconds after which a notice of typing is forgotten without a new one.',
    TYPING_STARTED_EXPIRY_PERIOD_MILLISECONDS,
  ),
  server_generation: int(
    'When the serving process began, UNIX seconds; clients reload when it changes.',
    1_750_000_000,
  ),
  server_needs_upgrade: bool('Whether the server is too old for its clients; always false.'),
  development_environment: bool('Whether the server is one for developing; always false.'),
  server_min_deactivated_realm_deletion_days: int(
    'Days for which a deactivated organization would at least be kept.',
    MIN_DEACTIVATED_REALM_DELETION_DAYS,
  ),
  server_max_deactivated_realm_deletion_days: orNull(
    int('Days for which it would be kept at most; null without a limit.', 365),
  ),
  server_name_changes_disabled: bool('Whether the server itself forbids changes of names.'),
  server_avatar_changes_disabled: bool('Whether the server itself forbids changes of pictures.'),
  server_web_public_streams_enabled: bool(
    'Whether channels can be shown to visitors without an account; always false.',
  ),
  server_inline_image_preview: bool('Whether the server allows previews of pictures.'),
  server_inline_url_embed_preview: bool(
    'Whether the server asks web pages that messages link for previews.',
  ),
  server_thumbnail_formats: list(
    'Sizes in which pictures are offered: none, clients show the picture itself.',
    {},
    [],
  ),
  server_emoji_data_url: str(
    'Address of the JSON file that has the names of all emoji by code.',
    '/static/emoji-api.json',
  ),
  server_report_message_types: list(
    'Reasons for reporting a message, each with `key` and `name`. Since level 435.',
    { type: 'object' },
  ),
  server_can_summarize_topics: bool('Whether topics can be summarized; always false.'),
  server_jitsi_server_url: orNull(
    str('Address of the server’s own Jitsi; null without one.', 'https://meet.example.com'),
  ),
  server_supported_permission_settings: map(
    'Which groups each permission of `realm`, `stream` and `group` may be given to, with its default.',
  ),
  password_min_length: int('Shortest password, in characters.', PASSWORD_MIN_LENGTH),
  password_max_length: int('Longest password, in characters.', PASSWORD_MAX_LENGTH),
  password_min_guesses: int(
    'Guesses a password must withstand by the estimate of zxcvbn.',
    PASSWORD_MIN_GUESSES,
  ),
};

/** Section `realm`: what the organization is, beside its settings. */
export const IDENTITY_FIELDS: Readonly<Record<string, Json>> = {
  realm_url: str('Public address of the organization, without a path.'),
  realm_uri: str('Older name of `realm_url`.'),
  realm_bot_domain: str('Domain of the addresses of bots and of placeholders.', 'chat.example.com'),
  realm_plan_type: int('Kind of plan: 1, self-hosted.', 1),
  realm_icon_url: str('Address of the icon; may be relative.', '/static/icon.svg'),
  realm_logo_url: str(
    'Address of the logo for light backgrounds; may be relative.',
    '/static/logo.svg',
  ),
  realm_night_logo_url: str(
    'Address of the logo for dark backgrounds; may be relative.',
    '/static/logo.svg',
  ),
  realm_empty_topic_display_name: str(
    'Name under which the empty topic is shown.',
    EMPTY_TOPIC_DISPLAY_NAME,
  ),
  realm_authentication_methods: map('Ways to log in by name, each with `enabled` and `available`.'),
  realm_password_auth_enabled: bool('Whether people log in by password, here or in a directory.'),
  realm_email_auth_enabled: bool('Whether people log in by e-mail address and password.'),
  realm_default_external_accounts: map('Services that external account fields know, by key.'),
  realm_allow_edit_history: bool('Whether edit histories show anything: the policy is not `none`.'),
  realm_mandatory_topics: bool(
    'Whether every channel message needs a topic: the policy is `disable_empty_topic`.',
  ),
  settings_send_digest_emails: bool('Whether the server sends digests: it has a mail server.'),
  realm_push_notifications_enabled: bool('Whether notifications are pushed to mobile devices.'),
  realm_push_notifications_enabled_end_timestamp: orNull(
    int('When that ends, UNIX seconds; null for never.', 1_900_000_000),
  ),
  realm_available_video_chat_providers: map(
    'Services for video calls that can be chosen, each with `name` and `id`.',
  ),
  jitsi_server_url: orNull(
    str('Older copy of the address of the Jitsi server in effect.', 'https://meet.example.com'),
  ),
  gif_rating_policy_options: map(
    'Choices of `realm_gif_rating_policy`, each with `name` and `id`.',
  ),
  zulip_plan_is_not_limited: bool('Whether nothing is limited by a plan; always true.'),
  upgrade_text_for_wide_organization_logo: str(
    'Advertisement for a plan with a wide logo; always empty.',
    '',
  ),
  realm_create_public_stream_policy: int(
    'Older form of `realm_can_create_public_channel_group`: 1 members, 2 administrators, 3 full members, 4 moderators.',
    1,
  ),
  realm_create_private_stream_policy: int(
    'Older form of `realm_can_create_private_channel_group`, with the same numbers.',
    1,
  ),
  realm_create_web_public_stream_policy: int(
    'Older form of `realm_can_create_web_public_channel_group`: 2 administrators, 4 moderators, 6 nobody, 7 owners.',
    7,
  ),
  realm_wildcard_mention_policy: int(
    'Older form of `realm_can_mention_many_users_group`: 1 everybody, 2 members, 3 full members, 5 administrators, 6 nobody, 7 moderators.',
    5,
  ),
};
