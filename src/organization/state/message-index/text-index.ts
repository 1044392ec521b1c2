import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { IndexAnswer, IndexQuery } from '../../../services/search-index/protocol.js';

/** Finds messages by their words. It never decides what somebody may see. */
export interface TextIndex {
  /** Smallest id from which on it has all messages, except those that changed of late; Infinity while it has none. */
  readonly coveredFrom: number;
  /** Called when messages were added, or removed, or what a search finds of them changed, or that was taken back. */
  changed(ids: readonly number[]): void;
  /** Messages of a range of ids that changed of late, which it may know as they were; in no order. */
  changedBetween(lowest: number, highest: number): number[];
  /** @throws Error where it cannot be asked now */
  find(query: IndexQuery): Promise<IndexAnswer>;
}

/** Fields that decide whether and where a search finds a message. */
const SEARCHED: readonly (keyof MessageDocument)[] = ['rendered_content', 'topic', 'recipient_id'];

/** Whether a search is concerned by a change of these fields. */
export function isSearched(fields: Partial<MessageDocument>): boolean {
  return SEARCHED.some((name) => name in fields);
}
