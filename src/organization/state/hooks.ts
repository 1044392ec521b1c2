import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';

/** What a node that leads does beside its organization for what transactions change there. */
export class Hooks {
  /** Gets each message that is sent; null where nobody is notified by mail or push. */
  notifier: MessageNotifier | null = null;

  /** Makes thumbnails of uploaded pictures; null while this node does not lead. */
  thumbnailer: {
    add(attachmentId: number): void;
    linked(attachmentId: number, messageId: number): void;
  } | null = null;

  /** Asks the web pages that messages link; null while this node does not lead, or asks none. */
  pagePreviews: PageAsker | null = null;
}

/** Tells people of messages beyond their event queues. */
export interface MessageNotifier {
  /**
   * A message is being sent, in the open transaction.
   * @param readers users for whom it is read on arrival
   */
  sent(message: MessageDocument, readers: readonly number[]): void;
  /** The text of a message is being changed, in the open transaction. */
  edited(before: MessageDocument, now: MessageDocument): void;
  /**
   * Messages of one conversation are being deleted, or moved where some who received them cannot read them, in the open
   * transaction.
   */
  withdrawn(ids: readonly number[]): void;
}

/** Asks the web pages that messages link what they say of themselves. */
export interface PageAsker {
  /** A message is being sent, or its text changed, in the open transaction; its text links these pages. */
  changed(
    tx: { onceDurable(work: () => void): void },
    sender: UserDocument,
    message: MessageDocument,
    pages: readonly string[],
  ): void;
}
