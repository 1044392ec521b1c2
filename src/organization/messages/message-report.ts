import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_MESSAGE_LENGTH } from '../../../schemas/limits.js';
import type { ReportType } from '../../../schemas/messages/message-report.js';
import { badRequest } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { codePointLength, truncateContent } from '../../services/text/stored-text.js';
import { mention, messageUrl, quotation, unusedFence } from './message-markup.js';
import type { Organization } from '../state/organization.js';
import { noticesToAll } from '../views/languages.js';
import { sendNotice } from './sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';

/** The reporter's complaint about a message. */
interface MessageReport {
  readonly type: ReportType;
  /** Empty without a description. */
  readonly description: string;
}

/**
 * The channel for reports of messages (`moderation_request_channel_id`).
 * @throws ApiError when the organization has none
 */
export function moderationChannel(org: Organization): ChannelDocument {
  const channel = org.channels.get(org.realm.current.moderation_request_channel_id);
  if (!channel || channel.is_archived) {
    throw badRequest('Moderation request channel must be specified to enable message reporting.');
  }
  return channel;
}

/**
 * Posts a report of a message to the moderators (endpoints-messages.md#one-message), in one topic per
 * author.
 */
export function reportToModerators(
  tx: Transaction,
  markdown: Markdown,
  by: UserDocument,
  message: MessageDocument,
  report: MessageReport,
): void {
  const channel = moderationChannel(tx.org);
  const author = tx.org.users.get(message.sender_id);
  const say = noticesToAll(tx.org);
  const name = author?.full_name ?? say('report.somebody');
  const topic = channel.topics_policy === 'empty_topic_only' ? '' : say('topic.reports', { name });
  sendNotice(tx, markdown, { channel, topic }, reportText(tx.org, by, message, report));
}

/** The text of a report. Quoted text is in a quotation, so that it mentions nobody. */
function reportText(
  org: Organization,
  by: UserDocument,
  message: MessageDocument,
  { type, description }: MessageReport,
): string {
  const say = noticesToAll(org);
  const author = org.users.get(message.sender_id);
  const sender = author ? mention(author) : say('report.somebody');
  const reporter = mention(by);
  const what =
    message.stream_id === null
      ? say('report.direct', { reporter, sender })
      : say('report.message', { reporter, sender, url: messageUrl(org, message) });
  const lines = [what, say('report.reason', { reason: say(`report.reason.${type}`) })];
  if (description !== '') lines.push(say('report.notes'), quotation(description));
  const fence = `${unusedFence(message.content)}\``;
  const before = `${lines.join('\n')}\n\n${fence}spoiler ${say('report.quoted', { sender })}\n`;
  const after = `\n${fence}`;
  const room = MAX_MESSAGE_LENGTH - codePointLength(before + quotation('', fence) + after);
  const content = truncateContent(message.content, Math.max(0, room));
  return `${before}${quotation(content)}${after}`;
}
