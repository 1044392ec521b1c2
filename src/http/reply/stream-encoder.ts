import { utf8Text, type Utf8Text } from '../native.js';
import { COMPRESSION_LEVEL } from './compression.js';
import { GzipEnd, gzipHeader, gzipPartNow, storedPart, type GzipPart } from './gzip-parts.js';

/** How what is written to a stream goes over the wire. */
export interface StreamEncoder {
  /** What is to be sent for a text that is written. */
  next(text: string | Uint8Array): Utf8Text;
  /** What ends the stream. */
  end(): Utf8Text;
}

/** As it is. */
export const PLAIN: StreamEncoder = { next: utf8Text, end: () => utf8Text('') };

/**
 * Bytes from this length on are worth the 15 µs that deflating them takes: they are deflated once for all who send them. What
 * a stream has for itself is short, and stored.
 */
const DEFLATED_FROM_BYTES = 128;

/**
 * How many bytes that are moved take as long as one that is deflated, with what has not been deflated before: a byte takes
 * 10 to 15 ns, and to make, copy and send it 1.5.
 */
export const DEFLATED_BYTE_COST = 8;

/** Compressed forms of bytes that never change, kept as long as they are. */
const shared = new WeakMap<Uint8Array, GzipPart>();

/** A key is stored: the length of what is compressed tells how much of it occurs in the texts of others beside it. */
const SECRET = Buffer.from('"api_key":');

/** The compressed form of bytes that never change, made once for all who send them. */
function sharedPart(text: Uint8Array): GzipPart {
  const known = shared.get(text);
  if (known) return known;
  const part = eventsPart(text);
  shared.set(text, part);
  return part;
}

/** The compressed form of bytes with events. */
export function eventsPart(text: Uint8Array): GzipPart {
  const isStored = text.length < DEFLATED_FROM_BYTES || holdsSecret(text);
  return isStored ? storedPart(text) : gzipPartNow(text, COMPRESSION_LEVEL);
}

/** Whether a text has a key among its fields: in the words of a message its quotation marks are escaped. */
export function holdsSecret({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, byteLength).includes(SECRET);
}

/** GzipEncoder writes one gzip stream, each text of which can be read as soon as it has come. */
export class GzipEncoder implements StreamEncoder {
  private readonly last = new GzipEnd();
  private hasBegun = false;

  /** @param text bytes never change, and other streams may have them, too */
  next(text: string | Uint8Array): Utf8Text {
    const part = typeof text === 'string' ? storedPart(Buffer.from(text)) : sharedPart(text);
    this.last.add(part);
    return this.begun(part.bytes);
  }

  end(): Utf8Text {
    return this.begun(this.last.bytes());
  }

  /** With the header where nothing came before. */
  private begun(bytes: Buffer): Buffer {
    if (this.hasBegun) return bytes;
    this.hasBegun = true;
    return Buffer.concat([gzipHeader(), bytes]);
  }
}
