import { isUtf8 } from 'node:buffer';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { malformedPayload } from '../../errors/index.js';

/** More UTF-8 bytes than the longest parameter can have: the rest of such a text is not decoded. */
export const MAX_TEXT_BYTES = 3 * (MAX_PARAMETER_LENGTH + 1) + 4;

/** @throws ApiError 400 for what is no UTF-8 */
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
 * Decodes UTF-8 bytes; a text longer than any parameter may be is truncated. @throws ApiError 400 for
 * invalid UTF-8
 */
export function cutText(bytes: Buffer): string {
  if (bytes.length < MAX_TEXT_BYTES) return utf8(bytes);
  let end = MAX_TEXT_BYTES - 4;
  // Not in the middle of a character.
  while ((bytes[end]! & 0xc0) === 0x80) end += 1;
  return utf8(bytes.subarray(0, end));
}
