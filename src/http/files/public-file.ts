import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { serviceUnavailable } from '../../errors/index.js';
import { ChunkReader } from './chunks.js';
import { acceptsCoding } from '../reply/compression.js';
import { giveDiskFile, type DiskFile } from './disk-file.js';
import { preconditionsOf, entityTag, isUnmodified, type Preconditions } from './conditional.js';
import type { Exchange, ReplyHeaders } from '../reply/exchange.js';

/** A public file outside the API. */
export interface PublicFile {
  readonly body: string | Buffer;
  readonly contentType: string;
  /** Default: {@link A_WHILE}. */
  readonly cacheControl?: string;
  /** For what others made. */
  readonly contentSecurityPolicy?: string;
}

/** A file at a path, at once or later. */
export type FoundFile =
  | PublicFile
  | DiskFile
  | Promise<PublicFile | DiskFile | undefined>
  | undefined;

/** For files that never change under their address. */
export const FOREVER = 'public, max-age=31536000, immutable';

/** For files that change with a new version of the server; clients then revalidate by the tag. */
export const A_WHILE = 'public, max-age=300';

type Coding = 'br' | 'gzip';

/** Media types worth compressing; pictures are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/json|image\/svg\+xml)/;

/** Smaller files fit into one packet. Bytes. */
const COMPRESS_FROM_BYTES = 1400;

/** Larger pictures are sent part by part. Bytes. */
const CHUNKED_FROM_BYTES = 256 * 1024;

/** Nearly the best compression in a tenth of its time; each file is compressed once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** A file with its tag and its compressed forms, which are made on first use. */
class ServedFile {
  private tag: string | undefined;
  private readonly compressed = new Map<Coding, Promise<Buffer>>();

  constructor(private readonly file: PublicFile) {}

  get isCompressible(): boolean {
    const { body, contentType } = this.file;
    return body.length >= COMPRESS_FROM_BYTES && COMPRESSIBLE.test(contentType);
  }

  /** The entity tag; it differs between the codings, as the bytes do. */
  tagOf(coding: Coding | null): string {
    this.tag ??= entityTag(this.file.body);
    return coding === null ? this.tag : `${this.tag.slice(0, -1)}-${coding}"`;
  }

  bytesOf(coding: Coding): Promise<Buffer> {
    let bytes = this.compressed.get(coding);
    if (!bytes) {
      const body = Buffer.from(this.file.body);
      bytes =
        coding === 'br'
          ? promisify(brotliCompress)(body, BROTLI)
          : promisify(gzip)(body, { level: 9 });
      this.compressed.set(coding, bytes);
    }
    return bytes;
  }
}

/** Compressed once per object; dropped together with the object. */
const SERVED = new WeakMap<PublicFile, ServedFile>();

/** What a request for a file needs after its entry function has returned. */
interface FileRequest {
  readonly conditions: Preconditions;
  readonly acceptEncoding: string;
}

/** Reads the headers of a request for a file; call it while the entry function runs. */
export function fileRequest(exchange: Exchange): FileRequest {
  return { conditions: preconditionsOf(exchange), acceptEncoding: exchange.acceptEncoding };
}

/**
 * Sends a file, or 304 where the client has it; compressed where the client accepts that.
 * @returns rejects when compression fails
 */
export function givePublicFile(
  exchange: Exchange,
  file: PublicFile | DiskFile,
  { conditions, acceptEncoding }: FileRequest,
): Promise<void> | undefined {
  if ('path' in file) return giveDiskFile(exchange, file, conditions, acceptEncoding);
  let served = SERVED.get(file);
  if (!served) SERVED.set(file, (served = new ServedFile(file)));
  const coding = served.isCompressible ? chosenCoding(acceptEncoding) : null;
  const tag = served.tagOf(coding);
  const headers: ReplyHeaders = {
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': file.cacheControl ?? A_WHILE,
    ETag: tag,
    ...(file.contentSecurityPolicy === undefined
      ? {}
      : { 'Content-Security-Policy': file.contentSecurityPolicy }),
    ...(served.isCompressible ? { Vary: 'Accept-Encoding' } : {}),
  };
  if (isUnmodified(conditions, tag)) {
    exchange.replyEmpty(headers, 304);
    return undefined;
  }
  if (coding === null && typeof file.body !== 'string' && file.body.length > CHUNKED_FROM_BYTES) {
    return givePartByPart(exchange, file, file.body, headers);
  }
  if (coding === null) {
    exchange.replyRaw(200, file.contentType, headers, file.body);
    return undefined;
  }
  return served.bytesOf(coding).then((bytes) => {
    exchange.replyRaw(200, file.contentType, { ...headers, 'Content-Encoding': coding }, bytes);
  });
}

/** Large files that are being sent, by how many clients. */
const sending = new Map<PublicFile, number>();
/** What all of them may take, bytes: slow clients keep files in memory that nothing else holds. */
const MAX_SENDING = 64 * 1024 * 1024;

/** Sends a large file as fast as the client accepts it. @throws ApiError 503 where too much is being sent */
async function givePartByPart(
  exchange: Exchange,
  file: PublicFile,
  body: Buffer,
  headers: ReplyHeaders,
): Promise<void> {
  let held = body.length;
  for (const one of sending.keys()) held += one === file ? 0 : one.body.length;
  if (held > MAX_SENDING) throw serviceUnavailable('Too many pictures are being sent');
  sending.set(file, (sending.get(file) ?? 0) + 1);
  try {
    const chunks = new ChunkReader([body]);
    await exchange.replyChunks({
      ...{ mediaType: file.contentType, headers, size: chunks.size },
      read: (offset) => chunks.read(offset),
    });
  } finally {
    const left = (sending.get(file) ?? 1) - 1;
    if (left > 0) sending.set(file, left);
    else sending.delete(file);
  }
}

function chosenCoding(accepted: string): Coding | null {
  if (acceptsCoding(accepted, 'br')) return 'br';
  return acceptsCoding(accepted, 'gzip') ? 'gzip' : null;
}
