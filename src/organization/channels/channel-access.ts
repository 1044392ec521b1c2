import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { hidesUsers } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import { captureAccess, guestsAmong, type FormerAccess } from '../views/access-change.js';

const NOTHING: FormerAccess = [];

/**
 * Captures whom guests see before users are subscribed to channels, or unsubscribed: guests among them may gain or lose
 * all subscribers, and guests there these users.
 */
export function accessBefore(
  org: Organization,
  usersByChannel: ReadonlyMap<ChannelDocument, readonly number[]>,
): FormerAccess {
  if (!hidesUsers(org) || org.users.activeGuests.size === 0) return NOTHING;
  const changing = new Set<number>();
  const staying = new Set<number>();
  for (const [{ stream_id }, userIds] of usersByChannel) {
    if (userIds.length === 0) continue;
    for (const id of userIds) changing.add(id);
    for (const id of org.subscriptions.subscribers(stream_id)) staying.add(id);
  }
  for (const id of changing) staying.delete(id);
  return captureAccess(org, [
    { viewerIds: guestsAmong(org, changing), userIds: [...changing, ...staying] },
    { viewerIds: guestsAmong(org, staying), userIds: [...changing] },
  ]);
}
