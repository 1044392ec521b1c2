import type { MessageDocument } from '../../../schemas/documents/message.js';
import { MAX_MESSAGE_LENGTH } from '../../../schemas/limits.js';
import { encodeHashComponent } from '../../services/markdown/channel-links.js';
import { codePointLength, truncateContent } from '../../services/message-text.js';
import type { Organization } from '../organization.js';

/**
 * Text of a reminder (endpoints.md section F): what was asked for, the note, and the message, linked
 * and quoted.
 */
export function reminderText(org: Organization, message: MessageDocument, note: string): string {
  const head = `${introduction(org, message, note)}\n\n${attribution(org, message)}\n`;
  const fence = unusedFence(message.content);
  const frame = (quoted: string): string => `${fence}quote\n${quoted}\n${fence}`;
  const room = MAX_MESSAGE_LENGTH - codePointLength(head + frame(''));
  return head + frame(truncateContent(message.content, Math.max(0, room)));
}

/** Text of a reminder of a message that its user cannot read any more. */
export function reminderWithoutMessage(note: string): string {
  return `You requested a reminder for a message that is no longer available.${noted(note)}`;
}

function introduction(org: Organization, message: MessageDocument, note: string): string {
  const channel = message.stream_id === null ? undefined : org.channels.get(message.stream_id);
  const what = channel
    ? `#**${channel.name}>${message.topic}@${message.id}**`
    : 'the following direct message';
  return `You requested a reminder for ${what}.${noted(note)}`;
}

function noted(note: string): string {
  const text = note.trim();
  if (text === '') return '';
  const lines = text.split('\n').map((line) => ` > ${line}`);
  return ` Note:\n${lines.join('\n')}`;
}

function attribution(org: Organization, message: MessageDocument): string {
  const sender = org.users.get(message.sender_id);
  const name = sender ? `@_**${sender.full_name}|${sender.user_id}**` : 'Somebody';
  return `${name} [said](${messageUrl(org, message)}):`;
}

/** Address of a message in the web client. */
export function messageUrl(org: Organization, message: MessageDocument): string {
  const base = `${org.site.url}/#narrow`;
  const channel = message.stream_id === null ? undefined : org.channels.get(message.stream_id);
  if (channel) {
    const slug = encodeHashComponent(channel.name.replaceAll(' ', '-'));
    const topic = encodeHashComponent(message.topic);
    return `${base}/channel/${channel.stream_id}-${slug}/topic/${topic}/near/${message.id}`;
  }
  const users = org.conversations.get(message.recipient_id)?.user_ids ?? [message.sender_id];
  const kind = users.length > 2 ? 'group' : 'dm';
  return `${base}/dm/${users.join(',')}-${kind}/near/${message.id}`;
}

/** A fence longer than any at the beginning of a line of the text. */
export function unusedFence(text: string): string {
  let longest = 2;
  for (const [, run = ''] of text.matchAll(/^[ \t>]*(`{3,})/gm)) {
    longest = Math.max(longest, run.length);
  }
  return '`'.repeat(longest + 1);
}
