/** The fields of each kind of line of a Mattermost export that the import takes, or that say nothing afterwards. */
import { rowKind } from '../unknown-fields.js';

/** Teams are one organization here; what they are called is added to channels of the same name. */
const TEAM = rowKind('teams', ['name', 'display_name', 'type', 'scheme', 'description']);

const CHANNEL = rowKind('channels', [
  ...['team', 'name', 'display_name', 'type', 'header', 'purpose', 'scheme', 'deleted_at'],
  'delete_at',
]);

const MEMBERSHIP = rowKind(
  'memberships',
  [
    ...['name', 'roles', 'favorite', 'last_viewed_at'],
    // Sums of what is read and unread.
    ...['mention_count', 'mention_count_root', 'urgend_mention_count', 'urgent_mention_count'],
    ...['msg_count', 'msg_count_root', 'scheme_user', 'scheme_admin', 'scheme_guest'],
  ],
  {
    notify_props: rowKind('notifications of memberships', [
      ...['desktop', 'mobile', 'mark_unread'],
    ]),
  },
);

const USER = rowKind(
  'people',
  [
    ...['username', 'email', 'nickname', 'first_name', 'last_name', 'position', 'roles', 'locale'],
    ...['profile_image', 'delete_at', 'military_time'],
    // Passwords and keys of another server; people log in anew.
    ...['auth_service', 'auth_data', 'password'],
    // How Mattermost's own pages look.
    ...['theme', 'link_previews', 'message_display', 'collapse_consecutive_messages', 'formatting'],
    ...['colorize_usernames', 'channel_display_mode', 'tutorial_step', 'show_unread_section'],
    ...['feature_enabled_markdown_preview', 'use_markdown_preview', 'use_formatting'],
    ...['name_format', 'join_leave', 'show_join_leave', 'show_unread_scroll_position'],
    ...['limit_visible_dms_gms', 'sync_drafts', 'send_on_ctrl_enter', 'code_block_ctrl_enter'],
    ...['unread_scroll_position', 'email_interval'],
  ],
  {
    teams: rowKind('memberships of teams', ['name', 'roles', 'theme'], { channels: MEMBERSHIP }),
    // Of the whole server: those of each channel are taken.
    notify_props: rowKind('notifications of people', [
      ...['desktop', 'desktop_sound', 'desktop_notification_sound', 'email', 'mobile'],
      ...['mobile_push_status', 'channel', 'comments', 'first_name'],
    ]),
  },
);

const BOT = rowKind('bots', ['username', 'display_name', 'owner', 'delete_at', 'profile_image']);

const DIRECT_CHANNEL = rowKind('conversations', ['members', 'shown_by', 'favorited_by', 'header'], {
  participants: rowKind('participants of conversations', [
    ...['username', 'last_viewed_at', 'mention_count', 'mention_count_root', 'msg_count'],
    ...['urgent_mention_count', 'msg_count_root', 'scheme_user', 'scheme_admin', 'scheme_guest'],
    'notify_props',
  ]),
});

/** What is kept of each kind of line in memory. */
export const LINES = {
  team: TEAM,
  channel: CHANNEL,
  user: USER,
  bot: BOT,
  direct_channel: DIRECT_CHANNEL,
  emoji: rowKind('custom emoji', ['name', 'image']),
} as const;

/** What programs attach to a message. */
export const ATTACHMENT = rowKind(
  'attachments',
  [
    ...['pretext', 'author_name', 'author_link', 'title', 'title_link', 'text', 'footer'],
    ...['image_url', 'fallback', 'id', 'color', 'author_icon', 'thumb_url', 'footer_icon', 'ts'],
    ...['timestamp', 'mrkdwn_in'],
  ],
  { fields: rowKind('fields of attachments', ['title', 'value', 'short']) },
);

const PROPS = rowKind('props of messages', [
  ...['attachments', 'override_username'],
  // By whom it came, and how Mattermost shows it.
  ...['from_webhook', 'from_bot', 'from_plugin', 'from_oauth_app', 'webhook_display_name'],
  ...['override_icon_url', 'override_icon_emoji', 'use_user_icon', 'disable_group_highlight'],
  ...['mentionHighlightDisabled', 'channel_mentions', 'previewed_post', 'deleteBy'],
  // What notices say in their text, too.
  ...['username', 'old_header', 'new_header', 'old_purpose', 'new_purpose', 'old_displayname'],
  ...['new_displayname'],
]);

/** Messages and answers; what answers have is looked at when they are taken. */
export const MESSAGE = rowKind(
  'messages',
  [
    ...['team', 'channel', 'channel_members', 'user', 'type', 'message', 'create_at', 'edit_at'],
    ...['flagged_by', 'replies', 'is_pinned'],
  ],
  {
    props: PROPS,
    reactions: rowKind('reactions', ['user', 'create_at', 'emoji_name']),
    attachments: rowKind('files', ['path']),
  },
);
