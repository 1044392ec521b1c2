import { crc32 } from 'node:zlib';
import type { Document, DocumentKey, JsonValue } from './port.js';

/**
 * Checksums of what a store keeps: a mark before the text, `#` and eight hexadecimal digits and a
 * space. The checksum is the CRC-32 of the text and of the name it stands under, so that neither a
 * flipped bit nor a text under another's name goes unnoticed. JSON text never begins with `#`: what was
 * written before there were checksums has none, and is taken as it is.
 */

/** Field of a JSON value that holds its checksum; no document may have one of this name. */
export const CHECKSUM_FIELD = '_checksum';

const MARK = 35;
const SPACE = 32;
const SEAL_WITHOUT_MARK = /^[^][0-9a-f]{8} /;
const DIGITS = 8;
/** Length of a slice of a large text, UTF-16 units. */
const SLICE = 256 * 1024;
const TEXT_AT = DIGITS + 2;
/** FNV-1a, 32 bits: for names of some twenty characters cheaper than a call into the runtime. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Character codes of the hexadecimal digits. */
const DIGIT = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** The text of a document with its checksum. */
export function sealDocument({ collection, id }: DocumentKey, text: string): string {
  return `#${digits(crc32(text, seedOf(id, seedOf(collection))))} ${text}`;
}

/** The text of a document without its checksum; null when it is not what was written. */
export function unsealDocument({ collection, id }: DocumentKey, stored: string): string | null {
  if (stored.charCodeAt(0) !== MARK) return older(stored);
  return unseal(stored, seedOf(id, seedOf(collection)));
}

/** The text of a journal entry with its checksum. */
export function sealEntry(seq: number, text: string): string {
  return `#${digits(crc32(text, seedOf(String(seq))))} ${text}`;
}

/**
 * The same as bytes, made in slices that take about a millisecond each: the caller may pause where the
 * generator yields.
 */
export function* sealInSlices(seq: number, text: string): Generator<void, Buffer> {
  // No character of a string takes more than three bytes.
  const bytes = Buffer.allocUnsafeSlow(TEXT_AT + 3 * text.length);
  let sum = seedOf(String(seq));
  let used = TEXT_AT;
  for (let from = 0; from < text.length;) {
    const to = endOfSlice(text, from + SLICE);
    const end = used + bytes.write(text.slice(from, to), used);
    sum = crc32(bytes.subarray(used, end), sum);
    used = end;
    from = to;
    yield;
  }
  bytes.write(`#${digits(sum)} `);
  return bytes.subarray(0, used);
}

/** An end of a slice that does not divide a character of two UTF-16 units. */
function endOfSlice(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}

/** The text of a journal entry without its checksum; null when it is not what was written. */
export function unsealEntry(seq: number, stored: string): string | null {
  if (stored.charCodeAt(0) !== MARK) return older(stored);
  return unseal(stored, seedOf(String(seq)));
}

/** Checksum of a document as a JSON value, whatever order a server keeps its fields in. */
export function checksumOf({ collection, id }: DocumentKey, document: Document): string {
  return digits(crc32(canonicalJson(document), seedOf(id, seedOf(collection))));
}

/** A text without a mark; null where only the mark itself was damaged. */
function older(stored: string): string | null {
  const isSpace = stored.charCodeAt(TEXT_AT - 1) === SPACE;
  return isSpace && SEAL_WITHOUT_MARK.test(stored) ? null : stored;
}

function unseal(stored: string, seed: number): string | null {
  const text = stored.slice(TEXT_AT);
  return stored.startsWith(`${digits(crc32(text, seed))} `, 1) ? text : null;
}

/** Eight digits, as one flat text: pieces put together would be copied again with the text behind them. */
function digits(sum: number): string {
  return String.fromCharCode(
    DIGIT[sum >>> 28]!,
    DIGIT[(sum >>> 24) & 15]!,
    DIGIT[(sum >>> 20) & 15]!,
    DIGIT[(sum >>> 16) & 15]!,
    DIGIT[(sum >>> 12) & 15]!,
    DIGIT[(sum >>> 8) & 15]!,
    DIGIT[(sum >>> 4) & 15]!,
    DIGIT[sum & 15]!,
  );
}

function seedOf(name: string, start = FNV_START): number {
  let hash = start;
  for (let i = 0; i < name.length; i++) {
    hash = Math.imul(hash ^ name.charCodeAt(i), FNV_PRIME);
  }
  return hash >>> 0;
}

/**
 * JSON text that is the same for equal values: the fields of objects in the order of their names, by
 * UTF-16 units. Stores need not keep the order of fields, and two exports should compare byte by byte.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) {
    let text = '';
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  let text = '';
  for (const name of Object.keys(value).sort()) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(value[name]!)}`;
  }
  return `{${text}}`;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
