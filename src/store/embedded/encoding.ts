import { asBinary } from 'lmdb';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { sealDocument, sealEntry, sealInSlices } from '../checksum.js';
import type { StoredEntry, Write, DocumentKey } from '../port.js';
import { ByDocument, numericId } from '../commits.js';

/**
 * What a commit brings, as lmdb takes it. Whatever is large is encoded in stretches before its transaction,
 * which itself only hands over memory (architecture.md#bounded-work).
 */

/** A document's text with its checksum, which lmdb takes as it is or encoded, or null to delete it. */
export interface EmbeddedWrite {
  readonly key: Write['key'];
  readonly text: string | null;
}

/** A commit of so many writes is encoded in slices: a message with its edits may have 50 kB. */
export const LARGE_COMMIT = 100;
/** An entry of such a length is, too, UTF-16 units: as much takes about a millisecond. */
const LARGE_TEXT = 256 * 1024;
/** Texts are put together in memory of this size, which lmdb takes over with less work per text. */
const SLAB_BYTES = 1024 * 1024;

/** The writes of a large commit, as they were given. */
export class LargeWrites {
  constructor(readonly writes: readonly Write[]) {}

  /** Their documents as text. Nothing of them may change: documents never do. */
  async prepare(): Promise<EmbeddedWrite[]> {
    const last = new ByDocument<Write>();
    const pause = new EventLoopYield(true);
    for (const write of this.writes) {
      last.set(write);
      if (pause.isDue) await pause.take();
    }
    const slabs = new Slabs();
    const prepared: EmbeddedWrite[] = [];
    for (const write of last.values()) {
      const { key, text } = prepare(write);
      prepared.push({ key, text: text === null ? null : slabs.take(text) });
      if (pause.isDue) await pause.take();
    }
    return prepared;
  }
}

/** Encodes texts behind each other. */
class Slabs {
  private slab = Buffer.alloc(0);
  private used = 0;

  /** A text as lmdb takes it. */
  take(text: string): string {
    const room = 3 * text.length;
    if (this.used + room > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, room));
      this.used = 0;
    }
    const start = this.used;
    this.used += this.slab.write(text, start);
    return encoded(this.slab.subarray(start, this.used));
  }
}

/** A text that is encoded already, which the types know nothing of; it has a length, too. */
function encoded(bytes: Buffer): string {
  return Object.assign(asBinary(bytes), { length: bytes.length }) as string;
}

/** Documents as they are now, the last write per key only. */
export function prepareWrites(writes: readonly Write[]): EmbeddedWrite[] {
  if (writes.length < 2) return writes.map(prepare);
  const last = new ByDocument<Write>();
  for (const write of writes) last.set(write);
  return last.map(prepare);
}

function prepare(write: Write): EmbeddedWrite {
  const { key } = write;
  if (write.op === 'delete') return { key, text: null };
  const made = write.op === 'set' ? write.text : undefined;
  return { key, text: sealDocument(key, made ?? JSON.stringify(write.document)) };
}

/** Entries with their checksums; at once unless one of them is large. */
export function sealedEntries(
  entries: readonly StoredEntry[],
): readonly StoredEntry[] | Promise<readonly StoredEntry[]> {
  const isLarge = entries.some(({ text }) => text.length >= LARGE_TEXT);
  return isLarge ? sealLarge(entries) : entries.map(sealed);
}

function sealed({ seq, text }: StoredEntry): StoredEntry {
  return { seq, text: sealEntry(seq, text) };
}

async function sealLarge(entries: readonly StoredEntry[]): Promise<StoredEntry[]> {
  const pause = new EventLoopYield(true);
  const all: StoredEntry[] = [];
  for (const entry of entries) {
    if (entry.text.length < LARGE_TEXT) {
      all.push(sealed(entry));
      continue;
    }
    const slices = sealInSlices(entry.seq, entry.text);
    let step = slices.next();
    while (!step.done) {
      if (pause.isDue) await pause.take();
      step = slices.next();
    }
    all.push({ seq: entry.seq, text: encoded(step.value) });
  }
  return all;
}

/**
 * How keys are laid out in the environment. LMDB orders keys by bytes, so numbers are written big
 * endian behind a lower tag than text, and names end in a zero byte, which they cannot contain.
 *
 *     docs   collection 00 01 <id as 7-byte integer>     numbered documents, by number
 *            collection 00 02 <id as UTF-8>              all others, by bytes
 *     due    01 index 00 <at as 7-byte integer> <id>     the schedule, in due order
 *            02 index 00 <id>                            the slot an id has, to find it again
 */

/** A document's key; `from` and `to` bound a collection and name no document. */
export interface DocumentTableKey {
  readonly collection: string;
  readonly id: string | { readonly bound: 'from' | 'to' };
}

/** A slot of the schedule, or with `at` null the record of the slot an id has. */
export interface DueTableKey {
  readonly index: string;
  readonly at: number | null;
  readonly id: string;
}

/** What lmdb asks of a key encoder: write at a position and return the end; read a range. */
export interface KeyEncoder<K, R> {
  writeKey(key: K, target: Buffer, position: number): number;
  readKey(source: Buffer, start: number, end: number): R;
}

const END_OF_NAME = 0;
const NUMBER = 1;
const TEXT = 2;
const AFTER_ALL_IDS = 3;
const SLOT = 1;
const RECORD = 2;
const INTEGER_BYTES = 7;
const FOUR_BYTES = 2 ** 32;

/** In the place of an id: before all ids of the collection. */
export const COLLECTION_START = { bound: 'from' } as const;
/** In the place of an id: after all ids of the collection. */
export const COLLECTION_END = { bound: 'to' } as const;

/** The collection of the key that was read last: a scan reads thousands of one. */
let lastName = '';

function isName(name: string, source: Buffer, start: number): boolean {
  for (let i = 0; i < name.length; i++) if (source[start + i] !== name.charCodeAt(i)) return false;
  return source[start + name.length] === END_OF_NAME;
}

/** Keys of documents, in bytes that sort like the ids. */
export const documentKeys: KeyEncoder<DocumentTableKey, DocumentKey> = {
  writeKey({ collection, id }, target, position) {
    let at = writeText(collection, target, position);
    target[at++] = END_OF_NAME;
    if (typeof id !== 'string') {
      target[at++] = id.bound === 'from' ? END_OF_NAME : AFTER_ALL_IDS;
      return at;
    }
    const number = numericId(id);
    target[at++] = number < 0 ? TEXT : NUMBER;
    return number < 0 ? writeText(id, target, at) : writeInteger(number, target, at);
  },
  readKey(source, start, end) {
    if (!isName(lastName, source, start)) {
      lastName = source.toString('latin1', start, source.indexOf(END_OF_NAME, start));
    }
    const tag = start + lastName.length + 1;
    const id =
      source[tag] === NUMBER
        ? String(readInteger(source, tag + 1))
        : source.toString('utf8', tag + 1, end);
    return { collection: lastName, id };
  },
};

/** Keys of the due index, in bytes that sort by time, and records of the times by id. */
export const dueKeys: KeyEncoder<DueTableKey, DueTableKey> = {
  writeKey({ index, at: time, id }, target, position) {
    let at = position;
    target[at++] = time === null ? RECORD : SLOT;
    at = writeText(index, target, at);
    target[at++] = END_OF_NAME;
    if (time !== null) at = writeInteger(time, target, at);
    return writeText(id, target, at);
  },
  readKey(source, start, end) {
    const nameEnd = source.indexOf(END_OF_NAME, start);
    const index = source.toString('latin1', start + 1, nameEnd);
    if (source[start] === RECORD) {
      return { index, at: null, id: source.toString('utf8', nameEnd + 1, end) };
    }
    const at = readInteger(source, nameEnd + 1);
    return { index, at, id: source.toString('utf8', nameEnd + 1 + INTEGER_BYTES, end) };
  },
};

/** Byte by byte while ASCII: cheaper than a call into the runtime for the short keys we have. */
function writeText(text: string, target: Buffer, position: number): number {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return position + i + target.write(text.slice(i), position + i, 'utf8');
    target[position + i] = code;
  }
  return position + length;
}

function writeInteger(value: number, target: Buffer, position: number): number {
  const high = Math.floor(value / FOUR_BYTES);
  target[position] = high >>> 16;
  target[position + 1] = high >>> 8;
  target[position + 2] = high;
  const low = value >>> 0;
  target[position + 3] = low >>> 24;
  target[position + 4] = low >>> 16;
  target[position + 5] = low >>> 8;
  target[position + 6] = low;
  return position + INTEGER_BYTES;
}

function readInteger(source: Buffer, position: number): number {
  return source.readUIntBE(position, 3) * FOUR_BYTES + source.readUInt32BE(position + 3);
}
