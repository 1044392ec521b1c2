import { USER_SETTINGS } from '../../../schemas/users/user-settings.js';

const OTHERS: Readonly<Record<string, unknown>> = {
  default_language: 'de',
  web_home_view: 'recent',
  emojiset: 'text',
  web_animate_image_previews: 'never',
  notification_sound: 'ding',
  timezone: 'Asia/Tokyo',
  resolved_topic_notice_auto_read_policy: 'never',
  web_font_size_px: 18,
  web_line_height_percent: 150,
  email_notifications_batching_period_seconds: 300,
};

/** A value that a setting of a user can have and does not have at first. */
export function otherSetting(name: keyof typeof USER_SETTINGS): unknown {
  const { default: now } = USER_SETTINGS[name];
  if (typeof now === 'boolean') return !now;
  return OTHERS[name] ?? (now === 1 ? 2 : 1);
}
