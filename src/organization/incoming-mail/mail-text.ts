import { MAX_MESSAGE_LENGTH } from '../../../schemas/limits.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import { markdownLink } from '../../languages/markdown-link.js';
import type { Say } from '../../languages/catalogs.js';
import type { MailContent } from '../../services/incoming-mail/mail-content.js';
import {
  withoutMentions,
  codePointLength,
  truncateContent,
  outsidersTopic,
} from '../../services/text/stored-text.js';
import { attachmentUrl } from '../uploads/attachments.js';

/** What mail programs put before the subject of an answer, and of a mail that is sent on. */
const PREFIXES = /^(?:\s*(?:re|aw|sv|vs|antw|fwd?|wg|tr|rv)\s*(?:\[\d{1,3}\])?\s*:\s*)+/i;
/** Characters of a file's name that the link shows: twenty links leave room for a text. */
const MAX_LINK_NAME = 80;

/** A line that begins a block of code. */
const FENCE = /^\s*(?:`{3,}|~{3,})/m;

/** The topic that a subject names. */
export function topicOf(say: Say<'notices'>, channel: ChannelDocument, subject: string): string {
  return outsidersTopic(channel, subject.replace(PREFIXES, ''), say('topic.no-subject'));
}

/** The Markdown of the message that a mail becomes: its sender where that is wanted, its text, its files. */
export function messageText(
  say: Say<'notices'>,
  mail: MailContent,
  text: string,
  showSender: boolean,
  attachments: readonly Pick<AttachmentDocument, 'name' | 'path_id'>[],
): string {
  // Names are an outsider's words, unlike the text, which the address's owner answers for.
  const isNamed = showSender && mail.from !== '';
  const sender = isNamed ? `${say('mail.from', { sender: withoutMentions(mail.from) })}\n` : '';
  const links = attachments.map((file) => markdownLink(linkName(file.name), attachmentUrl(file)));
  if (mail.omittedFiles > 0) {
    links.push(say('mail.omitted-files', { count: mail.omittedFiles }));
  }
  const files = links.join('\n');
  // The links are never cut off.
  const room = MAX_MESSAGE_LENGTH - codePointLength(`${sender}${files}\n\n`);
  const shown = truncateContent(text, room);
  // A block of code that is not closed, or is cut off, would take links behind it for code.
  const parts = FENCE.test(shown) ? [files, shown] : [shown, files];
  return (sender + parts.filter((part) => part !== '').join('\n\n')).trimStart();
}

/** The end of a name, which says what kind of file it is. */
function linkName(name: string): string {
  return (
    name
      .trim()
      .slice(-MAX_LINK_NAME)
      .replace(/\p{Cs}/gu, '') || 'file'
  );
}
