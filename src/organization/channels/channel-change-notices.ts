import type { ChannelDocument, TopicsPolicy } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { eventsTopic, privacyName, quoted } from './channel-notices.js';
import { mention } from '../messages/message-markup.js';
import { sameGroupSetting } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';

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

/** What is told of a change, one notice each, in this order; null where it says nothing. */
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

/** Tells in a channel what was changed about it (endpoints-channels.md#change-channel). */
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
