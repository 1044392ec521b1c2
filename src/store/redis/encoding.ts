/** Turns a commit into the keys and arguments of one call of `commit.lua`. */
import { checksumOf, CHECKSUM_FIELD, sealDocument, sealEntry } from '../checksum.js';
import type { Document, DueChange, StoredEntry, Write } from '../port.js';
import { toValueText, type DocumentFormat } from './documents.js';
import { MAX_COMMIT_TEXT } from '../storable.js';
import type { KeySpace } from './keys.js';

/** A commit as it waits in the queue: checked, its documents as text. */
export interface RedisCommit {
  readonly entries: readonly StoredEntry[];
  readonly writes: readonly RedisWrite[];
  readonly due: readonly DueChange[];
  /** Removes more than it adds. */
  readonly frees?: boolean;
}

/** One write as it goes out. */
export interface RedisWrite {
  readonly key: string;
  readonly collection: string;
  readonly id: string;
  /** The whole document, or null to delete it. */
  readonly text: string | null;
  /** For a partial update, paths and texts in turn; null to write the whole. */
  readonly fields: readonly string[] | null;
}

/** What follows the two fixed keys and the four fixed arguments of the script. */
export interface EncodedCommit {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Most items of one commit: keeps a call within what servers take, and short. */
const MAX_ITEMS = 100_000;
/** Names that need no quoting in a path. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A write as it goes out. */
export function prepareWrite(keys: KeySpace, format: DocumentFormat, write: Write): RedisWrite {
  const { collection, id } = write.key;
  const key = keys.document(collection, id);
  if (write.op === 'delete') return { key, collection, id, text: null, fields: null };
  const { document } = write;
  if (format === 'text') {
    const made = write.op === 'set' ? write.text : undefined;
    const text = sealDocument(write.key, made ?? JSON.stringify(document));
    return { key, collection, id, text, fields: null };
  }
  const checksum = { [CHECKSUM_FIELD]: checksumOf(write.key, document) };
  const whole = toValueText({ ...document, ...checksum });
  const fields =
    write.op === 'merge' ? partialUpdate({ ...write.fields, ...checksum }, whole.length) : null;
  return { key, collection, id, text: whole, fields };
}

/** Paths and texts, or null where the whole document is the simpler or shorter way. */
function partialUpdate(fields: Document, wholeSize: number): string[] | null {
  const update: string[] = [];
  let size = 0;
  for (const [name, value] of Object.entries(fields)) {
    if (!PLAIN_NAME.test(name)) return null;
    const text = toValueText(value);
    size += name.length + text.length;
    update.push(`$.${name}`, text);
  }
  return size * 2 < wholeSize ? update : null;
}

/** The reason to refuse a commit that is too large to be one, or null. */
export function sizeFault({ entries, writes, due }: RedisCommit): RangeError | null {
  let size = 0;
  for (const { text } of entries) size += text.length;
  for (const { text } of writes) size += text?.length ?? 0;
  const isSmall =
    size <= MAX_COMMIT_TEXT && entries.length + writes.length + due.length <= MAX_ITEMS;
  return isSmall ? null : new RangeError('The commit is too large');
}

/** @param whole whether to send whole documents in place of partial updates */
export function encodeCommit(space: KeySpace, commit: RedisCommit, whole: boolean): EncodedCommit {
  const keys: string[] = [];
  const entries: string[] = [];
  for (const { seq, text } of commit.entries) entries.push(String(seq), sealEntry(seq, text));
  const sorted = new SortedSetChanges();
  const documents = lastWrites(commit.writes);
  const sets: string[] = [];
  const merges: RedisWrite[] = [];
  const deletes: string[] = [];
  for (const write of documents.values()) {
    const { key, score } = space.listing(write.collection, write.id);
    sorted.change(key, write.id, write.text === null ? null : score);
    if (write.text === null) {
      deletes.push(write.key);
    } else if (write.fields !== null && !whole) {
      merges.push(write);
    } else {
      keys.push(write.key);
      sets.push(write.text);
    }
  }
  for (const { index, id, at } of commit.due) {
    sorted.change(space.due(index), id, at === null ? null : String(at));
  }
  const counts = [entries.length / 2, sets.length, merges.length, deletes.length, sorted.size];
  const args = [...counts.map(String)];
  append(args, entries);
  append(args, sets);
  for (const { key, fields } of merges) {
    keys.push(key);
    args.push(String(fields!.length / 2), ...fields!);
  }
  append(keys, deletes);
  sorted.encode(keys, args);
  return { keys, args };
}

/** What remains of the writes when the last one to each key wins. */
function lastWrites(writes: readonly RedisWrite[]): Map<string, RedisWrite> {
  const last = new Map<string, RedisWrite>();
  for (const write of writes) {
    const earlier = last.has(write.key);
    // A partial update may rest on what the earlier write brought.
    last.set(write.key, earlier && write.fields !== null ? { ...write, fields: null } : write);
  }
  return last;
}

/** Changes of sorted sets; the last one to each member wins. */
class SortedSetChanges {
  readonly #sets = new Map<string, Map<string, string | null>>();

  get size(): number {
    return this.#sets.size;
  }

  /** @param score null to remove the member */
  change(key: string, member: string, score: string | null): void {
    let set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, (set = new Map<string, string | null>()));
    set.set(member, score);
  }

  encode(keys: string[], args: string[]): void {
    for (const [key, members] of this.#sets) {
      const adds: string[] = [];
      const removes: string[] = [];
      for (const [member, score] of members) {
        if (score === null) removes.push(member);
        else adds.push(score, member);
      }
      keys.push(key);
      args.push(String(adds.length / 2), String(removes.length));
      append(args, adds);
      append(args, removes);
    }
  }
}

/** Without spreading, which has a limit. */
function append(to: string[], items: readonly string[]): void {
  for (const item of items) to.push(item);
}
