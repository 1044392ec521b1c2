import { acceptsCoding, COMPRESS_FROM_BYTES } from './compression.js';
import type { Exchange, ReplyHeaders } from './exchange.js';
import { ChunkReader } from './files/chunks.js';
import { ApiError } from '../errors.js';
import { EncodedReply } from '../resources/kernel/special-replies.js';
import type { Reply } from '../resources/kernel/route.js';
import { encodeInStretches, isLargeReply } from './reply-text.js';

/** Up to this size a reply is written at once, bytes; a larger one as fast as the client accepts it. */
const WHOLE_BYTES = 64 * 1024;

const VARIES: ReplyHeaders = { Vary: 'Accept-Encoding' };
const COMPRESSED: ReplyHeaders = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };

/**
 * Answers 200 with an already serialized JSON body, compressed where the client accepts that and the body
 * is large enough.
 * @returns rejects when a reply that takes time fails
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

/** Like {@link replyJsonText}, for a body in many buffers. */
function replyJsonBytes(exchange: Exchange, buffers: readonly Buffer[]): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  const reader = new ChunkReader(buffers);
  if (reader.size >= COMPRESS_FROM_BYTES && takesGzip(exchange)) {
    return replyGzipped(exchange, buffers, reader.size);
  }
  const headers = reader.size >= COMPRESS_FROM_BYTES ? VARIES : {};
  return send(exchange, headers, buffers, reader);
}

function takesGzip({ method, acceptEncoding }: Exchange): boolean {
  return method !== 'HEAD' && acceptEncoding !== '' && acceptsCoding(acceptEncoding, 'gzip');
}

async function replyGzipped(
  exchange: Exchange,
  buffers: readonly Buffer[],
  size: number,
): Promise<void> {
  const { compressor } = exchange;
  if (!compressor.takes(size)) {
    await send(exchange, VARIES, buffers, new ChunkReader(buffers));
    return;
  }
  const unclaim = exchange.claim();
  let compressed: Buffer | null = null;
  try {
    compressed = await compressor.gzip(buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers));
  } finally {
    if (!unclaim()) compressed = null;
  }
  if (compressed === null) return;
  await send(exchange, COMPRESSED, [compressed], new ChunkReader([compressed]));
}

function send(
  exchange: Exchange,
  headers: ReplyHeaders,
  buffers: readonly Buffer[],
  reader: ChunkReader,
): Promise<void> | undefined {
  if (reader.size > WHOLE_BYTES) {
    const read = (offset: number) => reader.read(offset);
    return exchange.replyJsonChunks({ headers, size: reader.size, read });
  }
  exchange.reply(200, headers, buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers));
  return undefined;
}

const SUCCESS = '{"result":"success","msg":""';

/** The body of a success (errors.md#envelope): one line of JSON with a newline at its end. */
export function successText(reply: Reply, ignored: readonly string[]): string {
  const fields = JSON.stringify(reply);
  const data = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  return `${SUCCESS}${data}${unsupported(ignored)}}\n`;
}

function unsupported(ignored: readonly string[]): string {
  return ignored.length === 0 ? '' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
}

/**
 * Answers 200 with `reply` in its envelope.
 * @returns rejects when a reply fails that is encoded asynchronously or sent in chunks
 */
export function replySuccess(
  exchange: Exchange,
  reply: Reply,
  ignored: readonly string[],
): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  if (reply instanceof EncodedReply) {
    const { fields, pieces } = reply;
    return encodeInStretches(fields).then((first) =>
      replyBuffers(exchange, [...first, ...pieces], ignored),
    );
  }
  if (isLargeReply(reply)) {
    return encodeInStretches(reply).then((buffers) => replyBuffers(exchange, buffers, ignored));
  }
  return replyJsonText(exchange, successText(reply, ignored));
}

function replyBuffers(
  exchange: Exchange,
  buffers: readonly Buffer[],
  ignored: readonly string[],
): Promise<void> | undefined {
  const end = `${unsupported(ignored)}}\n`;
  return replyJsonBytes(exchange, [Buffer.from(SUCCESS), ...buffers, Buffer.from(end)]);
}

/** A challenge that browsers ignore: `Basic` would make them ask for a name and password. */
const BROWSER_CHALLENGE = { 'WWW-Authenticate': 'xBasic realm="zulip"' };

/** Answers with a refusal of the catalogue. */
export function replyError(exchange: Exchange, error: ApiError): void {
  const challenges = error.headers['WWW-Authenticate'] !== undefined;
  const headers =
    challenges && exchange.isFromBrowser
      ? { ...error.headers, ...BROWSER_CHALLENGE }
      : error.headers;
  exchange.reply(error.status, headers, JSON.stringify(error.body()) + '\n');
}
