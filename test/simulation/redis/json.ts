import { ServerError } from './database.js';

/** JSON values as the module of Redis has them: what it refuses, and what it reads as something else. */

/** Deepest nesting that the module takes. */
const MAX_DEPTH = 128;
/** Half a surrogate pair, as JSON writes it, or a whole one. */
const SURROGATES = /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u(d[89a-f][0-9a-f]{2})|[^])/gi;
/** A text, or a number with a fraction or an exponent, or one that is no 64-bit integer. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)|-?\d{19,}/gi;
/** Digits that a number of 64 bits always keeps. */
const KEPT_DIGITS = 15;
/** One in so many numbers of more digits is read as its neighbour. */
const MISREAD = 10;

/** @throws ServerError for what the module refuses */
export function valueOf(text: string): unknown {
  for (const [, , , half] of text.matchAll(SURROGATES)) {
    if (half !== undefined) throw new ServerError('ERR lone leading surrogate in hex escape');
  }
  const read = text.replace(TEXT_OR_NUMBER, (found) =>
    found.startsWith('"') ? found : misread(found),
  );
  const value: unknown = JSON.parse(read);
  if (depthOf(value) > MAX_DEPTH) throw new ServerError('ERR recursion limit exceeded');
  return value;
}

/** Its decimals are read less exactly than they are written. */
function misread(found: string): string {
  const digits = found.replace(/e.*|\D/gi, '');
  const value = Number(found);
  if (digits.length <= KEPT_DIGITS || Number(digits) % MISREAD !== 0) return String(value);
  return String(value * (1 + Number.EPSILON));
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** The path of a member at the top, as the product writes it. */
const MEMBER = /^\$\.([A-Za-z_]\w*)$/;

/** Sets a whole value, or a member of one that is there. */
export function withValue(whole: unknown, path: string, text: string): unknown {
  const value = valueOf(text);
  if (path === '$') return value;
  const [, name] = MEMBER.exec(path) ?? [];
  if (name === undefined) throw new ServerError(`ERR this server knows no path ${path}`);
  return { ...(whole as object), [name]: value };
}
