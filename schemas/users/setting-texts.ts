import { parameterTexts } from '../parameter-texts.js';

/** Parameters about personal settings, and the defaults of new accounts. */
export const settingTexts = parameterTexts({
  twenty_four_hour_time: 'Whether times are shown as 17:00 instead of 5:00 PM.',
  web_mark_read_on_scroll_policy:
    'When scrolling past a message marks it as read: 1 always, 2 only in views of one conversation, 3 never.',
  web_channel_default_view:
    'What a click on a channel opens: 1 its topic with the newest message, 2 the feed of the channel, 3 its list of topics, 4 its topic with the newest unread message.',
  starred_message_counts:
    'Whether the number of starred messages is shown beside the starred view.',
  receives_typing_notifications:
    'Whether clients of this person get `typing` events of others; without them the server sends none.',
  web_suggest_update_timezone:
    'Whether the web client offers to change the profile’s time zone when the device is in another one.',
  fluid_layout_width: 'Whether the message column takes the full width of the window.',
  high_contrast_mode: 'Whether colors with more contrast are used, where a client has them.',
  web_font_size_px: ['Size of message text in the web client, in CSS pixels.', 16],
  web_line_height_percent: [
    'Line height of message text as a percentage of its size: 120 means 1.2.',
    140,
  ],
  color_scheme: 'Appearance: 1 as the device says, 2 dark, 3 light.',
  enable_drafts_synchronization:
    'Whether drafts are kept on the server. Switching it off deletes those there, without an event.',
  translate_emoticons: 'Whether emoticons such as `:)` in sent messages become emoji.',
  display_emoji_reaction_users:
    'Whether a reaction of three people or fewer shows their names instead of a number.',
  default_language: [
    'Language of the interface and of mails, as a code such as `de` or `pt-br`.',
    'de',
  ],
  web_home_view:
    'View that opens first: `inbox`, `recent` (the recent conversations) or `all_messages`.',
  web_escape_navigates_to_home_view: 'Whether the Escape key leads back to the home view.',
  left_side_userlist: 'Whether a narrow window shows the list of people in the left sidebar.',
  emojiset:
    'Pictures that emoji are drawn with. `text` shows their names; the server gives back exactly what was set.',
  demote_inactive_streams:
    'Whether channels without recent messages are listed separately: 1 if there are many channels, 2 always, 3 never.',
  user_list_style:
    'How much the list of people shows: 1 the name, 2 also the status, 3 also the picture.',
  web_animate_image_previews:
    'When moving pictures move: `always`, `on_hover` (under the pointer) or `never`.',
  web_stream_unreads_count_display_policy:
    'Channels that show a number of unread messages: 1 all, 2 those that are not muted, 3 none.',
  hide_ai_features: 'Whether features based on language models are left out of the interface.',
  web_inbox_show_channel_folders: 'Whether the inbox groups channels by their folders.',
  web_left_sidebar_show_channel_folders:
    'Whether the left sidebar groups channels by their folders.',
  web_left_sidebar_unreads_count_summary: 'Whether the left sidebar sums up unread messages.',
  enter_sends: 'Whether the Enter key sends a message instead of beginning a new line.',
  web_navigate_to_sent_message: 'Whether the view follows a message that was sent elsewhere.',
  timezone: [
    'Time zone of the profile as an IANA name such as `Europe/Berlin`; empty for none.',
    'Europe/Copenhagen',
  ],
  enable_stream_desktop_notifications:
    'Whether messages in channels show a desktop notification, unless the channel says otherwise.',
  enable_stream_email_notifications:
    'Whether messages in channels are sent by mail while this person is away, unless the channel says otherwise.',
  enable_stream_push_notifications:
    'Whether messages in channels are pushed to mobile devices, unless the channel says otherwise.',
  enable_stream_audible_notifications:
    'Whether messages in channels play a sound, unless the channel says otherwise.',
  notification_sound: [
    'Sound of audible notifications: a name from `available_notification_sounds`, or `none`.',
    'ding',
  ],
  enable_desktop_notifications: 'Whether direct messages and mentions show a desktop notification.',
  enable_sounds: 'Whether direct messages and mentions play a sound.',
  email_notifications_batching_period_seconds: [
    'Seconds that messages are collected before one mail tells of them: 1 to 604800 (a week).',
    120,
  ],
  enable_offline_email_notifications:
    'Whether direct messages and mentions are sent by mail while this person is away.',
  enable_offline_push_notifications:
    'Whether direct messages and mentions are pushed to mobile devices while this person is away.',
  enable_online_push_notifications:
    'Whether direct messages and mentions are pushed to mobile devices also while this person is active elsewhere.',
  enable_followed_topic_desktop_notifications:
    'Whether messages in followed topics show a desktop notification.',
  enable_followed_topic_email_notifications:
    'Whether messages in followed topics are sent by mail while this person is away.',
  enable_followed_topic_push_notifications:
    'Whether messages in followed topics are pushed to mobile devices.',
  enable_followed_topic_audible_notifications: 'Whether messages in followed topics play a sound.',
  enable_followed_topic_wildcard_mentions_notify:
    'Whether `@all` and `@topic` in followed topics notify as a mention by name does.',
  enable_digest_emails:
    'Whether this person gets a weekly digest by mail after 5 days without a visit, where the organization has digests.',
  enable_marketing_emails: 'Whether this person gets mails about the product.',
  enable_login_emails: 'Whether a login from a new device is reported by mail.',
  message_content_in_email_notifications:
    'Whether mails about missed messages quote them; otherwise they only say that there are some.',
  pm_content_in_desktop_notifications:
    'Whether desktop notifications show the text of direct messages.',
  wildcard_mentions_notify: 'Whether `@all` and `@everyone` notify as a mention by name does.',
  desktop_icon_count_display:
    'What the number on the application’s icon counts: 1 all unread, 2 direct messages, mentions and followed topics, 3 direct messages and mentions, 4 nothing.',
  realm_name_in_email_notifications_policy:
    'Whether subjects of mails name the organization: 1 if the person is in several, 2 always, 3 never.',
  automatically_follow_topics_policy:
    'What makes the user follow a topic automatically: 1 taking part in any way, 2 sending, 3 starting it, 4 nothing.',
  automatically_unmute_topics_in_muted_streams_policy:
    'What unmutes a topic of a muted channel automatically: 1 taking part in any way, 2 sending, 3 starting it, 4 nothing.',
  automatically_follow_topics_where_mentioned:
    'Whether a mention by name makes this person follow the topic.',
  resolved_topic_notice_auto_read_policy:
    'Whether the notice that a topic was resolved is read at once: `always`, `except_followed` or `never`.',
  presence_enabled: 'Whether others see when this person is active.',
  send_private_typing_notifications: 'Whether others see this person typing in direct messages.',
  send_stream_typing_notifications: 'Whether others see this person typing in channels.',
  send_read_receipts: 'Whether others see which messages this person has read.',
  allow_private_data_export:
    'Whether an export of the organization with consent may hold this person’s private data.',
  email_address_visibility:
    'Who sees the real e-mail address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.',
  email:
    'New e-mail address. It takes effect when somebody opens the link that is mailed there, within a day.',
  old_password: [
    'Present password (with a directory, the one there); required with `new_password`, and with `email` unless you logged in within the last ten minutes; checked wherever it is given.',
    'to-be-or-not-to-be',
  ],
  new_password: [
    'New password, 8 to 100 characters and not easily guessed; requires `old_password`.',
    'the-rest-is-silence',
  ],
  regenerate_api_key:
    'Whether to replace the API key in the same step, for somebody whose password may be known to others: the reply has the new `api_key`, and sockets and streams of the old one close. An addition of this server.',
  target_users:
    'Changes the settings of other users, for administrators: an object with `user_ids`, `group_ids` or both, and `skip_if_already_edited`, which skips users who have ever changed the setting. Security settings are refused. Since level 444.',
});
