import { isUtf8 } from 'node:buffer';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { malformedPayload } from '../../errors/index.js';
import { decode } from '../../services/text/decode.js';

/** More UTF-8 bytes than the longest parameter can have: the rest of such a text is not decoded. */
export const MAX_TEXT_BYTES = 3 * (MAX_PARAMETER_LENGTH + 1) + 4;

/** @throws ApiError 400 for what is no UTF-8: JSON has no other form (RFC 8259) */
export function utf8(bytes: Buffer): string {
  if (isShortAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw malformedPayload();
  return bytes.toString('utf8');
}

/** Up to this size a loop costs less than a call into native code, bytes. */
const SHORT_BYTES = 128;

function isShortAscii(bytes: Buffer): boolean {
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

/** Escaped bytes in a row. */
const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/**
 * A text without its escapes, whose bytes are UTF-8. As in Django, a percent sign that escapes nothing is one, and
 * bytes that are no UTF-8 become U+FFFD.
 */
export function unescapedText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(ESCAPES, (escapes) => escapedBytes(escapes).toString('utf8'));
  }
}

/**
 * A segment of a path without its escapes. As in Django, a percent sign that escapes nothing is one, and bytes in a row
 * that are no UTF-8 stay escaped.
 */
export function unescapedSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(ESCAPES, (escapes) => {
      const bytes = escapedBytes(escapes);
      return isUtf8(bytes) ? bytes.toString('utf8') : escapes;
    });
  }
}

function escapedBytes(escapes: string): Buffer {
  return Buffer.from(escapes.replaceAll('%', ''), 'hex');
}

/**
 * Decodes UTF-8 bytes; what is none becomes U+FFFD. A text longer than any parameter may be is truncated.
 */
export function cutText(bytes: Buffer): string {
  if (bytes.length < MAX_TEXT_BYTES) return bytes.toString('utf8');
  let end = MAX_TEXT_BYTES - 4;
  // Not in the middle of a character.
  while ((bytes[end]! & 0xc0) === 0x80 && end < bytes.length) end += 1;
  return bytes.toString('utf8', 0, end);
}
