import { acceptsCoding, COMPRESS_FROM_BYTES } from './compression.js';
import { NO_HEADERS, type Exchange, type ReplyHeaders } from './exchange.js';
import { knownAccount } from './exchange-parts.js';
import { ChunkReader } from '../files/chunks.js';
import { asBadRequest, type ApiError } from '../../errors/index.js';
import {
  encodePieces,
  encodeTexts,
  encodeYielding,
  isLargeReply,
  TOGETHER,
} from './large-reply.js';
import { EncodedReply, PlainReply, TextReply, type Reply } from '../../resources/kernel/route.js';

/** Up to this size a reply is written at once, bytes; a larger one as fast as the client accepts it. */
const WHOLE_BYTES = 64 * 1024;

const NOTHING_SHARED: ReadonlySet<Buffer> = new Set();

export const VARIES: ReplyHeaders = { Vary: 'Accept-Encoding' };
export const COMPRESSED: ReplyHeaders = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };

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

/**
 * As {@link replyJsonText}, for bytes that are valid during the call only.
 * @returns whether it has answered: not where the reply is compressed, or so large that it is sent in pieces
 */
export function replyJsonNow(exchange: Exchange, body: Buffer): boolean {
  const { length } = body;
  if (length < COMPRESS_FROM_BYTES) exchange.reply(200, NO_HEADERS, body);
  else if (length > WHOLE_BYTES || takesGzip(exchange)) return false;
  else exchange.reply(200, VARIES, body);
  return true;
}

/** Like {@link replyJsonText}, for a body in many buffers. */
function replyJsonBytes(
  exchange: Exchange,
  buffers: readonly Buffer[],
  shared: ReadonlySet<Buffer> = NOTHING_SHARED,
): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  const reader = new ChunkReader(buffers);
  if (reader.size >= COMPRESS_FROM_BYTES && takesGzip(exchange)) {
    return replyGzipped(exchange, buffers, reader.size, shared);
  }
  const headers = reader.size >= COMPRESS_FROM_BYTES ? VARIES : {};
  return send(exchange, headers, buffers, reader, sizeOf(shared));
}

/** Whether the client takes a reply with a body that is compressed. */
export function takesGzip({ method, acceptEncoding }: Exchange): boolean {
  return method !== 'HEAD' && acceptEncoding !== '' && acceptsCoding(acceptEncoding, 'gzip');
}

async function replyGzipped(
  exchange: Exchange,
  buffers: readonly Buffer[],
  size: number,
  shared = NOTHING_SHARED,
): Promise<void> {
  const { compressor } = exchange;
  const inParts = shared.size > 0;
  if (!(inParts ? compressor.takesParts(buffers, shared) : compressor.takes(size))) {
    await send(exchange, VARIES, buffers, new ChunkReader(buffers), sizeOf(shared));
    return;
  }
  const unclaim = exchange.claim();
  let compressed: Buffer[] | null = null;
  try {
    compressed = inParts
      ? await compressor.gzipParts(buffers, shared)
      : [await compressor.gzip(buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers))];
  } finally {
    if (!unclaim()) compressed = null;
  }
  if (compressed === null) return;
  await send(exchange, COMPRESSED, compressed, new ChunkReader(compressed));
}

/** @param ofOthers bytes of the buffers that other replies share */
function send(
  exchange: Exchange,
  headers: ReplyHeaders,
  buffers: readonly Buffer[],
  reader: ChunkReader,
  ofOthers = 0,
): Promise<void> | undefined {
  if (reader.size > WHOLE_BYTES) return sendHeld(exchange, headers, reader, reader.size - ofOthers);
  exchange.reply(200, headers, buffers.length === 1 ? buffers[0]! : Buffer.concat(buffers));
  return undefined;
}

/** @param bytes what is in memory for this reply alone */
async function sendHeld(
  exchange: Exchange,
  headers: ReplyHeaders,
  reader: ChunkReader,
  bytes: number,
): Promise<void> {
  const held = exchange.hold(bytes);
  const read = (offset: number): Buffer => {
    held.progressed();
    return reader.read(offset);
  };
  try {
    await exchange.replyJsonChunks({ headers, size: reader.size, read });
  } finally {
    held.ended();
  }
}

function sizeOf(buffers: Iterable<Buffer>): number {
  let size = 0;
  for (const { length } of buffers) size += length;
  return size;
}

const SUCCESS = '{"result":"success","msg":""';
const SUCCESS_WITH = `${SUCCESS},`;
const SUCCESS_ALONE = `${SUCCESS}}\n`;
const EMPTY = '{}';

/** The body of a success (errors.md#envelope): one line of JSON with a newline at its end. */
export function successText(reply: Reply, ignored: readonly string[]): string {
  const fields = hasField(reply) ? JSON.stringify(reply) : EMPTY;
  if (fields === EMPTY) {
    return ignored.length === 0 ? SUCCESS_ALONE : `${SUCCESS}${unsupported(ignored)}}\n`;
  }
  if (ignored.length > 0) return `${SUCCESS},${fields.slice(1, -1)}${unsupported(ignored)}}\n`;
  // In few pieces: nearly every reply.
  return `${SUCCESS_WITH}${fields.slice(1)}\n`;
}

/** Most changes answer with nothing more than that they succeeded. */
function hasField(reply: Reply): boolean {
  for (const _name in reply) return true;
  return false;
}

function unsupported(ignored: readonly string[]): string {
  return ignored.length === 0 ? '' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
}

/**
 * Answers 200 with `reply` in its envelope.
 * @param long names of the fields that may be lists or maps, where they are known
 * @returns rejects when a reply fails that is encoded asynchronously or sent in chunks
 */
export function replySuccess(
  exchange: Exchange,
  reply: Reply,
  ignored: readonly string[],
  long: readonly string[] | null = null,
): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  if (reply instanceof EncodedReply) {
    const { fields, pieces, shared } = reply;
    return Promise.all([
      encodeYielding(fields, knownAccount(exchange)),
      encodePieces(pieces, knownAccount(exchange)),
    ]).then(([first, rest]) => replyBuffers(exchange, [...first, ...rest], ignored, shared));
  }
  if (reply instanceof PlainReply) {
    exchange.replyRaw(200, 'text/plain', reply.headers, reply.text);
    return undefined;
  }
  if (reply instanceof TextReply) return replyTexts(exchange, reply.parts, ignored);
  // Most replies that change something have no field that may be long.
  if (long?.length !== 0 && isLargeReply(reply, long)) {
    return encodeYielding(reply, knownAccount(exchange)).then((buffers) =>
      replyBuffers(exchange, buffers, ignored),
    );
  }
  return replyJsonText(exchange, successText(reply, ignored));
}

function replyTexts(
  exchange: Exchange,
  parts: readonly string[],
  ignored: readonly string[],
): Promise<void> | undefined {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length <= TOGETHER) {
    return replyJsonText(exchange, `${SUCCESS}${parts.join('')}${unsupported(ignored)}}\n`);
  }
  return encodeTexts(parts, knownAccount(exchange)).then((buffers) =>
    replyBuffers(exchange, buffers, ignored),
  );
}

function replyBuffers(
  exchange: Exchange,
  buffers: readonly Buffer[],
  ignored: readonly string[],
  shared?: ReadonlySet<Buffer>,
): Promise<void> | undefined {
  const end = `${unsupported(ignored)}}\n`;
  return replyJsonBytes(exchange, [Buffer.from(SUCCESS), ...buffers, Buffer.from(end)], shared);
}

/** A challenge that browsers ignore: `Basic` would make them ask for a name and password. */
const BROWSER_CHALLENGE = { 'WWW-Authenticate': 'xBasic realm="zulip"' };

/** Where the session of a browser is the only credential. */
const SESSION_CHALLENGE = { 'WWW-Authenticate': 'Session realm="zulip"' };

/**
 * Answers with a refusal of the catalogue. Below `/json`, 401 says that there is no session, upon which the web app leaves
 * for the login page: what else was not proven, such as a password, is 400 there.
 */
export function replyError(exchange: Exchange, given: ApiError): void {
  const isOther = exchange.bySession && given.status === 401 && given.code !== 'UNAUTHORIZED';
  const error = isOther ? asBadRequest(given) : given;
  const challenges = error.headers['WWW-Authenticate'] !== undefined;
  const headers =
    challenges && (exchange.bySession || exchange.isFromBrowser)
      ? { ...error.headers, ...(exchange.bySession ? SESSION_CHALLENGE : BROWSER_CHALLENGE) }
      : error.headers;
  exchange.reply(error.status, headers, JSON.stringify(error.body()) + '\n');
}
