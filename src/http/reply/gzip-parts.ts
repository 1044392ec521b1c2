import { promisify } from 'node:util';
import { constants, crc32, deflateRaw as deflateRawCallback } from 'node:zlib';
import { randomBytes, randomInt } from '../../platform/randomness.js';

const deflateRaw = promisify(deflateRawCallback);

/** Most bytes that a header adds, as in Django's `GZipMiddleware`. */
const MAX_PADDING = 100;

/** Flag of a gzip header: a zero-terminated file name follows the ten fixed bytes. */
const FNAME = 8;

/** The last block, which is empty. */
const LAST_BLOCK = Buffer.of(3, 0);

/** The polynomial of CRC-32 as gzip has it: the lowest bit is the highest power. */
const POLYNOMIAL = 0xedb88320;

/** The factor 1 as such a polynomial, and x. */
const ONE = 0x80000000;
const X = 0x40000000;

/** Length whose deflated form is not worth its cost, bytes: such a text is stored as it is. */
const STORED_BYTES = 512;

/**
 * A part of a gzip stream: blocks that end with a byte and refer to nothing before them, so that they fit
 * behind any others.
 */
export interface GzipPart {
  readonly bytes: Buffer;
  /** Bytes of the text. */
  readonly length: number;
  /** CRC-32 of the text. */
  readonly sum: number;
  /** What the checksum of the text before is multiplied by, see {@link shiftOf}. */
  readonly shift: number;
}

/** Compresses a text as a part of a stream, in the thread pool. @throws Error when zlib does */
export async function gzipPart(text: Buffer, level: number): Promise<GzipPart> {
  const bytes =
    text.length < STORED_BYTES
      ? storedBlock(text)
      : // Copied: zlib gives a slice of a larger buffer.
        Buffer.from(await deflateRaw(text, { level, finishFlush: constants.Z_FULL_FLUSH }));
  return { bytes, length: text.length, sum: crc32(text), shift: shiftOf(text.length) };
}

function storedBlock(text: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(text.length, 1);
  head.writeUInt16LE(text.length ^ 0xffff, 3);
  return Buffer.concat([head, text]);
}

/** The stream of these parts: a single gzip member, because browsers read no further ones. */
export function gzipStream(parts: readonly GzipPart[]): Buffer[] {
  let sum = 0;
  let length = 0;
  for (const part of parts) {
    sum = product(part.shift, sum) ^ part.sum;
    length += part.length;
  }
  const end = Buffer.alloc(8);
  end.writeUInt32LE(sum >>> 0, 0);
  end.writeUInt32LE(length % 2 ** 32, 4);
  return [gzipHeader(), ...parts.map(({ bytes }) => bytes), LAST_BLOCK, end];
}

/**
 * A gzip header with a file name of random length, which every decoder skips. Otherwise an observer of the
 * encrypted traffic who can put words into replies (in messages, say) learns from their length whether the
 * words occur in the rest of a reply (the BREACH attack); the padding blurs the length.
 */
export function gzipHeader(): Buffer {
  const name = Buffer.from(randomBytes(MAX_PADDING).toString('hex'), 'latin1');
  const fixed = Buffer.of(0x1f, 0x8b, 8, FNAME, 0, 0, 0, 0, 0, 3);
  return Buffer.concat([fixed, name.subarray(0, randomInt(1, MAX_PADDING + 1)), Buffer.of(0)]);
}

/**
 * x to the power of the bits of a text, modulo the polynomial: the checksum of two texts in a row is that of
 * the first, times this power of the second, plus that of the second.
 */
function shiftOf(bytes: number): number {
  let power = ONE;
  let square = X;
  for (let bits = 8 * bytes; bits > 0; bits = Math.floor(bits / 2)) {
    if (bits % 2 === 1) power = product(square, power);
    square = product(square, square);
  }
  return power;
}

/** Product modulo the polynomial. */
function product(a: number, b: number): number {
  let sum = 0;
  let term = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= term;
    term = (term & 1) === 1 ? (term >>> 1) ^ POLYNOMIAL : term >>> 1;
  }
  return sum >>> 0;
}
