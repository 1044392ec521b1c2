import type { ScheduledMessageDocument } from '../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, noSuchChannelId } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { canSeeChannel } from '../access/permissions.js';
import { canSeeUser } from '../access/user-access.js';
import {
  MAX_PARTICIPANTS,
  participants,
  type Recipient,
} from '../messages/sending/outgoing-message.js';
import { newTopicName } from '../../services/text/stored-text.js';

/** Recipient of a scheduled message in stored form, which is also the form clients see. */
export type ScheduledAddress = Pick<ScheduledMessageDocument['context'], 'type' | 'to' | 'topic'>;

/** The stored type for the four names that requests use. */
export function addressType(
  type: 'direct' | 'private' | 'stream' | 'channel',
): ScheduledAddress['type'] {
  return type === 'direct' || type === 'private' ? 'private' : 'stream';
}

/**
 * Parses `to` and `topic` of a request (specification-endpoints.md#create-scheduled-message).
 * @throws ApiError when `to` is invalid, or a channel message has no topic
 */
export function readAddress(
  org: Organization,
  sender: UserDocument,
  type: ScheduledAddress['type'],
  to: unknown,
  topic: string | undefined,
): { address: ScheduledAddress; recipient: Recipient } {
  if (type === 'private') {
    const address: ScheduledAddress = { type, to: userIds(to), topic: '' };
    const recipient = recipientAt(org, sender, address);
    return { address: { ...address, to: shownUsers(sender, recipient) }, recipient };
  }
  if (!Number.isSafeInteger(to)) throw badRequest('Invalid data type for channel ID');
  if (topic === undefined) throw badRequest('Missing topic');
  const address: ScheduledAddress = { type, to: to as number, topic: newTopicName(topic) };
  return { address, recipient: recipientAt(org, sender, address) };
}

/** Resolves a stored recipient. @throws ApiError when the channel or a user no longer exists */
export function recipientAt(
  org: Organization,
  sender: UserDocument,
  { type, to, topic }: ScheduledAddress,
): Recipient {
  if (type === 'stream') {
    const channel = org.channels.get(to as number);
    if (!channel || !canSeeChannel(org, sender, channel)) throw noSuchChannelId(to as number);
    return { kind: 'channel', channel, topic };
  }
  const users = (to as readonly number[]).map((userId) => {
    const user = org.users.get(userId);
    if (!user || !canSeeUser(org, sender, user)) throw badRequest(`Invalid user ID ${userId}`);
    return user;
  });
  return { kind: 'direct', users: participants(sender, users) };
}

/** Whether a message goes only to its author. */
export function isNoteToSelf(recipient: Recipient): boolean {
  return recipient.kind === 'direct' && recipient.users.length === 1;
}

function userIds(to: unknown): number[] {
  if (!Array.isArray(to)) throw badRequest('Invalid data type for recipients');
  if (to.length === 0) throw badRequest('Message must have recipients');
  if (to.length > MAX_PARTICIPANTS) {
    throw badRequest(`Too many recipients (maximum ${MAX_PARTICIPANTS}).`);
  }
  return to.map((entry: unknown) => {
    if (Number.isSafeInteger(entry)) return entry as number;
    throw badRequest('Recipient list may only contain user IDs');
  });
}

/** Ids without the author's, unless the message goes only to its author. */
function shownUsers(sender: UserDocument, recipient: Recipient): number[] {
  if (recipient.kind !== 'direct') return [];
  const ids = recipient.users.map((user) => user.user_id);
  return ids.length === 1 ? ids : ids.filter((id) => id !== sender.user_id);
}
