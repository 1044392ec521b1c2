import { EventLoopYield } from '../turns/event-loop-yield.js';
import type { Document, DueChange, StoredEntry, Write } from '../store/port.js';
import { numericId } from '../store/commits.js';
import type { ChangeText, EntryJson } from './entry-form.js';
import { spanOf, type EntryContent, type Position } from './entry.js';
import { jsonInParts } from '../turns/json-parts.js';

function changeText(write: Write): ChangeText {
  const { collection, id } = write.key;
  if (write.op === 'delete') return [collection, id, 'delete'];
  return [collection, id, write.op, write.op === 'set' ? write.document : write.fields];
}

/** The stored form of an entry. */
export function encodeEntry(seq: number, at: number, content: EntryContent): StoredEntry {
  const { writes } = content;
  if (writes.length >= MANY_WRITES) return joined(seq, at, writes.map(changeEncoder()), content);
  if (writes.some(isSet)) return joined(seq, at, writes.map(changeJson), content);
  const changes = writes.map(changeText);
  // As one flat text: pieces put together would be copied by each of those who read the text behind them.
  const json = {
    ...{ at, changes, events: eventsJson(content), due: dueJson(content) },
    span: spanJson(content),
  };
  return { seq, text: JSON.stringify(json satisfies EntryJson) };
}

function isSet({ op }: Write): boolean {
  return op === 'set';
}

/** Element of `changes`. The text of a whole document is kept for the store, which encodes it otherwise once more. */
function changeJson(write: Write): string {
  if (write.op !== 'set') return JSON.stringify(changeText(write));
  const { collection, id } = write.key;
  write.text ??= JSON.stringify(write.document);
  return `[${JSON.stringify(collection)},${JSON.stringify(id)},"set",${write.text}]`;
}

/** From this number of writes on, encoding yields to the event loop; most smaller entries take at most 2 ms. */
export const LARGE_ENTRY_WRITES = 500;
/** Fewer writes or events are encoded in one piece, however long they are: there are bounds of single ones. */
const FEW_PIECES = 16;
/** From so many items of lists in its writes and events on an entry is large, too: some 300 kB of text. */
const LARGE_ENTRY_ITEMS = 50_000;
/** As many items as an event takes to encode without its lists. */
const ITEMS_OF_EVENT = 20;

/** Whether encoding yields to the event loop: there are many writes or events, or long lists in them. */
export function isLargeEntry({ writes, events }: EntryContent): boolean {
  if (writes.length >= LARGE_ENTRY_WRITES) return true;
  if (writes.length < FEW_PIECES && events.length < FEW_PIECES) return false;
  let items = 0;
  for (const { audience, data } of events) {
    items += ITEMS_OF_EVENT + itemsIn(audience) + itemsIn(data);
    if (items >= LARGE_ENTRY_ITEMS) return true;
  }
  for (const write of writes) {
    if (write.op !== 'delete') items += itemsIn(write.op === 'set' ? write.document : write.fields);
  }
  return items >= LARGE_ENTRY_ITEMS;
}

/** Items of the lists in a document and in its values. */
function itemsIn(document: object, isValue = false): number {
  let items = 0;
  for (const value of Object.values(document) as unknown[]) {
    if (Array.isArray(value)) items += value.length;
    else if (!isValue && typeof value === 'object' && value) items += itemsIn(value, true);
  }
  return items;
}

/** Writes between two looks at the clock: one takes as long as to encode a write that shares its fields. */
const WRITES_PER_LOOK = 16;
/** An event with more items in its lists, as channels or ids, is encoded in parts. */
const LONG_LISTS = 1000;
/** A longer text of a write is followed by a look. */
const LONG_TEXT = 4000;

/**
 * Like `encodeEntry`, but yields to the event loop in between. Documents are immutable, so encoding them
 * later gives the same text.
 */
export async function encodeLargeEntry(
  seq: number,
  at: number,
  content: EntryContent,
  pause: EventLoopYield,
): Promise<StoredEntry> {
  const encode = changeEncoder();
  // All pieces are put together once, at the end: that is the only thing that takes the whole text at once.
  const pieces = [`{"at":${at},"changes":[`];
  let count = 0;
  for (const write of content.writes) {
    const text = encode(write);
    if (count++ > 0) pieces.push(',');
    pieces.push(text);
    const mayPause = count % WRITES_PER_LOOK === 0 || text.length > LONG_TEXT;
    if (mayPause && pause.isDue) await pause.take();
  }
  pieces.push('],"events":[');
  for (const [i, event] of eventsJson(content).entries()) {
    if (i > 0) pieces.push(',');
    const isLong = itemsIn(event.audience) + itemsIn(event.data) > LONG_LISTS;
    for (const part of isLong ? jsonInParts(event) : [JSON.stringify(event)]) {
      pieces.push(part);
      if (pause.isDue) await pause.take();
    }
  }
  pieces.push(']', tailText(content));
  return { seq, text: pieces.join('') };
}

function eventsJson({ events }: EntryContent): EntryJson['events'] {
  // Each field by its name: to copy the rest of an object takes as long as to encode it.
  return events.map(({ type, audience, data, first, slots, subject }) => ({
    type,
    audience,
    data,
    first,
    slots: slots === 1 ? undefined : slots,
    subject: subject && `${subject.collection}:${subject.id}`,
  }));
}

/** From this length on what follows the changes is long: a copy of less takes some 10 µs. */
const LONG_TAIL = 64 * 1024;

/** An entry of the texts of its changes. */
function joined(seq: number, at: number, changes: string[], content: EntryContent): StoredEntry {
  const events = JSON.stringify(eventsJson(content));
  const [head, tail] = [`{"at":${at},"changes":[`, `],"events":${events}${tailText(content)}`];
  if (changes.length < MANY_WRITES && tail.length < LONG_TAIL) {
    return { seq, text: head + changes.join() + tail };
  }
  // As one flat text: megabytes of pieces put together would be copied once more, at once, by who reads the first of it.
  if (changes.length < MANY_WRITES) return { seq, text: [head, changes.join(), tail].join('') };
  changes[0] = head + changes[0]!;
  changes[changes.length - 1] += tail;
  return { seq, text: changes.join() };
}

/** What follows the events of an entry: fields that most entries lack, and its end. */
function tailText(content: EntryContent): string {
  const due = dueJson(content);
  const span = spanJson(content);
  const dueText = due === undefined ? '' : `,"due":${JSON.stringify(due)}`;
  return `${dueText}${span === undefined ? '' : `,"span":${span}`}}`;
}

function spanJson(content: EntryContent): number | undefined {
  const span = spanOf(content);
  return span > 1 ? span : undefined;
}

function dueJson({ due }: EntryContent): readonly DueChange[] | undefined {
  return due.length > 0 ? due : undefined;
}

/**
 * From this number of writes on an entry most likely comes from one change of many documents that share the
 * changed fields.
 */
const MANY_WRITES = 100;

/** Encodes the elements of `changes`; what documents share is encoded once: fields, and the collection's name. */
function changeEncoder(): (write: Write) => string {
  let value: Document | undefined;
  let valueText = '';
  let collection: string | undefined;
  let collectionText = '';
  return (write) => {
    if (write.op === 'delete') return JSON.stringify(changeText(write));
    const { key } = write;
    const next = write.op === 'set' ? write.document : write.fields;
    if (next !== value) valueText = JSON.stringify((value = next));
    if (key.collection !== collection) {
      collectionText = JSON.stringify((collection = key.collection));
    }
    // Digits need no escaping.
    const id = numericId(key.id) >= 0 ? `"${key.id}"` : JSON.stringify(key.id);
    return `[${collectionText},${id},"${write.op}",${valueText}]`;
  };
}

/** Folds writes to one write per document: of two numbers taken from a counter only the second is stored. */
export function foldWrites(writes: Write[]): Write[] {
  if (areFewAndDifferent(writes) || areAscending(writes)) return writes;
  const byKey = new Map<string, Write>();
  for (const write of writes) fold(byKey, write);
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

/** Documents of a large entry, other than numbered ones, that are compared before its writes are folded. */
const MOST_OTHERS = 100;

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
  if (await areDifferent(writes, pause)) return writes;
  const byKey = new Map<string, Write>();
  let count = 0;
  for (const write of writes) {
    fold(byKey, write);
    if (++count % WRITES_PER_LOOK === 0 && pause.isDue) await pause.take();
  }
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

/**
 * Whether no document occurs twice, as far as that is quick to tell: the numbers of each collection ascend, as those of
 * moved messages do, and there are few other documents.
 */
async function areDifferent(writes: readonly Write[], pause: EventLoopYield): Promise<boolean> {
  const newest = new Map<string, number>();
  const others = new Set<string>();
  let count = 0;
  for (const { key } of writes) {
    const { collection, id } = key;
    const number = numericId(id);
    if (number >= 0) {
      if (number <= (newest.get(collection) ?? -1)) return false;
      newest.set(collection, number);
    } else {
      const name = `${collection}:${id}`;
      if (others.has(name) || others.size >= MOST_OTHERS) return false;
      others.add(name);
    }
    if (++count % WRITES_PER_LOOK === 0 && pause.isDue) await pause.take();
  }
  return true;
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
