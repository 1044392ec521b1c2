/**
 * Whether the store goes on with the history that this node knows, or another one must begin: a store
 * that went back would give numbers again, and clients that were away would miss events silently.
 */
import type {
  HistoryDocument,
  HistoryReason,
  HistoryRequestDocument,
} from '../../schemas/store/history-document.js';
import { countersOf, type EndedHistory } from '../organization/state/history.js';
import type { Organization } from '../organization/state/organization.js';
import type { DocumentKey, Store, StoredEntry } from '../store/port.js';
import { digestOf, type Seen, type Witness } from './witness.js';

const HISTORY: DocumentKey = { collection: 'history', id: 'history' };

/** What the check looks at in the store. */
export interface StoredHistory {
  readonly history: HistoryDocument | undefined;
  readonly request: HistoryRequestDocument | undefined;
  readonly newest: StoredEntry | null;
  /** Digest of the entry at the position the node knows; null where it is not there (any more). */
  readonly entryAt: string | null;
}

/** What the check knows of the node. */
export type KnownHistory = Pick<Witness, 'seen' | 'isNew' | 'isCopy'> & {
  /** Whether the file of the node lies beside the store, and goes where it goes. */
  readonly besideStore: boolean;
};

/** Why another history must begin, or null. */
export function verdict(store: StoredHistory, node: KnownHistory): HistoryReason | null {
  const { history, request } = store;
  const { seen } = node;
  if (request?.next === 'begin') return request.reason;
  if (history === undefined) return seen.history === null ? null : 'went_back';
  if (seen.history === history.id) {
    const { seq } = seen;
    if (seq > (store.newest?.seq ?? 0)) return 'went_back';
    if (store.entryAt !== null && seen.entry !== '' && store.entryAt !== seen.entry) {
      return 'went_back';
    }
  } else if (seen.history !== null && !history.former.includes(seen.history)) {
    return 'went_back';
  }
  if (!node.besideStore || request?.next === 'go_on') return null;
  return node.isNew || node.isCopy ? 'copied' : null;
}

/** Reads what the check needs. */
export async function readHistory(store: Store, { seen }: Witness): Promise<StoredHistory> {
  const history = await historyIn(store);
  const [request] = await store.getMany([{ collection: 'history_request', id: 'history' }]);
  const newest = await store.lastEntry();
  const [there] = seen.seq > 0 ? await store.readJournal(seen.seq, seen.seq, 1) : [];
  return {
    history,
    request: request as HistoryRequestDocument | undefined,
    newest,
    // What a damaged entry said is not known.
    entryAt: there && !there.damaged ? digestOf(there.text) : null,
  };
}

/** What is known of the history that ends, by the store and by the node. */
export function endedHistory(
  org: Organization,
  newest: StoredEntry | null,
  { seen }: Pick<Witness, 'seen'>,
  now: number,
): EndedHistory {
  const counters = countersOf(org);
  for (const [name, last] of Object.entries(seen.counters)) {
    counters[name] = Math.max(last, counters[name] ?? 0);
  }
  // Of another history the node's numbers count, but it may not know how far this one came.
  const sure = seen.history === org.history.current?.id ? seen.at : 0;
  const lastSeen = Math.max(sure, newest ? timeOf(newest) : 0);
  return {
    seq: Math.max(seen.seq, newest?.seq ?? 0),
    counters,
    age: lastSeen === 0 ? Infinity : (now - lastSeen) / 1000,
    now,
    random: Math.random,
  };
}

/**
 * What a process that does not lead sees. Null where it contradicts what the node knows: that is kept, to
 * be judged when it leads.
 */
export async function seenOf(store: Store, known: Seen): Promise<Seen | null> {
  const history = await historyIn(store);
  const newest = await store.lastEntry();
  if (history === undefined || newest === null) return null;
  const same = known.history === history.id;
  if (same && newest.seq < known.seq) return null;
  if (!same && known.history !== null && !history.former.includes(known.history)) return null;
  if (same && newest.seq === known.seq) return known;
  return {
    history: history.id,
    seq: newest.seq,
    entry: digestOf(newest.text),
    counters: known.counters,
    at: known.at,
  };
}

async function historyIn(store: Store): Promise<HistoryDocument | undefined> {
  const [history] = await store.getMany([HISTORY]);
  return history as HistoryDocument | undefined;
}

/** When an entry was made, milliseconds since 1970; 0 where it does not say. */
function timeOf({ text }: StoredEntry): number {
  return Number(/^\{"at":(\d{1,16})/.exec(text)?.[1] ?? 0);
}
