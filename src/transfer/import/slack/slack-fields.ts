/** The fields of each kind of row of a Slack export that the import takes, or that say nothing once the row is here. */
import { rowKind } from '../unknown-fields.js';

const PROFILE = rowKind('profiles', [
  ...[
    'real_name',
    'display_name',
    'email',
    'bot_id',
    'title',
    'phone',
    'skype',
    'pronouns',
    'fields',
  ],
  // Parts and other forms of the name and of the picture.
  ...['first_name', 'last_name', 'real_name_normalized', 'display_name_normalized', 'image_*'],
  ...['is_custom_image', 'avatar_hash', 'team', 'api_app_id', 'always_active', 'huddle_state*'],
  ...['status_text_canonical', 'status_emoji_display_info', 'status_expiration'],
]);

export const USER = rowKind(
  'people',
  [
    ...['id', 'name', 'real_name', 'deleted', 'is_admin', 'is_owner', 'is_primary_owner', 'tz'],
    ...['is_restricted', 'is_ultra_restricted', 'is_bot'],
    // What Slack keeps for itself.
    ...[
      'team_id',
      'color',
      'tz_label',
      'tz_offset',
      'updated',
      'is_app_user',
      'presence',
      'status',
    ],
    ...['is_email_confirmed', 'is_invited_user', 'is_workflow_bot', 'is_connector_bot'],
    ...['who_can_share_contact_card', 'has_2fa', 'two_factor_type', 'enterprise_user', 'teams'],
    ...['is_stranger', 'has_files', 'profile'],
  ],
  { profile: PROFILE },
);

/** A purpose or a topic: who wrote it and when is left out. */
const ABOUT = rowKind('purposes and topics', ['value', 'creator', 'last_set']);

const CONVERSATION_FIELDS = [
  ...['id', 'name', 'created', 'creator', 'is_archived', 'is_general', 'members', 'pins'],
  // What Slack keeps for itself, and what each reader of it is to it.
  ...['name_normalized', 'is_channel', 'is_group', 'is_im', 'is_mpim', 'is_private', 'is_member'],
  ...['is_shared', 'is_org_shared', 'is_ext_shared', 'is_pending_ext_shared', 'pending_shared'],
  ...['pending_connected_team_ids', 'shared_team_ids', 'internal_team_ids', 'connected_team_ids'],
  ...['conversation_host_id', 'context_team_id', 'updated', 'unlinked', 'num_members', 'is_open'],
  ...['last_read', 'latest', 'unread_count', 'unread_count_display', 'priority', 'user'],
  ...['is_user_deleted', 'has_pins', 'creator_team_id'],
];

/** Channels, groups and conversations of several. */
export const CONVERSATION = rowKind('conversations', CONVERSATION_FIELDS, {
  purpose: ABOUT,
  topic: ABOUT,
});

export const FILE = rowKind('files', [
  ...['id', 'name', 'title', 'url_private', 'mode', 'file_access', 'initial_comment', 'user'],
  'reactions',
  // How it looks and where else it is: the file itself, or its address, is in the message.
  ...[
    'created',
    'timestamp',
    'updated',
    'mimetype',
    'filetype',
    'pretty_type',
    'user_team',
    'size',
  ],
  ...['editable', 'non_owner_editable', 'editor', 'editors', 'last_editor', 'state', 'edit_link'],
  ...['is_external', 'external_*', 'is_public', 'public_url_shared', 'display_as_bot', 'username'],
  ...['url_private_download', 'permalink', 'permalink_public', 'thumb_*', 'deanimate*', 'pjpeg'],
  ...['original_w', 'original_h', 'image_exif_rotation', 'has_rich_preview', 'media_display_type'],
  ...['preview*', 'lines', 'lines_more', 'has_more', 'has_more_shares', 'is_starred', 'num_stars'],
  ...['channels', 'groups', 'ims', 'shares', 'comments_count', 'converted_pdf', 'mp4*', 'vtt'],
  ...['hls*', 'duration_ms', 'aac', 'audio_wave_samples', 'subtype', 'source_team', 'dm_mpdm*'],
  ...['team_pref_version_history_enabled', 'show_badge', 'skipped_shares', 'quip_thread_id'],
  ...['access', 'private_channels_with_file_access_count', 'private_file_with_access_count'],
  ...['media_progress', 'simplified_html', 'app_id', 'app_name', 'bot_id', 'file_id'],
]);

const REACTION = rowKind('reactions', ['name', 'users', 'count', 'url', 'type']);

export const ATTACHMENT = rowKind(
  'attachments',
  [
    ...['pretext', 'title', 'title_link', 'text', 'blocks', 'message_blocks', 'fallback'],
    ...['image_url', 'footer', 'author_name', 'author_subname', 'author_link', 'actions'],
    ...['from_url', 'original_url', 'is_msg_unfurl', 'is_share'],
    // How it looks, and what Slack knows of a linked page or message.
    ...['id', 'ts', 'color', 'mrkdwn_in', 'footer_icon', 'author_icon', 'author_id', 'thumb_*'],
    ...['image_width', 'image_height', 'image_bytes', 'service_*', 'channel_id', 'channel_name'],
    ...['channel_team', 'is_thread_root_call', 'is_reply_unfurl', 'is_app_unfurl', 'bot_id'],
    ...['app_unfurl_url', 'app_id', 'msg_subtype', 'callback_id', 'attachment_type', 'hide_title'],
    ...['hide_color', 'author_team', 'author_team_id', 'video_html*', 'bot_team_id', 'team_id'],
    ...['private_channel_prompt', 'channel_team_id', 'is_animated', 'indent', 'short'],
    ...['unfurled_text', 'mrkdwn'],
  ],
  {
    fields: rowKind('fields of attachments', ['title', 'value', 'short']),
    files: FILE,
  },
);

export const MESSAGE = rowKind(
  'messages',
  [
    ...['type', 'subtype', 'text', 'ts', 'user', 'username', 'bot_id', 'bot_profile', 'edited'],
    ...['user_profile', 'blocks', 'attachments', 'comment', 'thread_ts'],
    // What Slack keeps for itself: whose program, which icon, who follows a thread, which answers it has.
    ...['team', 'user_team', 'source_team', 'app_id', 'bot_link', 'icons', 'client_msg_id'],
    ...['upload', 'display_as_bot', 'upload_reply_to', 'x_files', 'hidden', 'event_ts'],
    ...['permalink', 'root', 'parent_user_id', 'reply_count', 'reply_users', 'latest_reply'],
    ...['reply_users_count', 'replies', 'subscribed', 'last_read', 'unread_count', 'is_locked'],
    ...['new_broadcast', 'is_intro', 'no_notifications', 'suppress_notification', 'metadata'],
    ...['saved', 'language', 'assistant_app_thread', 'mrkdwn', 'is_starred'],
    // What notices say in their text, too.
    ...['purpose', 'topic', 'members', 'inviter', 'item', 'item_type', 'room', 'channel'],
    ...['bot_name', 'old_name', 'name', 'permissions'],
    // Counted by the pins of the channel.
    ...['pinned_to', 'pinned_info'],
  ],
  { files: FILE, file: FILE, reactions: REACTION },
);
