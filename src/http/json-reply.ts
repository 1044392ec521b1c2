import { acceptsCoding, COMPRESS_FROM_BYTES } from './compression.js';
import type { Exchange, ReplyHeaders } from './exchange.js';
import { ChunkReader } from './files/chunk-reader.js';

/** Up to this size a reply is sent at once, bytes; a larger one as fast as the client takes it. */
const WHOLE_BYTES = 64 * 1024;

const VARIES: ReplyHeaders = { Vary: 'Accept-Encoding' };
const COMPRESSED: ReplyHeaders = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };

/**
 * Answers 200 with an already serialized JSON body, compressed where the client takes it and the body
 * is large enough.
 * @returns what fails when a reply that takes time does
 */
export function replyJsonText(exchange: Exchange, body: string): Promise<void> | undefined {
  if (body.length < COMPRESS_FROM_BYTES) {
    exchange.replyText200(body);
    return undefined;
  }
  if (exchange.settled) return undefined;
  const gzip = takesGzip(exchange);
  if (!gzip && body.length <= WHOLE_BYTES) {
    exchange.reply(200, VARIES, body);
    return undefined;
  }
  const bytes = Buffer.from(body);
  return gzip
    ? replyGzipped(exchange, [bytes], bytes.length)
    : send(exchange, VARIES, [bytes], new ChunkReader([bytes]));
}

/** As {@link replyJsonText}, for a body that lies in many pieces. */
export function replyJsonBytes(
  exchange: Exchange,
  pieces: readonly Buffer[],
): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  const reader = new ChunkReader(pieces);
  if (reader.size >= COMPRESS_FROM_BYTES && takesGzip(exchange)) {
    return replyGzipped(exchange, pieces, reader.size);
  }
  const headers = reader.size >= COMPRESS_FROM_BYTES ? VARIES : {};
  return send(exchange, headers, pieces, reader);
}

function takesGzip({ method, acceptEncoding }: Exchange): boolean {
  return method !== 'HEAD' && acceptEncoding !== '' && acceptsCoding(acceptEncoding, 'gzip');
}

async function replyGzipped(
  exchange: Exchange,
  pieces: readonly Buffer[],
  size: number,
): Promise<void> {
  const { compressor } = exchange;
  if (!compressor.takes(size)) {
    await send(exchange, VARIES, pieces, new ChunkReader(pieces));
    return;
  }
  const unclaim = exchange.claim();
  let compressed: Buffer | null = null;
  try {
    compressed = await compressor.gzip(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  } finally {
    if (!unclaim()) compressed = null;
  }
  if (compressed === null) return;
  await send(exchange, COMPRESSED, [compressed], new ChunkReader([compressed]));
}

function send(
  exchange: Exchange,
  headers: ReplyHeaders,
  pieces: readonly Buffer[],
  reader: ChunkReader,
): Promise<void> | undefined {
  if (reader.size > WHOLE_BYTES) {
    const read = (offset: number) => reader.read(offset);
    return exchange.replyJsonPieces({ headers, size: reader.size, read });
  }
  exchange.reply(200, headers, pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
  return undefined;
}
