import { createHash } from 'node:crypto';
import type { Exchange } from '../reply/exchange.js';

/** The conditional headers of a request (RFC 9110 sections 13 and 14); empty where absent. */
export interface Preconditions {
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
}

/** A range of a file in bytes, both ends included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Reads the conditional headers; call it while the entry function runs. */
export function preconditionsOf(exchange: Exchange): Preconditions {
  return {
    ifNoneMatch: exchange.header('if-none-match'),
    range: exchange.method === 'GET' ? exchange.header('range') : '',
    ifRange: exchange.header('if-range'),
  };
}

/** A strong entity tag of content, or of a name whose content never changes. */
export function entityTag(content: string | Buffer): string {
  // 132 bits: nobody finds two contents with the same tag.
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether the client has the current content: 304. */
export function isUnmodified({ ifNoneMatch }: Preconditions, tag: string): boolean {
  if (ifNoneMatch === '') return false;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}

/**
 * The requested range of the content; null for all of it: no range, several ranges, an unreadable one, or a
 * range of another version (`If-Range`).
 */
export function requestedRange(
  { range, ifRange }: Preconditions,
  tag: string,
  size: number,
): ByteRange | 'unsatisfiable' | null {
  if (range === '' || (ifRange !== '' && ifRange !== tag)) return null;
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(range) ?? [];
  if (first === undefined || last === undefined || first + last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  if (last !== '' && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return 'unsatisfiable';
  return { first: Number(first), last: Math.min(last === '' ? Infinity : Number(last), size - 1) };
}
