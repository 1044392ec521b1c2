/**
 * Checks whether the store continues the history that this node knows, or a new one must begin: an older
 * copy of a store would give ids again, and clients would silently miss events.
 */
import { random } from '../../platform/randomness.js';
import type {
  HistoryDocument,
  HistoryReason,
  HistoryRequestDocument,
} from '../../../schemas/store/history-document.js';
import { countersOf, type EndedHistory } from '../../organization/state/history.js';
import type { Organization } from '../../organization/state/organization.js';
import type { DocumentKey, Store, StoredEntry } from '../../store/port.js';
import { digestOf, type Seen, type Witness } from './witness.js';

const HISTORY: DocumentKey = { collection: 'history', id: 'history' };

/** Input of the check from the store. */
export interface StoredHistory {
  readonly history: HistoryDocument | undefined;
  readonly request: HistoryRequestDocument | undefined;
  readonly newest: StoredEntry | null;
  /** Digest of the entry at the position that the node knows; null where the store has none there. */
  readonly entryAt: string | null;
}

/** Input of the check from the node. */
export type KnownHistory = Pick<Witness, 'seen' | 'isNew' | 'isCopy'> & {
  /** Whether the node's file lies beside the store, and is copied with it. */
  readonly besideStore: boolean;
};

/** Why a new history must begin, or null. */
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
  } else if (!comesAfter(history, seen)) return 'went_back';
  if (!node.besideStore || request?.next === 'go_on') return null;
  return node.isNew || node.isCopy ? 'copied' : null;
}

/** Reads the store's input of the check. */
export async function readHistory(store: Store, { seen }: Witness): Promise<StoredHistory> {
  const history = await historyIn(store);
  const [request] = await store.getMany([{ collection: 'history_request', id: 'history' }]);
  const newest = await store.lastEntry();
  const [there] = seen.seq > 0 ? await store.readJournal(seen.seq, seen.seq, 1) : [];
  return {
    history,
    request: request as HistoryRequestDocument | undefined,
    newest,
    // The content of a damaged entry is unknown.
    entryAt: there && !there.damaged ? digestOf(there.text) : null,
  };
}

/** The end of the former history, as far as store and node know it. */
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
    random,
  };
}

/**
 * The store's position, as seen by a process that does not lead. Null where it contradicts the node's knowledge, which
 * is then kept for the check when the process leads.
 */
export async function seenOf(store: Store, known: Seen): Promise<Seen | null> {
  const history = await historyIn(store);
  const newest = await store.lastEntry();
  if (history === undefined || newest === null) return null;
  if (contradicts(history, newest.seq, known)) return null;
  if (known.history === history.id && newest.seq === known.seq) return known;
  return {
    history: history.id,
    seq: newest.seq,
    entry: digestOf(newest.text),
    counters: known.counters,
    at: known.at,
  };
}

/** As `seenOf`, of a process that has followed its leader with an organization up to an entry. */
export function seenIn(org: Organization, newest: StoredEntry, known: Seen): Seen {
  const history = org.history.current;
  if (!history || contradicts(history, newest.seq, known)) return known;
  return {
    history: history.id,
    seq: newest.seq,
    entry: digestOf(newest.text),
    counters: countersOf(org),
    at: org.now(),
  };
}

function contradicts(history: HistoryDocument, seq: number, known: Seen): boolean {
  if (known.history === history.id) return seq < known.seq;
  return !comesAfter(history, known);
}

/**
 * Whether a history gives nothing again that a node has seen of another: it comes after that one, or began behind all of
 * it, as one does that another node began after the store had lost the one of this node.
 */
function comesAfter(history: HistoryDocument, known: Seen): boolean {
  return (
    known.history === null || history.former.includes(known.history) || history.began > known.seq
  );
}

async function historyIn(store: Store): Promise<HistoryDocument | undefined> {
  const [history] = await store.getMany([HISTORY]);
  return history as HistoryDocument | undefined;
}

/** Time of an entry, milliseconds since 1970; 0 where it has none. */
function timeOf({ text }: StoredEntry): number {
  return Number(/^\{"at":(\d{1,16})/.exec(text)?.[1] ?? 0);
}
