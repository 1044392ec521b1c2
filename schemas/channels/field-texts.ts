import { fieldTexts } from '../field-texts.js';
import { GENERAL, MESSAGE, OPHELIA, OWNER, SENT, VERONA } from '../example-values.js';

/** Fields of channels, subscriptions and folders. */
export const channelFields = fieldTexts({
  stream_id: ['Id of the channel.', GENERAL],
  'Channel.name': ['Name of the channel.', 'general'],
  'Channel.description': ['What the channel is for, in Markdown.', 'For **everything** else'],
  rendered_description: ['The description as HTML.', '<p>For <strong>everything</strong> else</p>'],
  date_created: ['When it was made, UNIX seconds.', 1_750_000_000],
  creator_id: ['Who made it, by user id; null where that is not known, or the server did.', OWNER],
  'Channel.invite_only':
    'Whether the channel is private: only those see it who are subscribed or are given access.',
  'Channel.is_web_public': 'Whether visitors without an account could read it; always false.',
  'Channel.history_public_to_subscribers':
    'Whether subscribers can read messages from before they came; always true for public channels.',
  'Channel.is_archived':
    'Whether the channel is archived: its messages stay readable, and nobody can write there.',
  is_announcement_only:
    'Older form of `stream_post_policy` 2: whether only administrators may write.',
  stream_post_policy:
    'Older form of `can_send_message_group`, the smallest role that has the right: 1 everybody, 2 administrators, 3 full members, 4 moderators.',
  'Channel.message_retention_days': [
    'Days after which messages of the channel are deleted; null as the organization says, -1 for never.',
    30,
  ],
  first_message_id: ['Id of the oldest message of the channel; null without one.', MESSAGE],
  'Channel.folder_id': ['Folder the channel is listed in; null for none. Since level 389.', 1],
  is_recently_active:
    'Whether somebody wrote there within 180 days; clients may show others in a quieter way.',
  'Channel.topics_policy':
    'Whether messages may have the empty topic: `inherit` is as the organization says.',
  subscriber_count: ['Active people and bots that are subscribed.', 12],
  stream_weekly_traffic: [
    'Messages per week, on average over the last four weeks; null for channels younger than a week.',
    120,
  ],
  default_push_notifications: 'Left for clients that read it; always false.',
  'ListedChannel.is_default':
    'Whether new accounts are subscribed to it; only with `include_default`.',
  subscribers: ['Who is subscribed, by user id; only active accounts.', [OWNER, OPHELIA]],
  'Subscription.subscribers': [
    'Who is subscribed, by user id; only with `include_subscribers`.',
    [OWNER, OPHELIA],
  ],
  'ListedChannel.subscribers': [
    'Who is subscribed, by user id; only where subscribers were asked for.',
    [OWNER, OPHELIA],
  ],
  partial_subscribers: [
    'Some of the subscribers of a large channel, in place of `subscribers`: bots, and people who came lately.',
    [OWNER],
  ],
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

  'get-channel.stream': 'The channel.',
  'get-channels.streams': 'Channels the caller can see, by name.',
  'get-subscriptions.subscriptions':
    'Channels the caller is subscribed to, with how they show them.',
  'create-channel.id': ['Id of the new channel.', VERONA],
  'get-channel-topics.topics':
    'Topics of the channel with a message the caller can read, that with the newest message first.',
  'topics.name': ['Name of the topic.', 'castle'],
  max_id: ['Id of the newest message of the topic.', SENT],
  'get-channel-email-address.email': [
    'Address whose mails become messages of the channel.',
    'general.ch1-7-3-6b1f0c2d9a8e4f5761b2c3d4.show-sender@mail.example.com',
  ],
  subscribed: ['Who was subscribed now: names of channels by user id.', { 4: ['denmark'] }],
  already_subscribed: [
    'Who was subscribed before: names of channels by user id.',
    { 4: ['general'] },
  ],
  unauthorized: [
    'Names of channels the caller may not subscribe to; only with `authorization_errors_fatal` false.',
    [],
  ],
  new_subscription_messages_sent:
    'Whether users whom somebody else subscribed were notified by a direct message; left out if nobody was to be notified.',
  removed: ['Names of channels that were left.', ['denmark']],
  not_removed: ['Names of channels to which none of the users was subscribed.', []],
  'subscribe.name': ['Name of the channel; one that does not exist is made.', 'denmark'],
  'subscribe.description': [
    'What a new channel is for, in Markdown; left alone where the channel exists.',
    'A rotten state',
  ],
  'subscribe.color': [
    'Color of the channel for the new subscribers; without it the server chooses one.',
    '#76ce90',
  ],
  'update-subscriptions.name': ['Name of the channel; one that does not exist is made.', 'general'],
  'update-subscriptions.description': [
    'What a new channel is for, in Markdown; left alone where the channel exists.',
    'A rotten state',
  ],
  'update-subscriptions.color': [
    'Color of the channel for the caller; else one is chosen.',
    '#76ce90',
  ],
  'subscription_data.stream_id': ['Channel the caller is subscribed to.', GENERAL],
  'subscription_data.property': [
    'What changes, as in `PATCH /users/me/subscriptions/{stream_id}`.',
    'color',
  ],
  'subscription_data.value': ['New value: a color, or a boolean.', '#76ce90'],

  'ChannelFolder.id': ['Id of the folder.', 1],
  'ChannelFolder.name': ['Name of the folder.', 'Theater'],
  'ChannelFolder.description': ['What the folder is for, in Markdown.', 'On and off the stage'],
  'ChannelFolder.rendered_description': ['The description as HTML.', '<p>On and off the stage</p>'],
  'ChannelFolder.order': ['Place among all folders, from 0. Since level 414.', 0],
  'ChannelFolder.is_archived': 'Whether the folder is put away.',
  'get-channel-folders.channel_folders':
    'Folders in their order; archived ones only where they were asked for.',
  channel_folder_id: ['Id of the folder.', 1],

  /* Events. */
  'stream.streams':
    'The channels: the objects of those that became visible, the ids of those that no longer are.',
  'stream.stream_ids': ['Ids of the same channels.', [GENERAL]],
  'stream.name': ['Name of the channel, before a change of it.', 'general'],
  'stream.property': 'Which property changed.',
  'stream.value': 'New value of the property.',
  'stream.history_public_to_subscribers':
    'New value of this property, which changes with `invite_only`.',
  'stream.is_web_public': 'New value of this property, which changes with `invite_only`.',
  default_streams: ['Ids of all channels new accounts are subscribed to.', [GENERAL]],
  'subscription.subscriptions':
    'The subscriptions: whole where they are new, id and name of the channel where they ended.',
  'subscriptions.name': ['Name of the channel.', 'general'],
  'subscription.property': ['Which property of the subscription changed.', 'pin_to_top'],
  'subscription.value': ['New value of the property.', true],
  'subscription.stream_ids': ['Channels in which subscribers came or went.', [GENERAL]],
  'subscription.user_ids': ['Users who subscribed or unsubscribed, by id.', [OPHELIA]],
  'channel_folder.channel_folder': 'The new folder.',
  'channel_folder.data': 'What changed, with its new value.',
  'channel_folder.order': ['Ids of all folders in their new order.', [1]],
  'data.name': ['New name.', 'Theater'],
  'data.description': ['New description, in Markdown.', 'On and off the stage'],
  'data.is_archived': 'Whether it is archived now.',
});
