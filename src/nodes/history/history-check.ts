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
import type { LeaderDocument } from '../../../schemas/store/leader-document.js';
import { countersOf, type EndedHistory } from '../../organization/state/history.js';
import type { Organization } from '../../organization/state/organization.js';
import type { DocumentKey, Store, StoredEntry } from '../../store/port.js';
import { digestOf, type Seen, type Witness } from './witness.js';

const HISTORY: DocumentKey = { collection: 'history', id: 'history' };
const REQUEST: DocumentKey = { collection: 'history_request', id: 'history' };
const LEADER: DocumentKey = { collection: 'leader', id: 'leader' };

/** What the check reads of a store. */
type HistoryStore = Pick<Store, 'getManyWithLast' | 'readJournal' | 'firstSeq'>;

/** Input of the check from the store. */
export interface StoredHistory {
  readonly history: HistoryDocument | undefined;
  readonly request: HistoryRequestDocument | undefined;
  /** The term that was recorded last. */
  readonly leader: LeaderDocument | undefined;
  readonly newest: StoredEntry | null;
  /** Whether the store may yet lose it, and documents of its time: nobody has been told of it. */
  readonly isUnsettled: boolean;
  /**
   * Digest of the entry at the position that the node knows; empty where there is none, null where it was trimmed or is
   * damaged.
   */
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
  if (request?.next === 'begin') return request.reason;
  if (wentBack(store, node.seen)) return 'went_back';
  if (history === undefined || !node.besideStore || request?.next === 'go_on') return null;
  return node.isNew || node.isCopy ? 'copied' : null;
}

/** Whether a store lacks what a node has seen of it, or has something else in its place. */
function wentBack(
  { history, newest, entryAt }: Pick<StoredHistory, 'history' | 'newest' | 'entryAt'>,
  seen: Seen,
): boolean {
  if (history === undefined) return seen.history !== null;
  if (seen.history !== history.id) return !comesAfter(history, seen);
  if (seen.seq > (newest?.seq ?? 0)) return true;
  return entryAt !== null && seen.entry !== '' && entryAt !== seen.entry;
}

/**
 * The store lacks what this node has seen of it, and its leader, which has not seen it, goes on without: it gives those
 * positions again.
 */
export class OutdatedLeaderError extends Error {
  /** @param leader token of its lease; null where none is recorded */
  constructor(readonly leader: number | null) {
    super('The store lacks what this node has seen of it, or has something else in its place');
    this.name = 'OutdatedLeaderError';
  }
}

/**
 * Compares a store that another node leads with what this one has seen of it, which is from then on what the store has:
 * a node has seen it although the store may be away again before the node follows.
 * @throws OutdatedLeaderError
 */
export async function assertNotBack(store: Store, witness: Witness): Promise<void> {
  await witness.refresh();
  const stored = await readHistory(store, witness);
  if (!wentBack(stored, witness.seen)) {
    await recordStored(store, stored, witness);
    return;
  }
  // So that a process of this folder which starts anew knows it, too.
  await witness.save();
  throw new OutdatedLeaderError(stored.leader?.token ?? null);
}

/**
 * Reads the store's input of the check. The documents are of one moment, and the newest entry is read with them: where
 * another server took the place of the store in between, the history of one would be judged by the position of the other.
 */
export async function readHistory(
  store: HistoryStore,
  { seen }: Pick<Witness, 'seen'>,
): Promise<StoredHistory> {
  const read = await store.getManyWithLast([HISTORY, REQUEST, LEADER]);
  const [history, request, leader] = read.documents as [
    HistoryDocument | undefined,
    HistoryRequestDocument | undefined,
    LeaderDocument | undefined,
  ];
  const isUnsettled = read.isUnsettled === true;
  const entryAt = await digestAt(store, seen.seq);
  return { history, request, leader, newest: read.last, isUnsettled, entryAt };
}

async function digestAt(store: HistoryStore, seq: number): Promise<string | null> {
  const [there] = seq > 0 ? await store.readJournal(seq, seq, 1) : [];
  if (there) return there.damaged ? null : digestOf(there.text);
  // An entry with many events takes several positions: what took the place of this one may have begun before it.
  const first = await store.firstSeq();
  return first !== null && first < seq ? '' : null;
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
 * Records the store's position, as seen by a process that does not lead. Where it contradicts the node's knowledge, that is
 * kept for the check when the process leads.
 * @returns whether there is a history
 */
export async function observe(store: Store, witness: Witness): Promise<boolean> {
  const stored = await readHistory(store, witness);
  return !wentBack(stored, witness.seen) && (await recordStored(store, stored, witness));
}

/** @returns whether there is a history */
async function recordStored(
  store: Pick<Store, 'scan'>,
  { history, newest, isUnsettled }: StoredHistory,
  witness: Witness,
): Promise<boolean> {
  if (history === undefined || newest === null) return false;
  // A node has seen what it knows to be durable: what is lost before that, nobody misses.
  if (isUnsettled) return true;
  const { seq, text } = newest;
  const { seen } = witness;
  if (seen.history !== history.id || seq !== seen.seq) {
    const known = { ...seen, history: history.id, seq, entry: digestOf(text) };
    // Before more is read: the store may be away then.
    witness.record(known);
    witness.record({ ...known, counters: await countersIn(store, seen.counters) });
  }
  await witness.save();
  return true;
}

/** The newest assigned numbers by counter, at least those that are known. */
async function countersIn(
  store: Pick<Store, 'scan'>,
  known: Seen['counters'],
): Promise<Record<string, number>> {
  const counters = { ...known };
  for await (const batch of store.scan('counter')) {
    for (const { id, document } of batch) {
      counters[id] = Math.max(Number(document.last), counters[id] ?? 0);
    }
  }
  return counters;
}

/** What a process has seen that has followed its leader with an organization up to an entry. */
export function seenIn(org: Organization, newest: StoredEntry, known: Seen): Seen {
  const history = org.history.current;
  // What is at the known position was compared when it was read.
  if (!history || wentBack({ history, newest, entryAt: null }, known)) return known;
  return {
    history: history.id,
    seq: newest.seq,
    entry: digestOf(newest.text),
    counters: countersOf(org),
    at: org.now(),
  };
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

/** Time of an entry, milliseconds since 1970; 0 where it has none. */
function timeOf({ text }: StoredEntry): number {
  return Number(/^\{"at":(\d{1,16})/.exec(text)?.[1] ?? 0);
}
