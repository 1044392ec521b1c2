/**
 * What every adapter accepts, checked in one place so that all of them refuse the same commits, and
 * the one order of document ids.
 */
import type { Commit } from './port.js';

/** Longest document or due id, in UTF-8 bytes: what a key of the embedded store has room for. */
const MAX_ID_BYTES = 1024;

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const DIGIT_ZERO = 48;
const DIGIT_NINE = 57;
const LONGEST_SAFE_INTEGER = 16;

/** The number a canonical decimal id stands for (`0`, `17`, no sign, no leading zero), else -1. */
export function numericId(id: string): number {
  const length = id.length;
  if (length === 0 || length > LONGEST_SAFE_INTEGER) return -1;
  if (length > 1 && id.charCodeAt(0) === DIGIT_ZERO) return -1;
  let value = 0;
  for (let i = 0; i < length; i++) {
    const code = id.charCodeAt(i);
    if (code < DIGIT_ZERO || code > DIGIT_NINE) return -1;
    value = value * 10 + (code - DIGIT_ZERO);
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : -1;
}

/** Whether an id can name something: well-formed Unicode of at most `MAX_ID_BYTES` bytes. */
export function isStorableId(id: string): boolean {
  if (id.length > MAX_ID_BYTES / 3 && Buffer.byteLength(id) > MAX_ID_BYTES) return false;
  return numericId(id) >= 0 || !LONE_SURROGATE.test(id);
}

/** Whether a collection or due index may have this name. */
export function isStorableName(name: string): boolean {
  return NAME.test(name);
}

/** The order of ids in a collection: numbers first, by number; then the others, by UTF-8 bytes. */
export function compareIds(a: string, b: string): number {
  const left = numericId(a);
  const right = numericId(b);
  if (left >= 0 && right >= 0) return left - right;
  if (left >= 0) return -1;
  if (right >= 0) return 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/**
 * The reason to refuse a commit, or null.
 * @param lastSeq the newest position before this commit, 0 if there is none
 */
export function refusal(commit: Commit, lastSeq: number): Error | null {
  let last = lastSeq;
  for (const { seq } of commit.entries) {
    if (!Number.isSafeInteger(seq) || seq <= last) {
      return new RangeError(`Journal position ${seq} does not follow ${last}`);
    }
    last = seq;
  }
  // Nearly all documents are of the same collection as the one before.
  let storable: string | null = null;
  for (const { key } of commit.writes) {
    const { collection, id } = key;
    const isName = collection === storable || isStorableName(collection);
    if (!isName || !isStorableId(id)) return unstorable(collection, id);
    storable = collection;
  }
  for (const { index, id, at } of commit.due) {
    if (!isStorableName(index) || !isStorableId(id)) return unstorable(index, id);
    if (at !== null && (!Number.isSafeInteger(at) || at < 0)) {
      return new RangeError(`Not a due time in milliseconds: ${at}`);
    }
  }
  return null;
}

function unstorable(name: string, id: string): Error {
  return new RangeError(`Not a storable key: ${JSON.stringify(`${name}:${id.slice(0, 80)}`)}`);
}

/** What a store that was closed refuses everything with. */
export function closedError(): Error {
  return new Error('The store is closed');
}
