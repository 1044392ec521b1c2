import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { localeOf, type Language } from '../../languages/languages.js';
import { texts } from '../../languages/texts.js';
import { encodeHashComponent } from '../../services/markdown/channel-links.js';
import type { Organization } from '../state/organization.js';
import { languageOfUser } from '../views/languages.js';

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
    const language = languageOfUser(org, viewer.user_id);
    const say = texts('mails', language);
    const shape = others.length > 1 ? 'group' : 'dm';
    return {
      name: say('conversation.direct', { names: listed(org, others, language) }),
      isDirect: true,
      url: `${org.site.url}/#narrow/dm/${user_ids.join(',')}-${shape}/near/${id}`,
    };
  }
  const place = `${channelUrl(org, channel)}/topic/${encodeHashComponent(topic)}`;
  return {
    name: `#${channel.name} > ${topicFor(topic, languageOfUser(org, viewer.user_id))}`,
    isDirect: false,
    url: `${place}/near/${id}`,
  };
}

/** The name of a topic for people; clients of the API have their own for the empty one. */
export function topicFor(topic: string, language: Language): string {
  return topic === '' ? texts('mails', language)('conversation.general-chat') : topic;
}

/** The address of a channel. */
export function channelUrl(
  org: Organization,
  { stream_id, name }: Pick<ChannelDocument, 'stream_id' | 'name'>,
): string {
  const slug = encodeHashComponent(name.replaceAll(' ', '-'));
  return `${org.site.url}/#narrow/channel/${stream_id}-${slug}`;
}

function listed(org: Organization, userIds: readonly number[], language: Language): string {
  const say = texts('mails', language);
  const unknown = say('conversation.unknown-user');
  const names = userIds.slice(0, LISTED).map((id) => org.users.get(id)?.full_name ?? unknown);
  const rest = userIds.length - names.length;
  if (rest > 0) names.push(say('conversation.more', { count: rest }));
  if (names.length === 0) return say('conversation.yourself');
  return new Intl.ListFormat(localeOf(language), { type: 'conjunction' }).format(names);
}
