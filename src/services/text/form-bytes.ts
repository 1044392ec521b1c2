import { isAscii, isUtf8 } from 'node:buffer';
import { decode, usualBytes } from './decode.js';

/** Up to this size a loop costs less than a call into native code, bytes. */
const SHORT_BYTES = 128;

export function isShortAscii(bytes: Buffer): boolean {
  const { length } = bytes;
  if (length > SHORT_BYTES) return false;
  for (let i = 0; i < length; i++) if (bytes[i]! > 127) return false;
  return true;
}

/**
 * The text of a form that escapes its bytes, before they are unescaped. A pair of a name and a value that is not UTF-8
 * was written by an old program in Latin, as Django takes it, too.
 */
export function urlEncodedText(body: Buffer): string {
  if (isShortAscii(body)) return body.toString('latin1');
  if (isUtf8(body)) return body.toString('utf8');
  const pairs = body.toString('latin1').split('&');
  return pairs.map((pair) => decode(Buffer.from(pair, 'latin1'))).join('&');
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]{1,60})/i;

/** Longer bodies are not searched for escapes, bytes: each takes a microsecond per kilobyte. */
const MAX_SEARCHED = 128 * 1024;

/**
 * The charset of a media type that gives a body another meaning than UTF-8, ASCII or Latin; undefined where it gives the
 * same. A charset that has ASCII's signs gives a body of these alone no other.
 */
export function foreignCharset(contentType: string, body: Buffer): string | undefined {
  const label = charsetOf(contentType);
  return label !== undefined && isForeign(label, body) ? label : undefined;
}

/** The charset that a media type says; undefined where it says none. */
export function charsetOf(contentType: string): string | undefined {
  return contentType.includes('=') ? CHARSET.exec(contentType)?.[1] : undefined;
}

/** Whether a charset gives bytes another meaning than UTF-8, ASCII or Latin. */
export function isForeign(label: string, bytes: Buffer): boolean {
  if (/^utf-?8$/i.test(label)) return false;
  const usual = usualBytes(label);
  return usual !== 'all' && !(usual === 'ascii' && saysAscii(bytes));
}

/** Whether neither bytes nor escapes say anything beyond ASCII. */
function saysAscii(body: Buffer): boolean {
  if (body.length > MAX_SEARCHED || !isAscii(body)) return false;
  return !/%[89a-f][0-9a-f]/i.test(body.toString('latin1'));
}
