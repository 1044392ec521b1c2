import type { MessageArchiveDocument } from '../../../../schemas/messages/message-archive-document.js';
import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { Document, DocumentKey } from '../../../store/port.js';
import { dropArchivedLinks } from '../attachment-links.js';
import { removeTopics, type TopicRemoval } from '../deletion/remove-messages.js';
import type { Transaction } from '../../state/transaction.js';
import type { ExpiredConversation } from './expired-messages.js';

/** Collection of archived messages; they stay in the store, and nothing of them is in memory. */
export const ARCHIVE_COLLECTION = 'message_archive';
/** Due index of when archived messages are dropped, by the id of their document. */
export const ARCHIVE_INDEX = 'message_archive';

/** Key of an archive. */
export function archiveKey(id: number | string): DocumentKey {
  return { collection: ARCHIVE_COLLECTION, id: String(id) };
}

/** Messages of one topic whose time is over, with their documents. */
export interface ExpiredPart extends TopicRemoval {
  readonly documents: readonly MessageDocument[];
}

/**
 * Removes messages whose time is over as a deletion by the server, and keeps them for a while.
 * @param keepMs how long; null: not at all
 */
export function archiveMessages(
  tx: Transaction,
  { recipientId, streamId }: ExpiredConversation,
  parts: readonly ExpiredPart[],
  keepMs: number | null,
): void {
  const { org } = tx;
  const removal = { recipientId, topics: parts, actor: null };
  if (keepMs === null) {
    removeTopics(tx, removal);
    return;
  }
  const messages = parts.flatMap(({ documents }) => documents).sort((a, b) => a.id - b.id);
  const marks = messages.flatMap(({ id }) =>
    org.marks.usersOf(id).map((userId) => org.marks.of(userId, id)!),
  );
  const id = org.counters.next('message_archive');
  const document: MessageArchiveDocument = {
    id,
    archived_at: tx.seconds,
    recipient_id: recipientId,
    stream_id: streamId,
    messages,
    marks,
  };
  removeTopics(tx, { ...removal, archived: true });
  org.unit.record(
    { op: 'set', key: archiveKey(id), document: document as unknown as Document },
    () => undefined,
  );
  tx.schedule(ARCHIVE_INDEX, String(id), tx.now + keepMs);
}

/** Drops archived messages for good; files that only they linked become unclaimed. */
export function dropArchive(tx: Transaction, { id, messages }: MessageArchiveDocument): void {
  tx.org.unit.record({ op: 'delete', key: archiveKey(id) }, () => undefined);
  tx.schedule(ARCHIVE_INDEX, String(id), null);
  dropArchivedLinks(
    tx,
    messages.map((message) => message.id),
  );
}
