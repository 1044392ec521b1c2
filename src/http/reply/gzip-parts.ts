import { promisify } from 'node:util';
import { constants, crc32, deflateRaw as deflateRawCallback, deflateRawSync } from 'node:zlib';
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
  return text.length < STORED_BYTES
    ? storedPart(text)
    : partOf(text, await deflateRaw(text, { level, finishFlush: constants.Z_FULL_FLUSH }));
}

/** Compresses a text as a part of a stream, on the event loop: some 20 µs, and 15 more for each kilobyte. */
export function gzipPartNow(text: Uint8Array, level: number): GzipPart {
  const bytes = deflateRawSync(text, { level, finishFlush: constants.Z_FULL_FLUSH });
  return bytes.length < text.length ? partOf(text, bytes) : storedPart(text);
}

/** A part that has the text as it is. */
export function storedPart(text: Uint8Array): GzipPart {
  return partOf(text, storedBlocks(text));
}

function partOf(text: Uint8Array, bytes: Uint8Array): GzipPart {
  // Copied: zlib gives a slice of a larger buffer.
  const own = Buffer.from(bytes);
  return { bytes: own, length: text.length, sum: crc32(text), shift: shiftOf(text.length) };
}

/** A stored block has its length in two bytes. */
const MOST_STORED = 0xffff;

function storedBlocks(text: Uint8Array): Buffer {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < text.length; at += MOST_STORED) {
    const piece = text.subarray(at, at + MOST_STORED);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(piece.length, 1);
    head.writeUInt16LE(piece.length ^ 0xffff, 3);
    blocks.push(head, piece);
  }
  return Buffer.concat(blocks);
}

/** The stream of these parts: a single gzip member, because browsers read no further ones. */
export function gzipStream(parts: readonly GzipPart[]): Buffer[] {
  const end = new GzipEnd();
  for (const part of parts) end.add(part);
  return [gzipHeader(), ...parts.map(({ bytes }) => bytes), end.bytes()];
}

/** GzipEnd is the end of a stream whose parts come one after the other. */
export class GzipEnd {
  private sum = 0;
  private length = 0;

  /** The part comes next. */
  add({ shift, sum, length }: GzipPart): void {
    this.sum = product(shift, this.sum) ^ sum;
    this.length = (this.length + length) % 2 ** 32;
  }

  /** The last block and what follows it, for the parts so far. */
  bytes(): Buffer {
    const end = Buffer.alloc(LAST_BLOCK.length + 8);
    LAST_BLOCK.copy(end);
    end.writeUInt32LE(this.sum >>> 0, LAST_BLOCK.length);
    end.writeUInt32LE(this.length, LAST_BLOCK.length + 4);
    return end;
  }
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
