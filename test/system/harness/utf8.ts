import { TextDecoder } from 'node:util';

/** The text of bytes that a server sent; a byte order mark stays. @throws TypeError where they are not UTF-8 */
export function utf8Of(bytes: Uint8Array): string {
  return utf8Decoder().decode(bytes);
}

/** For what comes in pieces. */
export function utf8Decoder(): TextDecoder {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
}
