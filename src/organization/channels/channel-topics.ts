import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Intervals } from '../state/message-index/intervals.js';
import type { PostingList } from '../state/message-index/posting-list.js';
import type { Organization } from '../state/organization.js';

/** A topic of a channel, as one user sees it. */
export interface ChannelTopic {
  readonly name: string;
  /** Newest of its messages that the user may read. */
  readonly max_id: number;
}

/** Topics with messages that the user may read, newest first (endpoints-channels.md#read-channels). */
export function channelTopics(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  options: { readonly emptyTopicName: boolean },
): ChannelTopic[] {
  const visible = new MessageAccess(org, user).visible(channel.recipient_id);
  const found: ChannelTopic[] = [];
  for (const { name, list } of org.messages.index.topics(channel.recipient_id)) {
    const max_id = newestWithin(list, visible);
    if (max_id === undefined) continue;
    const shown = name === '' && !options.emptyTopicName ? EMPTY_TOPIC_DISPLAY_NAME : name;
    found.push({ name: shown, max_id });
  }
  return found.sort((a, b) => b.max_id - a.max_id);
}

function newestWithin(list: PostingList, within: Intervals): number | undefined {
  for (let i = within.length - 1; i >= 0; i--) {
    const [from, to] = within[i]!;
    const place = list.lowerBound(to + 1) - 1;
    const id = place < 0 ? undefined : list.at(place);
    if (id !== undefined && id >= from) return id;
  }
  return undefined;
}
