/**
 * What a commit brings, as lmdb takes it. Whatever is large is encoded in stretches before its transaction,
 * which itself only hands over memory (architecture.md#bounded-work).
 */
import { asBinary } from 'lmdb';
import { EventLoopYield } from '../../event-loop-yield.js';
import { sealDocument, sealEntry, sealInSlices } from '../checksum.js';
import type { StoredEntry, Write } from '../port.js';

/** A document's text with its checksum, which lmdb takes as it is or encoded, or null to delete it. */
export interface EmbeddedWrite {
  readonly key: Write['key'];
  readonly text: string | null;
}

/** Writes from here on are encoded in slices: a message with its edits may have 50 kB. */
export const LARGE_COMMIT = 100;
/** Texts of entries from here on are, UTF-16 units: as much takes about a millisecond. */
const LARGE_TEXT = 256 * 1024;
/** Texts are put together in memory of this size, which lmdb takes over with less work per text. */
const SLAB_BYTES = 1024 * 1024;

/** The writes of a large commit, as they were given. */
export class LargeWrites {
  constructor(private readonly writes: readonly Write[]) {}

  /** Their documents as text. Nothing of them may change: documents never do. */
  async prepare(): Promise<EmbeddedWrite[]> {
    const last = new Map<string, Write>();
    const pause = new EventLoopYield(true);
    for (const write of this.writes) {
      last.set(`${write.key.collection}:${write.key.id}`, write);
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

/** The types know nothing of values that are encoded already. */
function encoded(bytes: Buffer): string {
  return asBinary(bytes) as unknown as string;
}

/** Documents as they are now, the last write per key only. */
export function prepareWrites(writes: readonly Write[]): EmbeddedWrite[] {
  if (writes.length < 2) return writes.map(prepare);
  const last = new Map<string, Write>();
  for (const write of writes) last.set(`${write.key.collection}:${write.key.id}`, write);
  return Array.from(last.values(), prepare);
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
