/**
 * What an environment holds: names, which are found by leaping from one to the next, documents, entries, due indexes.
 */
import { unsealDocument, unsealEntry } from '../checksum.js';
import {
  DamagedError,
  type Document,
  type DocumentKey,
  type DueSlot,
  type StoredEntry,
} from '../port.js';
import { isStorableId, isStorableName } from '../commits.js';
import type { Environment } from './environment.js';
import { COLLECTION_END, COLLECTION_START } from './encoding.js';
import { merged } from './merges/unapplied.js';
import type { Merges } from './merges/unapplied-record.js';

/** Documents of a collection, in their order. */
export type ScanBatch = { id: string; document: Document }[];

/** Most text in one batch of a scan, in UTF-16 units; one larger document still comes, alone. */
const SCAN_BATCH_SIZE = 4 * 1024 * 1024;

/** Sorts behind every key of an index: names have no such character. */
const AFTER_NAME = '\u0001';

/** Collections that have documents, ascending. */
export function collectionNames({ documents }: Environment): string[] {
  const names: string[] = [];
  for (;;) {
    const last = names.at(-1);
    const start =
      last === undefined
        ? { collection: '', id: COLLECTION_START }
        : { collection: last, id: COLLECTION_END };
    const [next] = [...documents.getKeys({ start, limit: 1 })];
    if (next === undefined) return names;
    names.push(next.collection);
  }
}

/** Due indexes that have slots, ascending. */
export function dueIndexNames({ due }: Environment): string[] {
  const names: string[] = [];
  for (;;) {
    const last = names.at(-1);
    const index = last === undefined ? '' : last + AFTER_NAME;
    const [next] = [...due.getKeys({ start: { index, at: null, id: '' }, limit: 1 })];
    if (next === undefined) return names;
    names.push(next.index);
  }
}

/**
 * All slots of an index in batches, in their order; then the broken ones that have no place in it.
 * @param environment asked before each batch; throws where it is closed
 */
export function* allSlots(
  environment: () => Environment,
  index: string,
  limit: number,
): Generator<DueSlot[]> {
  for (let after: DueSlot | null = null; ;) {
    const batch = dueSlots(environment(), index, after, limit);
    const last = batch.at(-1);
    if (last === undefined) break;
    yield batch;
    after = last;
  }
  for (let id: string | null = ''; id !== null;) {
    const { slots, last } = lostSlots(environment(), index, id, limit);
    if (slots.length > 0) yield slots;
    id = last;
  }
}

/** The next slots of an index after one, at most `limit`. */
function dueSlots(
  { due }: Environment,
  index: string,
  after: DueSlot | null,
  limit: number,
): DueSlot[] {
  if (!isStorableName(index)) return [];
  const range = {
    start: { index, at: after?.at ?? 0, id: after?.id ?? '' },
    end: { index: index + AFTER_NAME, at: 0, id: '' },
    exclusiveStart: after !== null,
    limit,
  };
  const slots: DueSlot[] = [];
  for (const { id, at: time } of due.getKeys(range)) {
    const at = time ?? 0;
    const isWhole = due.get({ index, at: null, id }) === String(at);
    slots.push(isWhole ? { id, at } : { id, at, isBroken: true });
  }
  return slots;
}

/**
 * The next ids behind one whose record says a time at which the index does not have them, among the next `limit` ids.
 * @returns with the last id that was looked at, null at the end
 */
function lostSlots(
  { due }: Environment,
  index: string,
  after: string,
  limit: number,
): { readonly slots: DueSlot[]; readonly last: string | null } {
  const range = {
    start: { index, at: null, id: after },
    end: { index: index + AFTER_NAME, at: null, id: '' },
    exclusiveStart: true,
    limit,
  };
  const slots: DueSlot[] = [];
  let last: string | null = null;
  for (const { key, value } of due.getRange(range)) {
    last = key.id;
    const at = Number(value);
    const isThere =
      Number.isSafeInteger(at) && at >= 0 && due.get({ index, at, id: last }) !== undefined;
    if (!isThere) slots.push({ id: last, at: Math.max(0, at || 0), isBroken: true });
  }
  return { slots, last };
}

/** Slots of an index up to a time, at most `limit`. */
export function dueUntil(
  { due }: Environment,
  index: string,
  at: number,
  limit: number,
): DueSlot[] {
  const end = Math.min(Math.floor(at), Number.MAX_SAFE_INTEGER - 1) + 1;
  if (!isStorableName(index) || !(end > 0)) return [];
  const range = { start: { index, at: 0, id: '' }, end: { index, at: end, id: '' }, limit };
  const slots: DueSlot[] = [];
  for (const slot of due.getKeys(range)) slots.push({ id: slot.id, at: slot.at ?? 0 });
  return slots;
}

/** The newest entry of the journal. */
export function newestEntry({ journal }: Environment): StoredEntry | null {
  for (const { key, value } of journal.getRange({ reverse: true, limit: 1 })) {
    return entryOf(key, value);
  }
  return null;
}

/** Entries of the journal from one position to another, inclusive, at most `limit`. */
export function readEntries(
  { journal }: Environment,
  from: number,
  to: number,
  limit: number,
): StoredEntry[] {
  const entries: StoredEntry[] = [];
  for (const { key, value } of journal.getRange({ start: from, end: to + 1, limit })) {
    entries.push(entryOf(key, value));
  }
  return entries;
}

function entryOf(seq: number, stored: string): StoredEntry {
  const text = unsealEntry(seq, stored);
  return text === null ? { seq, text: '', damaged: true } : { seq, text };
}

/**
 * A document; undefined where there is none.
 * @param store how the operator calls it
 * @param unapplied of the same snapshot
 * @throws DamagedError naming the document
 */
export function readDocument(
  { documents }: Environment,
  store: string,
  unapplied: Merges | null,
  key: DocumentKey,
): Document | undefined {
  if (!isStorableName(key.collection) || !isStorableId(key.id)) return undefined;
  const text = documents.get(key);
  return text === undefined ? undefined : merged(unapplied, key, parseDocument(store, key, text));
}

/** A document from its stored text. @throws DamagedError naming the document */
function parseDocument(store: string, key: DocumentKey, stored: string): Document {
  const text = unsealDocument(key, stored);
  if (text === null) throw new DamagedError(store, nameOf(key), 'its checksum differs');
  try {
    return JSON.parse(text) as Document;
  } catch (cause) {
    throw new DamagedError(store, nameOf(key), 'it is no JSON', { cause });
  }
}

function nameOf({ collection, id }: DocumentKey): string {
  return `${collection}:${id}`;
}

/**
 * Reads one batch of a scan from one snapshot, which is let go before the batch is handed over.
 * @param store how the operator calls it
 * @param unapplied of the same snapshot
 * @throws DamagedError naming a document
 */
export function scanBatch(
  { documents }: Environment,
  store: string,
  unapplied: Merges | null,
  { collection, after, limit }: { collection: string; after: string | undefined; limit: number },
): ScanBatch {
  const range = {
    start: { collection, id: after ?? COLLECTION_START },
    end: { collection, id: COLLECTION_END },
    exclusiveStart: true,
    limit,
  };
  const batch: ScanBatch = [];
  let size = 0;
  for (const { key, value } of documents.getRange(range)) {
    size += value.length;
    if (batch.length > 0 && size > SCAN_BATCH_SIZE) break;
    batch.push({ id: key.id, document: merged(unapplied, key, parseDocument(store, key, value)) });
  }
  return batch;
}
