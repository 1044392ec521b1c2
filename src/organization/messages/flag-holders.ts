import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { Organization } from '../state/organization.js';
import { canReadChannel } from '../access/permissions.js';

/**
 * Users who are not subscribed to a channel but hold copies of its messages all the same, because they
 * starred or collapsed what they read there (event-queues.md#notation, HOLDERS), and who may still read it.
 * @param ids of messages of this channel
 */
export function flagHolders(
  org: Organization,
  channel: ChannelDocument,
  ids: readonly number[],
): Set<number> {
  const { marks, users, subscriptions } = org;
  const holders = new Set<number>();
  for (const id of ids) {
    for (const userId of marks.usersOf(id)) {
      if (holders.has(userId) || subscriptions.isSubscribed(userId, channel.stream_id)) continue;
      const user = users.active.has(userId) ? users.get(userId) : undefined;
      if (user && canReadChannel(org, user, channel)) holders.add(userId);
    }
  }
  return holders;
}
