import { by, clients, type Effects } from './effect.js';
import {
  MESSAGES,
  EDIT_RIGHTS,
  EDITING,
  DELETION,
  DELETING,
  CHECKS,
  SENDING,
  CHANNELS,
  SUBSCRIBING,
  GROUPS,
  MEMBERS,
  INVITES,
} from './places.js';

/** The parameters of `PATCH /streams/{stream_id}`. */
export const CHANNEL_EFFECTS: Effects = {
  ...by(
    'organization/channels/channel-checks',
    CHANNELS,
    'a new name of a channel is trimmed, and refused where it is taken or invalid',
    'new_name',
  ),
  ...by(
    'organization/channels/channel-change',
    'src/organization/channels/channel-change',
    'a rename says the old name; every property has an event of its own',
    'description',
  ),
  ...by(
    'organization/channels/channel-checks',
    CHANNELS,
    'privacy and who may read are for those who can read',
    'is_private',
    'history_public_to_subscribers',
  ),
  ...by(
    'organization/channels/channel-creation',
    CHANNELS,
    'kinds of channels that cannot be, or not by this user',
    'is_web_public',
  ),
  ...by(
    'organization/channels/channel-checks',
    CHANNELS,
    'folders, default channels and the archive',
    'is_default_stream',
    'is_archived',
    'folder_id',
  ),
  ...by(
    `${MESSAGES}/retention/expired-messages`,
    `src/${MESSAGES}/retention/message-retention`,
    'a channel has a period of its own',
    'message_retention_days',
  ),
  ...by(
    SENDING,
    EDITING,
    'policies of the place: as when sending',
    'topics_policy',
    'can_create_topic_group',
  ),
  ...by(
    'organization/access/channel-rights',
    SUBSCRIBING,
    'subscribing others needs the right to',
    'can_add_subscribers_group',
  ),
  ...by(
    'organization/access/channel-rights',
    CHANNELS,
    'administrators and whom the channel says change it, nobody else',
    'can_administer_channel_group',
  ),
  ...by(
    'organization/access/channel-rights',
    SUBSCRIBING,
    'unsubscribing others needs the right to',
    'can_remove_subscribers_group',
  ),
  ...by(
    'organization/access/permissions',
    CHANNELS,
    'privacy and who may read are for those who can read',
    'can_subscribe_group',
  ),
  ...by(
    DELETION,
    DELETING,
    "any message, with the channel's can_delete_any_message_group",
    'can_delete_any_message_group',
  ),
  ...by(
    DELETION,
    DELETING,
    "own message, with the channel's can_delete_own_message_group",
    'can_delete_own_message_group',
  ),
  ...by(
    EDIT_RIGHTS,
    'system/api/levels-of-access',
    '396: who moves messages within a channel, and out of it',
    'can_move_messages_out_of_channel_group',
    'can_move_messages_within_channel_group',
  ),
  ...by(EDIT_RIGHTS, EDITING, CHECKS, 'can_resolve_topics_group'),
  ...by(
    SENDING,
    'src/resources/scheduling/scheduled-messages',
    'every check of sending is made',
    'can_send_message_group',
  ),
};

/** The parameters of `PATCH /user_groups/{user_group_id}`. */
export const GROUP_EFFECTS: Effects = {
  ...by(
    'organization/groups/group-changes',
    GROUPS,
    'update: name, description and permissions, one event per property',
    'name',
    'description',
  ),
  ...by(
    'organization/groups/group-changes',
    GROUPS,
    'deactivation: by variant of the queue, and back by an update',
    'deactivated',
  ),
  ...by(
    'organization/access/group-rights',
    INVITES,
    'group_ids: the caller needs permission to add users to them',
    'can_add_members_group',
  ),
  ...by(
    'organization/access/group-rights',
    MEMBERS,
    'joining and leaving goes by rights of their own',
    'can_remove_members_group',
  ),
  ...by(
    'organization/groups/group-membership',
    MEMBERS,
    'joining and leaving goes by rights of their own',
    'can_join_group',
    'can_leave_group',
  ),
  ...by(
    'organization/access/group-rights',
    GROUPS,
    'update: an empty or invalid change is refused',
    'can_manage_group',
  ),
  ...by(
    SENDING,
    `src/${MESSAGES}/sending/group-mentions`,
    'can_mention_group decides who may mention a group',
    'can_mention_group',
  ),
};

/** The properties of a subscription. */
export const SUBSCRIPTION_EFFECTS: Effects = {
  ...by(
    'organization/channels/subscription-change',
    'src/resources/channels/subscription-properties',
    'colours are stored in one form',
    'color',
  ),
  ...by(
    'organization/channels/subscription-change',
    'src/resources/channels/subscription-properties',
    'muting gives two events in order, by either name',
    'in_home_view',
  ),
  ...by(
    'organization/reasons/facts',
    'src/organization/reasons/facts',
    'what one chose for a channel decides there, whatever one chose for all',
    'is_muted',
    'push_notifications',
    'email_notifications',
    'wildcard_mentions_notify',
  ),
  ...clients('they list the channel first', 'pin_to_top'),
  ...by(
    'organization/reasons/facts',
    'src/organization/reasons/notices',
    'each reason, as settings, channel and topic have it',
    'desktop_notifications',
  ),
  ...clients('they notify on the desktop', 'audible_notifications'),
};
