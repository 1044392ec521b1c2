/** What the server and the thread of its search index tell each other. */
import type { Clause } from '../search/terms.js';

/** A message to be indexed. */
export interface IndexedDocument {
  readonly id: number;
  readonly recipient_id: number;
  readonly sender_id: number;
  readonly topic: string;
  readonly rendered_content: string;
}

/** How far an index is. */
export interface IndexState {
  /** The history whose positions it counts; null where there is no index. */
  readonly history: string | null;
  /** It has everything up to this position of the journal, of the messages that it covers. */
  readonly position: number;
  /** The smallest id from which on it has all messages. */
  readonly coveredFrom: number;
}

/** How an index was found when it was opened. */
export interface OpenedIndex extends IndexState {
  /** Messages in it, and the largest id of one. */
  readonly messages: number;
  readonly lastId: number;
  /** What was wrong with it, so that it was thrown away; null where nothing was. */
  readonly problem: string | null;
}

/** Changes that are applied together. */
export interface IndexBatch {
  readonly documents: readonly IndexedDocument[];
  readonly removed: readonly number[];
  readonly position: number;
  readonly coveredFrom: number;
}

/** A question to the index. */
export interface IndexQuery {
  readonly clauses: readonly Clause[];
  readonly direction: 'up' | 'down';
  /** First id that may be found, and last one. */
  readonly from: number;
  readonly to: number;
  /** Most ids found. */
  readonly limit: number;
  /** Conversations, senders, ids to which the search is restricted; each absent: to none. */
  readonly recipients?: Uint32Array;
  readonly senders?: Uint32Array;
  readonly ids?: Uint32Array;
}

/** An answer of the index. */
export interface IndexAnswer {
  /** In the order of the direction. */
  readonly ids: readonly number[];
  /** Where to go on; undefined when everything was looked at. */
  readonly next: number | undefined;
}

/** What the thread is asked; each is answered by its number. */
export type IndexRequest =
  | { readonly kind: 'reset'; readonly state: IndexState }
  | { readonly kind: 'apply'; readonly batch: IndexBatch }
  | { readonly kind: 'find'; readonly query: IndexQuery }
  | { readonly kind: 'close' };

/** What the thread is given at its start. */
export interface ThreadOptions {
  readonly folder: string;
}

/** What each request is answered with. */
export interface IndexReplies {
  readonly reset: null;
  readonly apply: null;
  readonly find: IndexAnswer;
  readonly close: null;
}

/** Threads get nothing of the process's options and environment, which may hold secrets, or start other things. */
export const ALONE = { env: {}, execArgv: [] };

/** The index that is fed: a thread, or in tests the index itself. */
export interface FedIndex {
  reset(state: IndexState): Promise<unknown>;
  apply(batch: IndexBatch): Promise<unknown>;
  find(query: IndexQuery): Promise<IndexAnswer>;
  close(): Promise<void>;
}
