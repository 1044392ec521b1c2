import type { FedIndex, OpenedIndex } from '../../../services/search-index/protocol.js';
import type { StoreReads } from '../../../store/port.js';
import type { Runtime } from '../../state/runtime.js';

/** Dependencies of the feed of the search index. */
export interface SearchFeedOptions {
  readonly runtime: Pick<Runtime, 'org' | 'journal'>;
  readonly store: Pick<StoreReads, 'firstSeq' | 'readJournal'>;
  /** Opens the index. @param ended to be called when it ended unasked */
  open(ended: (error: Error) => void): Promise<{ index: FedIndex; state: OpenedIndex }>;
  onError(error: unknown): void;
  /** An index that was there is made anew of the messages. @param why a phrase after "it" */
  onAnew(why: string, isDamage: boolean): void;
  /** How long changes are collected, milliseconds. */
  readonly collectingMs?: number;
  /** Messages from which on there is an index. */
  readonly fewest?: number;
}
