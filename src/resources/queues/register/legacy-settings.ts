import type { SettingName } from '../../../../schemas/users/user-settings.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Organization } from '../../../organization/state/organization.js';

/** Settings that `update_display_settings` fetches. */
const DISPLAY = [
  'color_scheme',
  'default_language',
  'demote_inactive_streams',
  'emojiset',
  'enter_sends',
  'fluid_layout_width',
  'high_contrast_mode',
  'left_side_userlist',
  'starred_message_counts',
  'timezone',
  'translate_emoticons',
  'twenty_four_hour_time',
] as const satisfies readonly SettingName[];

/** Settings that `update_global_notifications` fetches. */
const NOTIFICATIONS = [
  'desktop_icon_count_display',
  'email_notifications_batching_period_seconds',
  'enable_desktop_notifications',
  'enable_digest_emails',
  'enable_login_emails',
  'enable_marketing_emails',
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  'enable_sounds',
  'enable_stream_audible_notifications',
  'enable_stream_desktop_notifications',
  'enable_stream_email_notifications',
  'enable_stream_push_notifications',
  'message_content_in_email_notifications',
  'notification_sound',
  'pm_content_in_desktop_notifications',
  'presence_enabled',
  'wildcard_mentions_notify',
] as const satisfies readonly SettingName[];

/** Settings as fields of the reply. */
function copies(names: readonly SettingName[]) {
  return (org: Organization, user: UserDocument): Record<string, unknown> =>
    Object.fromEntries(names.map((name) => [name, org.settings.value(user.user_id, name)]));
}

/**
 * Settings as top-level fields of the reply, as they were before `user_settings`. Old clients (zulip-terminal up
 * to 0.7.0) ask for them by the event names of that time and do not start without them. Those events
 * no longer exist (feature level 439): changes are emitted as `user_settings`.
 */
export const LEGACY_SETTINGS = {
  update_display_settings: copies(DISPLAY),
  update_global_notifications: copies(NOTIFICATIONS),
};
