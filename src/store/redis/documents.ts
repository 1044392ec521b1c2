/** How documents are kept: as JSON values where the server has them, as JSON text elsewhere. */
import type { Document } from '../port.js';
import type { Connection } from './connection.js';

/** JSON values, or JSON text. */
export type DocumentFormat = 'json' | 'text';

/** Deepest nesting of a JSON value: the modules refuse more than 128, and a script may not fail. */
export const MAX_DEPTH = 100;

/** Keys per command. */
const FETCH = 256;
/** Stands before four hexadecimal digits: the half of a surrogate pair, or itself. */
const MARK = '\uffff';
const ODD_TEXT = /\uffff|\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g;
const MARKED = /\uffff([0-9a-f]{4})/g;

/**
 * JSON text as the JSON commands take it. They refuse half a surrogate pair, which text from clients
 * may contain and JSON writes as an escape; it becomes a noncharacter and its digits.
 */
export function toValueText(text: string): string {
  if (!text.includes('\\ud') && !text.includes(MARK)) return text;
  return text.replace(ODD_TEXT, (found: string, half: string | undefined) => {
    if (half !== undefined) return MARK + half;
    return found === MARK ? `${MARK}ffff` : found;
  });
}

/** The reverse of `toValueText`. */
export function fromValueText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (_, digits: string) => (digits === 'ffff' ? MARK : `\\u${digits}`));
}

/** Whether a value nests at most `depth` levels. */
export function isNestedWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  return Object.values(value).every((inner) => isNestedWithin(inner, depth - 1));
}

/** A document and what it takes. */
export interface FoundDocument {
  readonly document: Document;
  /** Length of its text. */
  readonly size: number;
}

/** Reads documents by key; null where there is none. The commands go out together. */
export async function fetchDocuments(
  connection: Connection,
  format: DocumentFormat,
  keys: readonly string[],
): Promise<(FoundDocument | null)[]> {
  const replies: Promise<unknown>[] = [];
  for (let from = 0; from < keys.length; from += FETCH) {
    const some = keys.slice(from, from + FETCH);
    replies.push(
      connection.send(format === 'json' ? ['JSON.MGET', ...some, '$'] : ['MGET', ...some]),
    );
  }
  const texts = (await Promise.all(replies)) as (string | null)[][];
  return texts.flat().map((text) => (text === null ? null : parse(format, text)));
}

function parse(format: DocumentFormat, text: string): FoundDocument {
  // A path beginning with `$` answers with the list of its matches: here the one document.
  const json = format === 'json' ? fromValueText(text.slice(1, -1)) : text;
  return { document: JSON.parse(json) as Document, size: json.length };
}
