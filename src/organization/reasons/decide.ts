import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import { VISIBILITY, type VisibilityPolicy } from '../../../schemas/topics/user-topics.js';
import type { UserSettings } from '../../../schemas/users/user-settings.js';

/** The settings of a user that decide about notifications. */
export type NotificationSettings = Pick<
  UserSettings,
  | 'enable_desktop_notifications'
  | 'enable_followed_topic_desktop_notifications'
  | 'enable_stream_desktop_notifications'
  | 'enable_offline_email_notifications'
  | 'enable_offline_push_notifications'
  | 'enable_online_push_notifications'
  | 'enable_stream_email_notifications'
  | 'enable_stream_push_notifications'
  | 'enable_followed_topic_email_notifications'
  | 'enable_followed_topic_push_notifications'
  | 'wildcard_mentions_notify'
  | 'enable_followed_topic_wildcard_mentions_notify'
>;

/** What a user chose for one channel; null as their settings say. */
export interface ChannelChoices {
  readonly muted: boolean;
  readonly email: boolean | null;
  readonly push: boolean | null;
  readonly desktop: boolean | null;
  readonly wildcardMentions: boolean | null;
}

/** What is known of a message and one of its receivers. */
export interface NotificationFacts {
  /** An active account of a human who is not the sender. */
  readonly isPerson: boolean;
  /** The message was read on arrival, as one of a muted user is. */
  readonly isRead: boolean;
  /** Whether no client of the receiver shows them what comes: see `Attention`. */
  readonly isAway: boolean;
  /** Their address may be somebody else's where nobody has shown that it is theirs. */
  readonly takesMails: boolean;
  /** Null for a direct message. */
  readonly channel: ChannelChoices | null;
  readonly topicPolicy: VisibilityPolicy;
  /** By name or through a group. */
  readonly isMentioned: boolean;
  /** The whole channel, or those who wrote to the topic, were mentioned. */
  readonly isWildcardMentioned: boolean;
  readonly hasAlertWord: boolean;
  readonly settings: NotificationSettings;
}

/** Why a receiver is notified of a message, by mail and by push; null: not notified. */
export interface NotificationDecision {
  readonly email: Trigger | null;
  readonly push: Trigger | null;
}

const NOTHING: NotificationDecision = { email: null, push: null };

/** Whether a receiver is notified of a message, how, and why (notifications.md#who). */
export function decide(facts: NotificationFacts): NotificationDecision {
  const { isPerson, isRead, isAway, settings } = facts;
  if (!isPerson || isRead) return NOTHING;
  const pushes = isAway || settings.enable_online_push_notifications;
  if (!isAway && !pushes) return NOTHING;
  return {
    email: isAway && facts.takesMails ? emailTrigger(facts) : null,
    push: pushes ? pushTrigger(facts) : null,
  };
}

function emailTrigger(facts: NotificationFacts): Trigger | null {
  const { settings, channel } = facts;
  return triggerOf(facts, {
    personal: settings.enable_offline_email_notifications,
    followed: settings.enable_followed_topic_email_notifications,
    channel: channel?.email ?? settings.enable_stream_email_notifications,
  });
}

function pushTrigger(facts: NotificationFacts): Trigger | null {
  const { settings, channel } = facts;
  return triggerOf(facts, {
    personal: settings.enable_offline_push_notifications,
    followed: settings.enable_followed_topic_push_notifications,
    channel: channel?.push ?? settings.enable_stream_push_notifications,
  });
}

/** Why a client that is open shows its user a notice of a message; null: it shows none (notifications.md#notices). */
export function noticeReason(facts: NotificationFacts): Trigger | null {
  const { isPerson, isRead, settings, channel } = facts;
  if (!isPerson || isRead) return null;
  return triggerOf(facts, {
    personal: settings.enable_desktop_notifications,
    followed: settings.enable_followed_topic_desktop_notifications,
    channel: channel?.desktop ?? settings.enable_stream_desktop_notifications,
  });
}

/** The reasons for which one kind of notification is enabled. */
interface Switches {
  /** Direct messages, mentions and alert words. */
  readonly personal: boolean;
  readonly followed: boolean;
  readonly channel: boolean;
}

/** The strongest reason that is switched on. */
function triggerOf(facts: NotificationFacts, on: Switches): Trigger | null {
  const { channel, settings } = facts;
  if (channel === null) return on.personal ? 'direct_message' : null;
  // A mention reaches the user whom it names, also where they muted the topic.
  if (facts.isMentioned && on.personal) return 'mention';
  const followed = facts.topicPolicy === VISIBILITY.followed;
  const shown = isShown(channel, facts.topicPolicy);
  if (facts.isWildcardMentioned && on.personal) {
    if (followed && settings.enable_followed_topic_wildcard_mentions_notify) {
      return 'followed_topic_wildcard';
    }
    const wanted = channel.wildcardMentions ?? settings.wildcard_mentions_notify;
    if (shown && wanted) return 'wildcard';
  }
  if (facts.hasAlertWord && on.personal && shown) return 'alert_word';
  if (followed && on.followed) return 'followed_topic';
  return shown && on.channel ? 'channel' : null;
}

/** Whether the topic is among what the receiver wants to see. */
function isShown({ muted }: ChannelChoices, policy: VisibilityPolicy): boolean {
  if (policy === VISIBILITY.inherit) return !muted;
  return policy !== VISIBILITY.muted;
}
