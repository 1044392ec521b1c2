import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { canSeeChannel } from '../access/permissions.js';
import { NO_OPTIONS, type MailOptions, type MailTarget } from '../mail/mail-addresses.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Recipient } from '../messages/sending/outgoing-message.js';
import { checkChannel } from '../messages/sending/sending-rules.js';
import type { Organization } from '../state/organization.js';

/** An address is of no use any more. It says nothing of what there was. */
export class AddressGoneError extends Error {
  constructor() {
    super('This address no longer accepts mail');
  }
}

/** Where a mail goes, as things are now. */
export interface MailRoute {
  readonly sender: UserDocument;
  /** Whose rights the message needs. */
  readonly rights: UserDocument;
  /** A channel whose topic the subject names, or a conversation that there is. */
  readonly to: { readonly channel: ChannelDocument } | { readonly recipient: Recipient };
  readonly options: MailOptions;
}

/**
 * Where a mail to an address goes.
 * @throws AddressGoneError
 * @throws ApiError where whoever answers for it may not write there
 */
export function routeOf(org: Organization, target: MailTarget): MailRoute {
  if (org.realm.isDeactivated) throw new AddressGoneError();
  return target.kind === 'channel' ? channelRoute(org, target) : replyRoute(org, target);
}

function channelRoute(
  org: Organization,
  { channelId, creatorId, senderId, options }: Extract<MailTarget, { kind: 'channel' }>,
): MailRoute {
  const channel = org.channels.get(channelId);
  const creator = org.users.get(creatorId);
  const sender = org.users.get(senderId);
  if (!channel || !creator?.is_active || !sender?.is_active) throw new AddressGoneError();
  const rights = sender.is_system_bot ? creator : sender;
  if (!canSeeChannel(org, rights, channel)) throw new AddressGoneError();
  checkChannel(org, rights, channel);
  return { sender, rights, to: { channel }, options };
}

function replyRoute(
  org: Organization,
  { userId, messageId, isExpired }: Extract<MailTarget, { kind: 'reply' }>,
): MailRoute {
  const sender = org.users.get(userId);
  if (isExpired || !sender?.is_active || !new MessageAccess(org, sender).canSee(messageId)) {
    throw new AddressGoneError();
  }
  const { recipientId, name } = org.messages.index.topicOf(messageId)!;
  const channel = org.channels.byRecipient(recipientId);
  const options = NO_OPTIONS;
  if (!channel) {
    const userIds = org.conversations.get(recipientId)?.user_ids ?? [];
    const users = userIds.map((id) => org.users.get(id)!);
    return { sender, rights: sender, to: { recipient: { kind: 'direct', users } }, options };
  }
  checkChannel(org, sender, channel);
  const recipient = { kind: 'channel', channel, topic: name } as const;
  return { sender, rights: sender, to: { recipient }, options };
}
