import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { GroupSettingValue } from '../groups/group-document.js';
import { collection } from '../collection.js';

/** The eleven permission settings of a channel (endpoints-channels.md#channel-object), in wire order. */
export const CHANNEL_PERMISSIONS = [
  'can_add_subscribers_group',
  'can_administer_channel_group',
  'can_create_topic_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
  'can_remove_subscribers_group',
  'can_resolve_topics_group',
  'can_send_message_group',
  'can_subscribe_group',
] as const;
/** Name of a permission setting of a channel. */
export type ChannelPermission = (typeof CHANNEL_PERMISSIONS)[number];

/** Whether a channel allows the empty topic, allows only that, or inherits the organization's policy. */
export const TOPICS_POLICIES = [
  'inherit',
  'allow_empty_topic',
  'disable_empty_topic',
  'empty_topic_only',
] as const;
/** One of {@link TOPICS_POLICIES}. */
export type TopicsPolicy = (typeof TOPICS_POLICIES)[number];

/** Stored channel. Facts that follow from messages or subscriptions are derived, not stored. */
export const ChannelDocument = Type.Object({
  stream_id: Type.Integer(),
  /** Conversation id of the channel's messages. */
  recipient_id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  rendered_description: Type.String(),
  /** UNIX seconds. */
  date_created: Type.Integer(),
  creator_id: nullable(Type.Integer()),
  invite_only: Type.Boolean(),
  is_web_public: Type.Boolean(),
  history_public_to_subscribers: Type.Boolean(),
  is_archived: Type.Boolean(),
  is_default: Type.Boolean(),
  message_retention_days: nullable(Type.Integer()),
  folder_id: nullable(Type.Integer()),
  topics_policy: Type.Unsafe<TopicsPolicy>(Type.String()),
  can_add_subscribers_group: GroupSettingValue,
  can_administer_channel_group: GroupSettingValue,
  can_create_topic_group: GroupSettingValue,
  can_delete_any_message_group: GroupSettingValue,
  can_delete_own_message_group: GroupSettingValue,
  can_move_messages_out_of_channel_group: GroupSettingValue,
  can_move_messages_within_channel_group: GroupSettingValue,
  can_remove_subscribers_group: GroupSettingValue,
  can_resolve_topics_group: GroupSettingValue,
  can_send_message_group: GroupSettingValue,
  can_subscribe_group: GroupSettingValue,
});
export type ChannelDocument = Static<typeof ChannelDocument>;

/** The stored documents of `channel`. */
export const channelCollection = collection('channel', ChannelDocument);
