import type { FileHandle } from 'node:fs/promises';
import { open } from '../../platform/files.js';
import { acceptsCoding } from '../reply/compression.js';
import type { Exchange, ReplyHeaders } from '../reply/exchange.js';
import { entityTag, isUnmodified, type Preconditions } from './conditional.js';

/** A public file on the disk, which is never in memory as a whole. */
export interface DiskFile {
  readonly path: string;
  readonly size: number;
  readonly contentType: string;
  readonly cacheControl: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The same, compressed; null where it is not there. */
  readonly gzip: { readonly path: string; readonly size: number } | null;
}

/** Bytes read at a time: a reply of a slow client holds so much. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Sends a file of the disk as fast as the client accepts it, compressed where it is so on the disk, too.
 * @throws ApiError 503 where too many files are open. @throws Error where the file cannot be read
 */
export async function giveDiskFile(
  exchange: Exchange,
  file: DiskFile,
  conditions: Preconditions,
  acceptEncoding: string,
): Promise<void> {
  const { path, size, contentType, cacheControl, modifiedAt, gzip } = file;
  const isCompressed = gzip !== null && acceptsCoding(acceptEncoding, 'gzip');
  const given = isCompressed ? gzip : { path, size };
  const tag = entityTag(`${given.path} ${given.size} ${modifiedAt}`);
  const headers: ReplyHeaders = {
    ...{ 'Cache-Control': cacheControl, ETag: tag },
    ...(gzip === null ? {} : { Vary: 'Accept-Encoding' }),
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
  };
  if (isUnmodified(conditions, tag)) {
    exchange.replyEmpty(headers, 304);
    return;
  }
  const closed = exchange.holdFile();
  let opened: FileHandle | undefined;
  try {
    opened = await open(given.path, 'r');
    const file = opened;
    await exchange.replyChunks({
      ...{ mediaType: contentType, headers, size: given.size },
      read: async (offset) => {
        const length = Math.min(CHUNK_BYTES, given.size - offset);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await opened?.close();
    closed();
  }
}
