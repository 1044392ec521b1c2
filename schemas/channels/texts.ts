/* Words that several things of this area share, or for which the file of the thing has no room. */
import { GENERAL, OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Fields of channels, subscriptions and folders. */
export const FIELD_TEXTS = fieldTexts({
  stream_id: ['Id of the channel.', GENERAL],
  rendered_description: ['The description as HTML.', '<p>For <strong>everything</strong> else</p>'],
  date_created: ['When it was made, UNIX seconds.', 1_750_000_000],
  creator_id: ['Who made it, by user id; null where that is not known, or the server did.', OWNER],
  subscribers: ['Who is subscribed, by user id; only active accounts.', [OWNER, OPHELIA]],
  color: ['Color of the channel for the caller, as `#` and six hexadecimal digits.', '#76ce90'],
  is_muted: 'Whether the caller muted the channel.',
  in_home_view: 'Older form of `is_muted`, the opposite of it.',
  pin_to_top: 'Whether the caller keeps the channel at the top of the list.',
  desktop_notifications:
    'Whether messages there show notifications on the desktop; null as the user’s settings say.',
  audible_notifications: 'Whether messages there make a sound; null as the user’s settings say.',
  push_notifications:
    'Whether messages there are pushed to mobile devices; null as the user’s settings say.',
  email_notifications:
    'Whether messages there are mailed when missed; null as the user’s settings say.',
  wildcard_mentions_notify:
    'Whether mentions of everybody there notify as personal ones do; null as the user’s settings say.',
  default_streams: ['Ids of all channels new accounts are subscribed to.', [GENERAL]],
  'subscriptions.name': ['Name of the channel.', 'general'],
});

const GSV =
  'A group’s id, or an object with `direct_members` and `direct_subgroups`; where it changes, `{"new", "old"}` with the value the caller believes to be there.';

/** Parameters about channels, subscriptions and folders. */
export const PARAMETER_TEXTS = parameterTexts({
  stream_id: 'Id of a channel the caller can see.',
  name: 'Name, unique in the organization whatever the case of its letters.',
  description: 'What it is for, in Markdown.',
  folder_id: ['Folder the channel is listed in; null for none.', 1],
  is_web_public: 'Refused where true: messages are never shown to visitors without an account.',
  is_default_stream: 'Whether new accounts are subscribed by themselves; not for private channels.',
  history_public_to_subscribers:
    'Whether new subscribers of a private channel see messages from before; always true for public ones.',
  message_retention_days:
    'Days after which messages of the channel are deleted: a number, `unlimited` to keep them for ever, or `realm_default` for the period of the organization. For owners.',
  topics_policy:
    'Whether messages may have the empty topic: `inherit` as the organization says, `allow_empty_topic`, `disable_empty_topic`, or `empty_topic_only`.',
  can_add_subscribers_group: `Who may subscribe others. ${GSV}`,
  can_administer_channel_group: `Who may change the channel’s settings, beside administrators. ${GSV}`,
  can_create_topic_group: `Who may begin new topics. ${GSV}`,
  can_delete_any_message_group: `Who may delete messages of anybody. ${GSV}`,
  can_delete_own_message_group: `Who may delete their own messages, within the time limit. ${GSV}`,
  can_move_messages_out_of_channel_group: `Who may move messages to another channel. ${GSV}`,
  can_move_messages_within_channel_group: `Who may move messages to another topic. ${GSV}`,
  can_remove_subscribers_group: `Who may unsubscribe others. ${GSV}`,
  can_resolve_topics_group: `Who may mark topics as resolved. ${GSV}`,
  can_send_message_group: `Who may send messages. ${GSV}`,
  can_subscribe_group: `Who may subscribe themselves, also where the channel is private. ${GSV}`,
  announce: 'Whether a notice in the channel for announcements tells of new public channels.',
  send_new_subscription_messages:
    'Whether users whom somebody else subscribed are notified by a direct message; not for more than 100 users.',
});
