import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { shownTopic } from '../../journal/renderers/message.js';
import { encodeHashComponent } from '../../services/markdown/channel-links.js';
import type { Organization } from '../state/organization.js';

/** A conversation as its receiver knows it. */
export interface ConversationName {
  /** For a subject: `#channel > topic`, or who else takes part. */
  readonly name: string;
  readonly isDirect: boolean;
  /** Address of a message in it. */
  readonly url: string;
}

/** Names of others that are listed; more are counted. */
const LISTED = 5;

/** The conversation of a message, and the address of the message there. */
export function conversationOf(
  org: Organization,
  { id, recipient_id, stream_id, topic }: MessageDocument,
  viewer: UserDocument,
): ConversationName {
  const channel = stream_id === null ? undefined : org.channels.get(stream_id);
  if (!channel) {
    const { user_ids } = org.conversations.get(recipient_id)!;
    const others = user_ids.filter((userId) => userId !== viewer.user_id);
    const shape = others.length > 1 ? 'group' : 'dm';
    return {
      name: `Direct messages with ${listed(namesOf(org, others))}`,
      isDirect: true,
      url: `${org.site.url}/#narrow/dm/${user_ids.join(',')}-${shape}/near/${id}`,
    };
  }
  const place = `${channelUrl(org, channel)}/topic/${encodeHashComponent(topic)}`;
  return {
    name: `#${channel.name} > ${shownTopic(topic, false)}`,
    isDirect: false,
    url: `${place}/near/${id}`,
  };
}

/** The address of a channel. */
export function channelUrl(
  org: Organization,
  { stream_id, name }: Pick<ChannelDocument, 'stream_id' | 'name'>,
): string {
  const slug = encodeHashComponent(name.replaceAll(' ', '-'));
  return `${org.site.url}/#narrow/channel/${stream_id}-${slug}`;
}

function namesOf(org: Organization, userIds: readonly number[]): string[] {
  return userIds.map((userId) => org.users.get(userId)?.full_name ?? 'Unknown user');
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? 'yourself';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}
