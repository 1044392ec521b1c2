import type { MessageDocument } from '../../../schemas/messages/message.js';
import { serviceUnavailable } from '../../errors/index.js';
import type { PinnedMessages } from '../../organization/state/message-index/message-documents.js';
import type { Organization } from '../../organization/state/organization.js';

/** Loads one message's document and pins it, so that it stays current until the transaction whose turn comes later. */
export async function pinMessage(org: Organization, id: number): Promise<PinnedMessages> {
  const pinned = org.messages.pin();
  try {
    const document = (await org.messages.fetchAll([id])).get(id);
    // A document written since the store read it is in memory.
    if (document) pinned.documents.set(id, org.messages.resident(id) ?? document);
  } catch (error) {
    pinned.release();
    throw error;
  }
  return pinned;
}

/** Releases what a transaction that was refused did not need. */
export function releasePinned(pinned: PinnedMessages): void {
  pinned.release();
}

/** The current document of a pinned message, which it releases. @throws ApiError 503 when it is not pinned */
export function pinnedMessage(
  org: Organization,
  pinned: PinnedMessages,
  id: number,
): MessageDocument {
  const document = pinned.documents.get(id) ?? org.messages.resident(id);
  pinned.release();
  if (!document) throw serviceUnavailable('The message is being changed');
  return document;
}
