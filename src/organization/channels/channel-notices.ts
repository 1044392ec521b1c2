import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_BULK_NEW_SUBSCRIPTION_MESSAGES } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mention } from '../messages/message-markup.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { SubscribeResult } from './subscribing.js';
import type { Transaction } from '../state/transaction.js';

/** Topic of notices about a channel itself. */
const CHANNEL_EVENTS_TOPIC = 'channel events';
const NEW_CHANNELS_TOPIC = 'new channels';

/** Tells in a new channel who made it (endpoints-channels.md#subscribe). */
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

/** Topic of a channel where notices about itself stand. */
export function eventsTopic(channel: ChannelDocument): string {
  return channel.topics_policy === 'empty_topic_only' ? '' : CHANNEL_EVENTS_TOPIC;
}

/** Tells in the announcements channel of new channels that everybody may join. */
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
 * Tells people that somebody else subscribed them, unless they are too many to tell.
 * @returns whether they were told
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
      const target = { users: [user], sight: user };
      sendNotice(change.tx, markdown, target, subscribedText(actor, channels));
    }
  }
  return true;
}

function subscribedText(actor: UserDocument, channels: readonly ChannelDocument[]): string {
  if (channels.length === 1) {
    return `${mention(actor)} subscribed you to the channel ${link(channels[0]!)}.`;
  }
  const list = channels.map((channel) => `* ${link(channel)}`).join('\n');
  return `${mention(actor)} subscribed you to the following channels:\n\n${list}`;
}

/** What kind of channel it is, in the words of notices. */
export function privacyName(channel: ChannelDocument): string {
  if (channel.is_web_public) return 'Web-public';
  if (!channel.invite_only) return 'Public';
  return channel.history_public_to_subscribers
    ? 'Private, shared history'
    : 'Private, protected history';
}

/** A description as notices show it. */
export function quoted(description: string): string {
  return `\`\`\`\` quote\n${description === '' ? '*No description.*' : description}\n\`\`\`\``;
}

function link(channel: ChannelDocument): string {
  return `#**${channel.name}**`;
}
