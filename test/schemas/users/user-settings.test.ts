import t from 'tap';
import { Value } from 'typebox/value';
import {
  DEFAULT_USER_SETTINGS,
  DERIVED_USER_SETTINGS,
  EMOJISET_CHOICES,
  isUserSetting,
  NOTIFICATION_SOUNDS,
  normalizeSetting,
  SETTING_NAMES,
  settingFault,
  SETTINGS_WITHOUT_REALM_DEFAULT,
  USER_SETTINGS,
  UserSettings,
} from '../../../schemas/users/user-settings.js';

const CONTRACT = `
  twenty_four_hour_time web_mark_read_on_scroll_policy web_channel_default_view
  starred_message_counts receives_typing_notifications web_suggest_update_timezone
  fluid_layout_width high_contrast_mode web_font_size_px web_line_height_percent color_scheme
  enable_drafts_synchronization translate_emoticons display_emoji_reaction_users default_language
  web_home_view web_escape_navigates_to_home_view left_side_userlist emojiset
  demote_inactive_streams user_list_style web_animate_image_previews
  web_stream_unreads_count_display_policy hide_ai_features web_inbox_show_channel_folders
  web_left_sidebar_show_channel_folders web_left_sidebar_unreads_count_summary timezone
  enable_stream_desktop_notifications enable_stream_email_notifications
  enable_stream_push_notifications enable_stream_audible_notifications notification_sound
  enable_desktop_notifications enable_sounds email_notifications_batching_period_seconds
  enable_offline_email_notifications enable_offline_push_notifications
  enable_online_push_notifications enable_followed_topic_desktop_notifications
  enable_followed_topic_email_notifications enable_followed_topic_push_notifications
  enable_followed_topic_audible_notifications`
  .trim()
  .split(/\s+/);

const REST = `
  enable_digest_emails enable_marketing_emails enable_login_emails
  message_content_in_email_notifications pm_content_in_desktop_notifications
  wildcard_mentions_notify enable_followed_topic_wildcard_mentions_notify
  desktop_icon_count_display realm_name_in_email_notifications_policy
  automatically_follow_topics_policy automatically_unmute_topics_in_muted_streams_policy
  automatically_follow_topics_where_mentioned resolved_topic_notice_auto_read_policy
  presence_enabled enter_sends send_private_typing_notifications send_stream_typing_notifications
  send_read_receipts allow_private_data_export email_address_visibility
  web_navigate_to_sent_message`
  .trim()
  .split(/\s+/);

// [c:settings-table]
void t.test('the table holds the settings of the contract and no others', async (t) => {
  t.same([...SETTING_NAMES].sort(), [...CONTRACT, ...REST].sort());
  t.ok(isUserSetting('enter_sends'));
  t.notOk(isUserSetting('dense_mode'), 'removed at level 364');
  t.notOk(isUserSetting('full_name'));
  t.notOk(isUserSetting('toString'));
});

void t.test('every default is a value of its setting', async (t) => {
  for (const name of SETTING_NAMES) {
    t.ok(Value.Check(USER_SETTINGS[name].schema, DEFAULT_USER_SETTINGS[name]), name);
    t.equal(settingFault(name, DEFAULT_USER_SETTINGS[name]), undefined, name);
  }
  t.ok(Value.Check(UserSettings, DEFAULT_USER_SETTINGS));
  t.notOk(Value.Check(UserSettings, { ...DEFAULT_USER_SETTINGS, color_scheme: 4 }));
  const { enter_sends: _gone, ...incomplete } = DEFAULT_USER_SETTINGS;
  t.notOk(Value.Check(UserSettings, incomplete), 'every key is required');
});

void t.test('disputed defaults follow the precedence of the pages', async (t) => {
  t.match(DEFAULT_USER_SETTINGS, {
    user_list_style: 3,
    email_notifications_batching_period_seconds: 120,
    emojiset: 'google',
    web_home_view: 'inbox',
    twenty_four_hour_time: false,
  });
  const period = USER_SETTINGS.email_notifications_batching_period_seconds.schema;
  t.ok(Value.Check(period, 0));
  t.ok(Value.Check(period, 604_800));
  t.notOk(Value.Check(period, 604_801));
  t.ok(Value.Check(USER_SETTINGS.twenty_four_hour_time.schema, null));
  t.ok(Value.Check(USER_SETTINGS.web_channel_default_view.schema, 3));
});

void t.test('sensitive and personal settings are marked', async (t) => {
  const sensitive = SETTING_NAMES.filter((name) => USER_SETTINGS[name].securitySensitive);
  t.same([...sensitive].sort(), [
    'allow_private_data_export',
    'email_address_visibility',
    'enable_digest_emails',
    'enable_login_emails',
    'enable_marketing_emails',
    'presence_enabled',
    'send_private_typing_notifications',
    'send_read_receipts',
    'send_stream_typing_notifications',
    'timezone',
  ]);
  t.same(
    SETTING_NAMES.filter((name) => USER_SETTINGS[name].personal),
    ['timezone'],
  );
  t.ok(SETTINGS_WITHOUT_REALM_DEFAULT.every(isUserSetting));
});

void t.test('the choices offered are the values accepted', async (t) => {
  for (const { key } of EMOJISET_CHOICES) {
    t.ok(Value.Check(USER_SETTINGS.emojiset.schema, key), key);
  }
  t.equal(new Set(EMOJISET_CHOICES.map((choice) => choice.key)).size, 6);
  t.notOk(Value.Check(USER_SETTINGS.emojiset.schema, 'apple'));
  t.equal(NOTIFICATION_SOUNDS.length, 31);
  for (const sound of ['ding', 'zulip', 'chime', 'wood block', ...NOTIFICATION_SOUNDS]) {
    t.equal(settingFault('notification_sound', sound), undefined, sound);
  }
  t.ok(Object.keys(DERIVED_USER_SETTINGS).every((key) => !isUserSetting(key)));
});

void t.test('old spellings become the stored ones', async (t) => {
  t.equal(normalizeSetting('web_home_view', 'recent_topics'), 'recent');
  t.equal(normalizeSetting('web_home_view', 'inbox'), 'inbox');
  t.equal(normalizeSetting('web_home_view', 'constructor'), 'constructor');
  t.equal(normalizeSetting('timezone', 'recent_topics'), 'recent_topics');
  t.equal(normalizeSetting('enter_sends', true), true);
});

void t.test('values outside the lists are refused in the words of the contract', async (t) => {
  t.equal(settingFault('notification_sound', 'none'), undefined);
  t.equal(settingFault('notification_sound', 'gong'), "Invalid notification sound 'gong'");
  t.equal(settingFault('default_language', 'de'), undefined);
  t.equal(settingFault('default_language', 'xx'), 'Invalid default_language');
  t.equal(settingFault('timezone', ''), undefined);
  t.equal(settingFault('timezone', 'Mars/Base'), 'timezone is not a recognized time zone');
  t.equal(
    settingFault('email_notifications_batching_period_seconds', -1),
    'Invalid email batching period: -1 seconds',
  );
  t.equal(
    settingFault('email_notifications_batching_period_seconds', 604_801),
    'Invalid email batching period: 604801 seconds',
  );
  t.equal(settingFault('email_notifications_batching_period_seconds', 0), undefined);
});
