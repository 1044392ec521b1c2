import { EventLoopYield } from '../event-loop-yield.js';
import type { Write, StoredEntry } from '../store/port.js';
import { encodeLargeEntry, type EntryContent, type Position } from './entry.js';

/** Folds writes to one write per document: of two numbers taken from a counter only the second is stored. */
export function foldWrites(writes: Write[]): Write[] {
  if (areFewAndDifferent(writes) || areAscending(writes)) return writes;
  const byKey = new Map<string, Write>();
  for (const write of writes) fold(byKey, write);
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

/** So few writes are compared each with each: a message has two. */
const FEW = 4;

function areFewAndDifferent(writes: readonly Write[]): boolean {
  if (writes.length > FEW) return false;
  for (let i = 1; i < writes.length; i++) {
    const { collection, id } = writes[i]!.key;
    for (let j = 0; j < i; j++) {
      const { key } = writes[j]!;
      if (key.id === id && key.collection === collection) return false;
    }
  }
  return true;
}

/** Like `foldWrites`, with yields to the event loop. */
async function foldManyWrites(
  writes: readonly Write[],
  pause: EventLoopYield,
): Promise<readonly Write[]> {
  const byKey = new Map<string, Write>();
  for (const write of writes) {
    fold(byKey, write);
    if (pause.isDue) await pause.take();
  }
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

function fold(byKey: Map<string, Write>, write: Write): void {
  const { collection, id } = write.key;
  const key = `${collection}:${id}`;
  byKey.set(key, folded(byKey.get(key), write));
}

/**
 * Whether all writes address documents of one collection in ascending order of their numbers, which means
 * that no document occurs twice. Changes of many documents at once have this form.
 */
function areAscending(writes: readonly Write[]): boolean {
  const { collection } = writes[0]!.key;
  let last = -1;
  for (const { key } of writes) {
    const id = Number(key.id);
    if (key.collection !== collection || !(id > last)) return false;
    last = id;
  }
  return true;
}

function folded(earlier: Write | undefined, later: Write): Write {
  if (!earlier || later.op !== 'merge' || earlier.op === 'delete') return later;
  if (earlier.op === 'set') return { op: 'set', key: later.key, document: later.document };
  const { op, key, document } = later;
  return { op, key, fields: { ...earlier.fields, ...later.fields }, document };
}

/** The encoded entry, or the time of a large entry that is encoded later. */
export type EntryText = StoredEntry | { readonly at: number };

/** Whether the text is there. */
export function isEncoded(text: EntryText): text is StoredEntry {
  return 'text' in text;
}

/** An entry that is not encoded yet. */
interface Unencoded {
  readonly position: Position;
  content: EntryContent;
}

/**
 * Encodes the entries that are not encoded yet and yields to the event loop in between, with priority over
 * other long work because all later writes wait for it. Folds the writes of large entries first, also in
 * their `content`.
 */
export async function encodeTexts(
  entries: readonly Unencoded[],
  texts: EntryText[],
): Promise<void> {
  const pause = new EventLoopYield(true);
  for (const [i, entry] of entries.entries()) {
    const text = texts[i]!;
    if (isEncoded(text)) continue;
    const writes = await foldManyWrites(entry.content.writes, pause);
    entry.content = { ...entry.content, writes };
    texts[i] = await encodeLargeEntry(entry.position.seq, text.at, entry.content, pause);
  }
}
