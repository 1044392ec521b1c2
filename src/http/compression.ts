import { randomBytes, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

/** A smaller reply fits into a few packets: compressing it costs more than sending it. Bytes. */
export const COMPRESS_FROM_BYTES = 8 * 1024;

/** A larger reply is sent as it is: it would keep a thread busy for more than a second. Bytes. */
const COMPRESS_TO_BYTES = 32 * 1024 * 1024;

/** Replies compressed at one time: files and passwords need the other two threads of the pool. */
const MAX_RUNNING = 2;

/** Bytes of replies that wait for a thread or are in one; beyond it replies are sent as they are. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Level 4 takes half the time of the default 6 and leaves 5 % more. */
const LEVEL = 4;

/** Bytes of {@link padded} at most, as in Django's `GZipMiddleware`. */
const MAX_PADDING = 100;

/**
 * Compressor compresses replies in the threads of the pool, never on the event loop. Its work is
 * bounded: a reply that finds too much waiting is sent as it is.
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
      // The place of one that ends is handed over, so nobody who comes later can take it first.
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

/** Flag of a gzip header: a file name ended by a zero follows the ten bytes that all have. */
const FNAME = 8;

/**
 * The same with a file name of random length in its header, which every decoder skips. Who sees the
 * encrypted traffic, and can put words of their own into replies (in messages, say), would learn from
 * the length of replies whether the words occur in the rest (the attack BREACH); this blurs it.
 */
function padded(compressed: Buffer): Buffer {
  const name = Buffer.from(randomBytes(MAX_PADDING).toString('hex'), 'latin1');
  const head = Buffer.from(compressed.subarray(0, 10));
  head[3]! |= FNAME;
  const length = randomInt(1, MAX_PADDING + 1);
  return Buffer.concat([head, name.subarray(0, length), Buffer.of(0), compressed.subarray(10)]);
}

/**
 * Whether a client takes a content coding (RFC 9110 section 12.5.3).
 * @param accepted the `Accept-Encoding` header; a client that sends none takes none
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
