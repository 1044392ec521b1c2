import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { encodeHashComponent } from '../../services/markdown/channel-links.js';
import { canSeeUser } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import { UNKNOWN_USER } from '../views/unknown-user.js';

/* The Markdown with which messages of the server mention people, and link and quote messages. */

/** Mentions a user without notifying them. */
export function mention({
  full_name,
  user_id,
}: Pick<UserDocument, 'full_name' | 'user_id'>): string {
  return `@_**${full_name}|${user_id}**`;
}

/** The same in a text for one reader, who may not be allowed to see the user (conventions.md#hidden-users). */
export function mentionFor(org: Organization, reader: UserDocument, user: UserDocument): string {
  return canSeeUser(org, reader, user) ? mention(user) : UNKNOWN_USER;
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

/**
 * A text as a quotation.
 * @param fence the fence of the whole text, where only its beginning is quoted
 */
export function quotation(text: string, fence = unusedFence(text)): string {
  return `${fence}quote\n${text}\n${fence}`;
}
