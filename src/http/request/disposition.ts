/*
 * What the `Content-Disposition` of a part says (RFC 7578), in the forms in which clients write names: quotes escaped by
 * a backslash (Go, older curl) or as `%22` (browsers, newer curl and Python), characters outside ASCII as they are, as
 * `filename*` (RFC 5987, .NET and older Python) or as encoded words (RFC 2047, .NET and Java).
 */

import { decode, decodeStrictly } from '../../services/text/decode.js';

/** The names of a part. */
export interface PartNames {
  /** Undefined where the part has none. */
  readonly name: string | undefined;
  /** Undefined where the part is no file. */
  readonly filename: string | undefined;
}

/** Reads the value of a `Content-Disposition`. */
export function partNames(disposition: string): PartNames {
  const attributes = attributesOf(disposition);
  const [, charset, data] = EXTENDED.exec(attributes.get('filename*') ?? '') ?? [];
  const bytes = data === undefined ? undefined : percentBytes(data);
  const extended = bytes && decodeStrictly(bytes, charset!);
  const plain = attributes.get('filename');
  // A file whose name alone is in an unknown charset is one.
  const guessed = bytes && decode(bytes);
  return {
    name: attributes.get('name'),
    filename: extended ?? (plain === undefined ? undefined : plainName(plain)) ?? guessed,
  };
}

/** The name of an attribute, and the equals sign. */
const ATTRIBUTE = /;\s*([^\s=;"]{1,40})=/y;

/** The attributes by their names in lower case; of a repeated one the last. */
function attributesOf(disposition: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let at = disposition.indexOf(';');
  while (at !== -1) {
    ATTRIBUTE.lastIndex = at;
    const found = ATTRIBUTE.exec(disposition);
    if (found) {
      const begin = ATTRIBUTE.lastIndex;
      const { value, end } =
        disposition[begin] === '"' ? quoted(disposition, begin) : token(disposition, begin);
      attributes.set(found[1]!.toLowerCase(), value);
      at = end;
    } else at++;
    at = disposition.indexOf(';', at);
  }
  return attributes;
}

interface Value {
  readonly value: string;
  /** Where the next attribute may begin. */
  readonly end: number;
}

function token(text: string, begin: number): Value {
  let end = begin;
  while (end < text.length && !/[\s;"]/.test(text[end]!)) end++;
  return { value: text.slice(begin, end), end };
}

/**
 * A text in quotes. A backslash escapes a quote or a backslash; before anything else it is itself, as is one before
 * the last quote, because browsers escape none.
 */
function quoted(text: string, begin: number): Value {
  let value = '';
  for (let at = begin + 1; at < text.length; at++) {
    const here = text[at]!;
    if (here === '"') return { value, end: at + 1 };
    const next = text[at + 1];
    const escapes =
      here === '\\' && (next === '\\' || (next === '"' && hasQuoteFrom(text, at + 2)));
    if (escapes) at++;
    value += escapes ? next : here;
  }
  return { value, end: text.length };
}

function hasQuoteFrom(text: string, at: number): boolean {
  return text.lastIndexOf('"') >= at;
}

/** A name as browsers escape it, or as encoded words. */
function plainName(name: string): string {
  return encodedWords(name) ?? name.replaceAll('%22', '"');
}

/** `=?utf-8?B?…?=`; base64, or quoted-printable with `_` for blanks. */
const WORD = /^=\?([\w-]{1,40})\?([bq])\?([^?\s]*)\?=$/i;

/** The text of encoded words (RFC 2047), which blanks separate; undefined if it is something else. */
function encodedWords(text: string): string | undefined {
  if (!text.startsWith('=?')) return undefined;
  let decoded = '';
  for (const word of text.split(/\s+/)) {
    const [, charset, way, data] = WORD.exec(word) ?? [];
    const part =
      charset === undefined ? undefined : decodeStrictly(wordBytes(way!, data!), charset);
    if (part === undefined) return undefined;
    decoded += part;
  }
  return decoded;
}

function wordBytes(way: string, data: string): Buffer {
  if (way.toLowerCase() === 'b') return Buffer.from(data, 'base64');
  return percentBytes(data.replaceAll('_', ' ').replaceAll('%', '=25').replaceAll('=', '%'));
}

/** `utf-8'en'%E6%97%A5` (RFC 5987). */
const EXTENDED = /^([\w-]{1,40})'[\w-]*'(.*)$/;

/** Bytes of a text whose bytes outside ASCII are `%XX`. */
function percentBytes(text: string): Buffer {
  const latin = text.replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(latin, 'latin1');
}
