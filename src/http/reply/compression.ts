import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';
import { gzipHeader, gzipPart, gzipStream, type GzipPart } from './gzip-parts.js';
import { onceSettled } from '../../turns/background.js';

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
export const COMPRESSION_LEVEL = 4;

/** Bytes of the header that zlib writes. */
const PLAIN_HEADER_BYTES = 10;

/**
 * Compressor compresses replies in the thread pool, never on the event loop. Its work is bounded: a reply
 * that finds too much waiting is sent uncompressed.
 */
export class Compressor {
  private running = 0;
  private bytes = 0;
  private readonly waiting: (() => void)[] = [];
  /** Compressed forms of what replies share. */
  private readonly parts = new WeakMap<Buffer, GzipPart | Promise<GzipPart>>();

  /** @param maxBytes of replies waiting or being compressed */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Whether a reply of so many bytes can be compressed now. */
  takes(size: number): boolean {
    return size <= COMPRESS_TO_BYTES && this.bytes + size <= this.maxBytes;
  }

  /** Compresses with gzip. @throws Error when zlib does */
  async gzip(data: Buffer): Promise<Buffer> {
    return this.inTurn(data.length, async () =>
      padded(await gzip(data, { level: COMPRESSION_LEVEL })),
    );
  }

  /**
   * Whether a reply in parts can be compressed now. What other replies have too may be of any size: it is
   * compressed part by part, and once.
   */
  takesParts(buffers: readonly Buffer[], shared: ReadonlySet<Buffer>): boolean {
    let [own, left] = [0, 0];
    for (const buffer of buffers) {
      if (!shared.has(buffer)) own += buffer.length;
      else if (!this.parts.has(buffer)) left += buffer.length;
    }
    return own <= COMPRESS_TO_BYTES && this.bytes + own + left <= this.maxBytes;
  }

  /**
   * Compresses a reply in parts with gzip. Those in `shared` are compressed once for all replies; they must
   * never change, and their compressed forms are kept as long as they are.
   * @throws Error when zlib does
   */
  async gzipParts(buffers: readonly Buffer[], shared: ReadonlySet<Buffer>): Promise<Buffer[]> {
    const parts: (GzipPart | Promise<GzipPart>)[] = [];
    let own: Buffer[] = [];
    const endOwn = (): void => {
      if (own.length > 0) parts.push(this.part(Buffer.concat(own)));
      own = [];
    };
    for (const buffer of buffers) {
      if (!shared.has(buffer)) {
        own.push(buffer);
        continue;
      }
      endOwn();
      parts.push(this.sharedPart(buffer));
    }
    endOwn();
    return gzipStream(await Promise.all(parts.map((part) => Promise.resolve(part))));
  }

  private sharedPart(buffer: Buffer): GzipPart | Promise<GzipPart> {
    const known = this.parts.get(buffer);
    if (known) return known;
    const made = this.part(buffer);
    this.parts.set(buffer, made);
    onceSettled(
      made,
      (part) => this.parts.set(buffer, part),
      () => this.parts.delete(buffer),
    );
    return made;
  }

  private part(text: Buffer): Promise<GzipPart> {
    return this.inTurn(text.length, () => gzipPart(text, COMPRESSION_LEVEL));
  }

  /** Runs a compression of so many bytes when it is its turn. */
  private async inTurn<T>(size: number, work: () => Promise<T>): Promise<T> {
    this.bytes += size;
    try {
      // A finished compression hands its place over directly, so that no later reply can overtake.
      if (this.running < MAX_RUNNING) this.running += 1;
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = this.waiting.shift();
        if (next) next();
        else this.running -= 1;
      }
    } finally {
      this.bytes -= size;
    }
  }
}

/** Replaces the header by one of random length. */
function padded(compressed: Buffer): Buffer {
  return Buffer.concat([gzipHeader(), compressed.subarray(PLAIN_HEADER_BYTES)]);
}

/**
 * Whether a client accepts a content coding (RFC 9110 section 12.5.3).
 * @param accepted the `Accept-Encoding` header; a client without it accepts none
 */
export function acceptsCoding(accepted: string, coding: string): boolean {
  let others = false;
  for (const entry of accepted.toLowerCase().split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim());
    const refused = parameters.some(isRefusal);
    if (name === coding) return !refused;
    if (name === '*') others = !refused;
  }
  return others;
}

/** A weight of 0, or one that is none, by which nobody accepts anything. */
function isRefusal(parameter: string): boolean {
  if (!/^q\s*(=|$)/.test(parameter)) return false;
  return (
    !/^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(parameter) || Number(parameter.slice(2)) === 0
  );
}
