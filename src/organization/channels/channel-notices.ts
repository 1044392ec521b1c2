import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_BULK_NEW_SUBSCRIPTION_MESSAGES } from '../../../schemas/limits.js';
import type { Say } from '../../languages/catalogs.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { mention, mentionFor } from '../messages/message-markup.js';
import type { PartedChange, Parts } from '../state/parted-change.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { SubscribeResult } from './subscribing.js';
import type { Transaction } from '../state/transaction.js';
import { sameGroupSetting } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import { noticesTo, noticesToAll } from '../views/languages.js';

/** Says in a new channel who created it (endpoints-channels.md#subscribe). */
export function postCreationNotice(
  tx: Transaction,
  markdown: Markdown,
  creator: UserDocument,
  channel: ChannelDocument,
): void {
  if (!tx.org.realm.current.send_channel_events_messages) return;
  const say = noticesToAll(tx.org);
  const content = say('channel.created', {
    privacy: privacyName(say, channel),
    actor: mention(creator),
    description: quoted(say, channel.description),
  });
  sendNotice(tx, markdown, { channel, topic: eventsTopic(say, channel) }, content);
}

/** Topic for notices about the channel itself. */
function eventsTopic(say: Say<'notices'>, channel: ChannelDocument): string {
  return channel.topics_policy === 'empty_topic_only' ? '' : say('topic.channel-events');
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
  const say = noticesToAll(tx.org);
  const topic = place.topics_policy === 'empty_topic_only' ? '' : say('topic.new-channels');
  const content = say('channel.announced', {
    count: open.length,
    actor: mention(creator),
    channels: open.map(link).join(', '),
  });
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
      const say = noticesTo(change.org, userId);
      sendNotice(change.tx, markdown, target, subscribedText(say, who, channels));
    }
  }
  return true;
}

function subscribedText(
  say: Say<'notices'>,
  actor: string,
  channels: readonly ChannelDocument[],
): string {
  const [first, ...others] = channels;
  if (first && others.length === 0) {
    return say('channel.subscribed', { actor, channel: link(first) });
  }
  const list = channels.map((channel) => `* ${link(channel)}`).join('\n');
  return say('channel.subscribed-several', { actor, list });
}

/** The kind of a channel, as notices call it. */
function privacyName(say: Say<'notices'>, channel: ChannelDocument): string {
  if (channel.is_web_public) return say('privacy.web-public');
  if (!channel.invite_only) return say('privacy.public');
  return say(channel.history_public_to_subscribers ? 'privacy.shared' : 'privacy.protected');
}

/** A description as notices quote it. */
function quoted(say: Say<'notices'>, description: string): string {
  return `\`\`\`\` quote\n${description === '' ? say('channel.no-description') : description}\n\`\`\`\``;
}

function link(channel: ChannelDocument): string {
  return `#**${channel.name}**`;
}

/** A channel before and after a change. */
interface Change {
  readonly org: Organization;
  readonly say: Say<'notices'>;
  readonly before: ChannelDocument;
  readonly after: ChannelDocument;
  readonly actor: string;
}

/** Texts of the notices about a change, one message each, in this order; null where nothing changed. */
const TEXTS: readonly ((change: Change) => string | null)[] = [
  ({ say, before, after, actor }) =>
    before.is_archived && !after.is_archived ? say('change.back', { actor }) : null,
  (change) => fromTo(change, 'change.name', ({ name }) => name),
  (change) =>
    fromTo(change, 'change.description', ({ description }) => quoted(change.say, description)),
  (change) => fromTo(change, 'change.access', (channel) => privacyName(change.say, channel)),
  ({ say, before, after, actor }) =>
    sameGroupSetting(before.can_send_message_group, after.can_send_message_group)
      ? null
      : say('change.posting', { actor }),
  (change) => fromTo(change, 'change.retention', (channel) => retention(change.say, channel)),
  (change) =>
    fromTo(change, 'change.topics', ({ topics_policy }) => change.say(`topics.${topics_policy}`)),
  (change) => fromTo(change, 'change.folder', (channel) => folder(change, channel)),
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
  const say = noticesToAll(tx.org);
  const change = { org: tx.org, say, before, after, actor: mention(actor) };
  const target = { channel: after, topic: eventsTopic(say, after) };
  for (const textOf of TEXTS) {
    const content = textOf(change);
    if (content !== null) sendNotice(tx, markdown, target, content);
  }
}

function fromTo(
  { say, before, after, actor }: Change,
  id: `change.${'name' | 'description' | 'access' | 'retention' | 'topics' | 'folder'}`,
  valueOf: (channel: ChannelDocument) => string,
): string | null {
  const values = { before: valueOf(before), after: valueOf(after) };
  return values.before === values.after ? null : say(id, { ...values, actor });
}

function retention(say: Say<'notices'>, { message_retention_days: days }: ChannelDocument): string {
  if (days === null) return say('retention.default');
  return days === -1 ? say('retention.forever') : say('retention.days', { days });
}

function folder({ org, say }: Change, { folder_id }: ChannelDocument): string {
  const found = folder_id === null ? undefined : org.channelFolders.get(folder_id);
  return found?.name ?? say('folder.none');
}
