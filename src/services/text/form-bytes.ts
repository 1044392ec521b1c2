import { isUtf8 } from 'node:buffer';
import { decode } from './decode.js';

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
