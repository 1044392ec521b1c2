/** What two sources say otherwise of messages: looked at once more, as the store has them now. */
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { endOf, readFollowedEntry } from '../../journal/entry-reading.js';
import { readApart } from '../../organization/state/damaged-documents.js';
import { storedFault } from '../../organization/state/stored-fault.js';
import { DamagedError, type StoreReads } from '../../store/port.js';

/** The part of a store that is read. */
export type ComparedStore = Pick<StoreReads, 'getMany' | 'readJournal' | 'firstSeq' | 'lastEntry'>;

/** Messages that are told apart; what differs in more is damaged as a whole. */
export const MOST_SUSPECTS = 10_000;
/** Documents, and journal entries, that are read at a time. */
const DOCUMENTS = 256;
const ENTRIES = 256;

/** An index that is kept, and what it says. */
interface Kept {
  readonly name: string;
  /** The journal from there on is not in it. */
  readonly next: number;
  /** What it says of a message; 0 where it has none. */
  printIn(id: number): number;
  /** The same, of a message's document. */
  printOf(document: MessageDocument): number;
}

/**
 * Reports the messages that an index says otherwise than their documents, item by item. While the store is served, a
 * message may have changed since one of the two was read: its document is read again, and it is left out where the journal
 * says that it changed behind the end of the index.
 */
export async function compareAgain(
  store: ComparedStore,
  kept: Kept,
  suspects: Iterable<number>,
  report: (line: string) => void,
): Promise<void> {
  const ids: number[] = [];
  let hasMore = false;
  for (const id of suspects) {
    hasMore = ids.length === MOST_SUSPECTS;
    if (hasMore) break;
    ids.push(id);
  }
  if (ids.length === 0) return;
  ids.sort((a, b) => a - b);
  const found = new Map<number, string>();
  for (let from = 0; from < ids.length; from += DOCUMENTS) {
    const some = ids.slice(from, from + DOCUMENTS);
    const keys = some.map((id) => ({ collection: 'message', id: String(id) }));
    const documents = await readApart((wanted) => store.getMany(wanted), keys);
    for (const [place, id] of some.entries()) {
      const document = documents[place];
      // A damaged one was named.
      if (document instanceof DamagedError) continue;
      if (document && storedFault('message', String(id), document) !== null) continue;
      const said = kept.printIn(id);
      const print = document ? kept.printOf(document as unknown as MessageDocument) : 0;
      if (said === print) continue;
      found.set(id, print === 0 ? 'is no message' : said === 0 ? 'is missing' : OTHERWISE);
    }
  }
  if (found.size === 0) return;
  const changed = await changedSince(store, kept.next);
  if (changed === null) return;
  for (const [id, problem] of found) {
    if (!changed.has(id)) report(`${kept.name}: message:${id} ${problem}`);
  }
  if (hasMore) report(`${kept.name}: more than ${MOST_SUSPECTS} messages differ`);
}

const OTHERWISE = 'is otherwise than its document';

/** The messages that the journal changes from a position on; null where it does not tell. */
async function changedSince(store: ComparedStore, from: number): Promise<Set<number> | null> {
  const changed = new Set<number>();
  for (let next = from; ;) {
    const entries = await store.readJournal(next, Number.MAX_SAFE_INTEGER, ENTRIES);
    if (entries.length === 0) return changed;
    for (const stored of entries) {
      const entry = readFollowedEntry(stored);
      if (!entry) return null;
      for (const { key } of entry.changes) {
        if (key.collection === 'message') changed.add(Number(key.id));
      }
      next = endOf(entry.position);
    }
  }
}
