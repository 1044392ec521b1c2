import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import { MAX_MESSAGE_LENGTH } from '../../../schemas/limits.js';
import { codePointLength, truncateContent } from '../../services/text/content.js';
import { mention, messageUrl, quotation, unusedFence } from '../messages/message-markup.js';
import type { Organization } from '../state/organization.js';

/**
 * Text of a reminder (endpoints-personal.md#personal-things): what was asked for, the note, and the message, linked
 * and quoted.
 */
export function reminderText(org: Organization, message: MessageDocument, note: string): string {
  const head = `${introduction(org, message, note)}\n\n${attribution(org, message)}\n`;
  const fence = unusedFence(message.content);
  const room = MAX_MESSAGE_LENGTH - codePointLength(head + quotation('', fence));
  return head + quotation(truncateContent(message.content, Math.max(0, room)), fence);
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
  const name = sender ? mention(sender) : 'Somebody';
  return `${name} [said](${messageUrl(org, message)}):`;
}
