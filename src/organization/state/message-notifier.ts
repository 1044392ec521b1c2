import type { MessageDocument } from '../../../schemas/messages/message-document.js';

/** Tells people of messages beyond their event queues. */
export interface MessageNotifier {
  /**
   * A message is being sent, in the open transaction.
   * @param readers users for whom it is read on arrival
   */
  sent(message: MessageDocument, readers: readonly number[]): void;
  /** The text of a message is being changed, in the open transaction. */
  edited(before: MessageDocument, now: MessageDocument): void;
  /** Messages of one conversation are being deleted, in the open transaction. */
  deleted(ids: readonly number[]): void;
}
