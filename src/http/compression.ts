import { randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

/**
 * Replies from this size on are compressed, bytes: a smaller one fits into a few packets, and compressing
 * it costs more than sending it.
 */
export const COMPRESS_FROM_BYTES = 8 * 1024;

/** Replies above this size are sent uncompressed, bytes: they would occupy a thread for more than a second. */
const COMPRESS_TO_BYTES = 32 * 1024 * 1024;

/** Replies compressed concurrently: files and passwords need the other two threads of the pool. */
const MAX_RUNNING = 2;

/** Bytes of replies being compressed or waiting for it; beyond it replies are sent uncompressed. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Level 4 takes half the time of the default 6 and leaves 5 % more. */
const LEVEL = 4;

/** Most bytes that {@link padded} adds, as in Django's `GZipMiddleware`. */
const MAX_PADDING = 100;

/**
 * Compressor compresses replies in the thread pool, never on the event loop. Its work is bounded: a reply
 * that finds too much waiting is sent uncompressed.
 */
export class Compressor {
  private running = 0;
  private bytes = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param maxBytes of replies waiting or being compressed */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Whether a reply of so many bytes can be compressed now. */
  takes(size: number): boolean {
    return size <= COMPRESS_TO_BYTES && this.bytes + size <= this.maxBytes;
  }

  /** Compresses with gzip. @throws Error when zlib does */
  async gzip(data: Buffer): Promise<Buffer> {
    this.bytes += data.length;
    try {
      // A finished compression hands its place over directly, so that no later reply can overtake.
      if (this.running < MAX_RUNNING) this.running += 1;
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
      try {
        return padded(await gzip(data, { level: LEVEL }));
      } finally {
        const next = this.waiting.shift();
        if (next) next();
        else this.running -= 1;
      }
    } finally {
      this.bytes -= data.length;
    }
  }
}

/** Flag of a gzip header: a zero-terminated file name follows the ten fixed bytes. */
const FNAME = 8;

/**
 * Adds a file name of random length to the gzip header, which every decoder skips. Otherwise an observer of
 * the encrypted traffic who can put words into replies (in messages, say) learns from their length whether
 * the words occur in the rest of a reply (the BREACH attack); the padding blurs the length.
 */
function padded(compressed: Buffer): Buffer {
  const name = Buffer.from(randomBytes(MAX_PADDING).toString('hex'), 'latin1');
  const head = Buffer.from(compressed.subarray(0, 10));
  head[3]! |= FNAME;
  const length = randomInt(1, MAX_PADDING + 1);
  return Buffer.concat([head, name.subarray(0, length), Buffer.of(0), compressed.subarray(10)]);
}

/**
 * Whether a client accepts a content coding (RFC 9110 section 12.5.3).
 * @param accepted the `Accept-Encoding` header; a client without it accepts none
 */
export function acceptsCoding(accepted: string, coding: string): boolean {
  let others = false;
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim());
    const refused = parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
    if (name === coding) return !refused;
    if (name === '*') others = !refused;
  }
  return others;
}
