import { parameterTexts } from '../parameter-texts.js';

const GSV =
  'A group’s id, or an object with `direct_members` and `direct_subgroups`; where it changes, `{"new", "old"}` with the value the caller believes to be there.';

/** Parameters about channels, subscriptions and folders. */
export const channelTexts = parameterTexts({
  stream_id: 'Id of a channel the caller can see.',
  'get-channel-email-address.sender_id':
    'Who the messages sent there seem to come from: the caller, a bot of theirs, or the mail gateway bot (default).',
  name: 'Name, unique in the organization whatever the case of its letters.',
  'create-channel.name': 'Name of the new channel, at most `max_stream_name_length` characters.',
  'create-channel-folder.name':
    'Name of the new folder, at most `max_channel_folder_name_length` characters.',
  'update-channel-folder.name':
    'New name of the folder, at most `max_channel_folder_name_length` characters.',
  new_name: [
    'New name of the channel, at most `max_stream_name_length` characters; a notice tells of it.',
    'elsinore',
  ],
  description: 'What it is for, in Markdown.',
  'create-channel.description':
    'What the channel is for, in Markdown, at most `max_stream_description_length` characters.',
  'update-channel.description':
    'What the channel is for, in Markdown, at most `max_stream_description_length` characters; a notice tells of it.',
  'create-channel-folder.description':
    'What the folder is for, in Markdown, at most `max_channel_folder_description_length` characters.',
  'update-channel-folder.description':
    'What the folder is for, in Markdown, at most `max_channel_folder_description_length` characters.',
  channel_folder_id: 'Which folder, by its number from `GET /channel_folders`; archived ones too.',
  folder_id: ['Folder the channel is listed in; null for none.', 1],
  include_archived: 'Whether archived folders are listed too.',
  'update-channel-folder.is_archived':
    'Whether the folder is put away; only one without channels can be.',
  is_private: 'Whether only subscribers see the channel and its messages.',
  invite_only: 'Whether a channel that is made by this request is private.',
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
  subscribers: 'Ids of those who are subscribed from the beginning.',
  subscriptions:
    'Channels by name, as objects `{"name", "color", "description"}`; those that do not exist are made, where the caller may.',
  'unsubscribe.subscriptions':
    'Names of the channels to leave, as a JSON list or joined by commas.',
  principals: ['Users to subscribe instead of the caller: user ids, or API e-mail addresses.', [4]],
  'unsubscribe.principals': [
    'Users to unsubscribe instead of the caller: user ids, or API e-mail addresses.',
    [4],
  ],
  authorization_errors_fatal:
    'Whether one channel the caller may not subscribe to refuses the whole request; otherwise it is named in `unauthorized`.',
  'update-subscriptions.add': 'Channels to subscribe to, as objects with `name`.',
  'update-subscriptions.delete': 'Names of channels to unsubscribe from.',
  include_subscribers:
    'Whether the reply lists the subscribers of each channel; `partial` lists only some in large ones: bots, and people active within 14 days.',
  include_public: 'Whether public channels are listed.',
  include_web_public: 'Whether web-public channels are listed (there are none).',
  include_subscribed: 'Whether the channels one is subscribed to are listed.',
  exclude_archived: 'Whether archived channels are left out.',
  include_all: 'Whether all channels are listed that one can see; guests are refused.',
  include_default:
    'Whether each channel says with `is_default` if new accounts are subscribed to it.',
  include_owner_subscribed: 'For bots: whether the channels of the bot’s owner are listed.',
  include_can_access_content: 'Whether all channels whose messages one may read are listed.',
  subscription_data:
    'Changes, as objects with `stream_id`, `property` and `value`; all of them happen, or none.',
  property:
    'What changes: `color`, `is_muted`, `in_home_view` (its opposite), `pin_to_top`, or one of the notification properties.',
  value: 'New value: a color such as `#c2c2c2`, or a boolean.',
});
