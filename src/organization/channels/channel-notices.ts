import type { ChannelDocument, TopicsPolicy } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  MAX_BULK_NEW_SUBSCRIPTION_MESSAGES,
  EMPTY_TOPIC_DISPLAY_NAME,
} from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mention, mentionFor } from '../messages/message-markup.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { SubscribeResult } from './subscribing.js';
import type { Transaction } from '../state/transaction.js';
import { sameGroupSetting } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';

/** Topic of the notification bot's messages about the channel itself. */
const CHANNEL_EVENTS_TOPIC = 'channel events';
const NEW_CHANNELS_TOPIC = 'new channels';

/** Says in a new channel who created it (endpoints-channels.md#subscribe). */
export function postCreationNotice(
  tx: Transaction,
  markdown: Markdown,
  creator: UserDocument,
  channel: ChannelDocument,
): void {
  if (!tx.org.realm.current.send_channel_events_messages) return;
  const kind = `**${privacyName(channel)}** channel created by ${mention(creator)}.`;
  const content = `${kind} **Description:**\n${quoted(channel.description)}`;
  sendNotice(tx, markdown, { channel, topic: eventsTopic(channel) }, content);
}

/** Topic for notices about the channel itself. */
export function eventsTopic(channel: ChannelDocument): string {
  return channel.topics_policy === 'empty_topic_only' ? '' : CHANNEL_EVENTS_TOPIC;
}

/** Posts new public channels in the organization's announcements channel. */
export function postAnnouncement(
  tx: Transaction,
  markdown: Markdown,
  creator: UserDocument,
  created: readonly ChannelDocument[],
): void {
  const open = created.filter((channel) => !channel.invite_only);
  const place = tx.org.channels.get(tx.org.realm.current.new_stream_announcements_stream_id);
  if (open.length === 0 || !place || place.is_archived) return;
  const topic = place.topics_policy === 'empty_topic_only' ? '' : NEW_CHANNELS_TOPIC;
  const what = open.length === 1 ? 'a new channel' : 'the following channels:';
  const content = `${mention(creator)} created ${what} ${open.map(link).join(', ')}.`;
  sendNotice(tx, markdown, { channel: place, topic }, content);
}

/**
 * Sends a direct message to each person whom somebody else subscribed, unless they are too many.
 * @returns whether the messages were sent
 */
export function* postSubscriptionNotice(
  change: PartedChange,
  markdown: Markdown,
  actor: UserDocument,
  { subscribed }: SubscribeResult,
): Parts<boolean> {
  if (subscribed.size > MAX_BULK_NEW_SUBSCRIPTION_MESSAGES) return false;
  for (const [userId, channels] of subscribed) {
    if (change.isOver) yield* change.nextPart();
    const user = change.org.users.get(userId)!;
    if (userId !== actor.user_id && !user.is_bot) {
      const target = { users: [user], linkAccess: user };
      const who = mentionFor(change.org, user, actor);
      sendNotice(change.tx, markdown, target, subscribedText(who, channels));
    }
  }
  return true;
}

function subscribedText(actor: string, channels: readonly ChannelDocument[]): string {
  if (channels.length === 1) {
    return `${actor} subscribed you to the channel ${link(channels[0]!)}.`;
  }
  const list = channels.map((channel) => `* ${link(channel)}`).join('\n');
  return `${actor} subscribed you to the following channels:\n\n${list}`;
}

/** The kind of a channel, as notices call it. */
export function privacyName(channel: ChannelDocument): string {
  if (channel.is_web_public) return 'Web-public';
  if (!channel.invite_only) return 'Public';
  return channel.history_public_to_subscribers
    ? 'Private, shared history'
    : 'Private, protected history';
}

/** A description as notices quote it. */
export function quoted(description: string): string {
  return `\`\`\`\` quote\n${description === '' ? '*No description.*' : description}\n\`\`\`\``;
}

function link(channel: ChannelDocument): string {
  return `#**${channel.name}**`;
}

/** A channel before and after a change. */
interface Change {
  readonly org: Organization;
  readonly before: ChannelDocument;
  readonly after: ChannelDocument;
}

const TOPICS: Readonly<Record<TopicsPolicy, string>> = {
  inherit: 'Automatic',
  allow_empty_topic: `${EMPTY_TOPIC_DISPLAY_NAME} topic allowed`,
  disable_empty_topic: `No ${EMPTY_TOPIC_DISPLAY_NAME} topic`,
  empty_topic_only: `Only ${EMPTY_TOPIC_DISPLAY_NAME} topic allowed`,
};

/** Texts of the notices about a change, one message each, in this order; null where nothing changed. */
const TEXTS: readonly ((change: Change, who: string) => string | null)[] = [
  ({ before, after }, who) =>
    before.is_archived && !after.is_archived ? `${who} brought this channel back.` : null,
  ({ before, after }, who) =>
    before.name === after.name
      ? null
      : `${who} renamed channel **${before.name}** to **${after.name}**.`,
  ({ before, after }, who) =>
    before.description === after.description
      ? null
      : `${who} changed the description for this channel.\n\n` +
        `* **Old description:**\n${quoted(before.description)}\n` +
        `* **New description:**\n${quoted(after.description)}`,
  ({ before, after }, who) =>
    fromTo('access permissions', [privacyName(before), privacyName(after)], who),
  ({ before, after }, who) =>
    sameGroupSetting(before.can_send_message_group, after.can_send_message_group)
      ? null
      : `${who} changed the posting permissions for this channel.`,
  ({ before, after }, who) =>
    fromTo('message retention period', [retention(before), retention(after)], who),
  ({ before, after }, who) =>
    fromTo('topics policy', [TOPICS[before.topics_policy], TOPICS[after.topics_policy]], who),
  ({ org, before, after }, who) => fromTo('folder', [folder(org, before), folder(org, after)], who),
];

/** Posts in a channel what was changed about it (endpoints-channels.md#change-channel). */
export function postChangeNotices(
  tx: Transaction,
  markdown: Markdown,
  actor: UserDocument,
  before: ChannelDocument,
  after: ChannelDocument,
): void {
  if (after.is_archived || !tx.org.realm.current.send_channel_events_messages) return;
  const change = { org: tx.org, before, after };
  const target = { channel: after, topic: eventsTopic(after) };
  for (const textOf of TEXTS) {
    const content = textOf(change, mention(actor));
    if (content !== null) sendNotice(tx, markdown, target, content);
  }
}

function fromTo(what: string, [before, after]: readonly [string, string], who: string) {
  if (before === after) return null;
  return `${who} changed the ${what} for this channel from **${before}** to **${after}**.`;
}

function retention({ message_retention_days: days }: ChannelDocument): string {
  if (days === null) return 'the organization default';
  return days === -1 ? 'forever' : `${days} days`;
}

function folder(org: Organization, { folder_id }: ChannelDocument): string {
  return folder_id === null ? 'none' : (org.channelFolders.get(folder_id)?.name ?? 'none');
}
