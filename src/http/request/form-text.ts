import { isUtf8 } from 'node:buffer';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { malformedPayload } from '../../errors/index.js';
import { isShortAscii } from '../../services/text/form-bytes.js';

/** More UTF-8 bytes than the longest parameter can have: the rest of such a text is not decoded. */
export const MAX_TEXT_BYTES = 3 * (MAX_PARAMETER_LENGTH + 1) + 4;

/** @throws ApiError 400 for what is no UTF-8: JSON has no other form (RFC 8259) */
export function utf8(bytes: Buffer): string {
  if (isShortAscii(bytes)) return bytes.toString('latin1');
  if (!isUtf8(bytes)) throw malformedPayload();
  return bytes.toString('utf8');
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
