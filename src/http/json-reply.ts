import type { TSchema } from 'typebox';
import { acceptsCoding, COMPRESS_FROM_BYTES } from './compression.js';
import type { Exchange, ReplyHeaders } from './exchange.js';
import { ChunkReader } from './files/chunks.js';
import { ApiError, replyTooLong } from '../errors.js';
import { EncodedReply, TextReply, type Reply } from '../resources/kernel/route.js';
import { MAX_REPLY_BYTES } from '../../schemas/limits.js';
import { EventLoopYield } from '../event-loop-yield.js';

/** Up to this size a reply is written at once, bytes; a larger one as fast as the client accepts it. */
const WHOLE_BYTES = 64 * 1024;

const NOTHING_SHARED: ReadonlySet<Buffer> = new Set();

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

function takesGzip({ method, acceptEncoding }: Exchange): boolean {
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

/** The body of a success (errors.md#envelope): one line of JSON with a newline at its end. */
export function successText(reply: Reply, ignored: readonly string[]): string {
  const fields = JSON.stringify(reply);
  if (fields === '{}') return `${SUCCESS}${unsupported(ignored)}}\n`;
  if (ignored.length > 0) return `${SUCCESS},${fields.slice(1, -1)}${unsupported(ignored)}}\n`;
  // In few pieces: nearly every reply.
  return `${SUCCESS_WITH}${fields.slice(1)}\n`;
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
    return encodeYielding(fields).then((first) =>
      replyBuffers(exchange, [...first, ...pieces], ignored, shared),
    );
  }
  if (reply instanceof TextReply) return replyTexts(exchange, reply.parts, ignored);
  if (isLargeReply(reply, long)) {
    return encodeYielding(reply).then((buffers) => replyBuffers(exchange, buffers, ignored));
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
  return encodeTexts(parts).then((buffers) => replyBuffers(exchange, buffers, ignored));
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

/** Answers with a refusal of the catalogue. */
export function replyError(exchange: Exchange, error: ApiError): void {
  const challenges = error.headers['WWW-Authenticate'] !== undefined;
  const headers =
    challenges && exchange.isFromBrowser
      ? { ...error.headers, ...BROWSER_CHALLENGE }
      : error.headers;
  exchange.reply(error.status, headers, JSON.stringify(error.body()) + '\n');
}

/** Lists with more entries are encoded asynchronously: an entry, a message perhaps, may be long. */
const MANY_IN_LIST = 50;

/** Maps of texts and numbers with more entries are, too; of objects as lists. */
const MANY_SMALL_IN_MAP = 5000;

/** Entries of a list that are encoded together first, until their length is known. */
const FIRST_ENTRIES = 8;

/** Length of text that is encoded together, UTF-16 units: about 0.1 ms. */
const TOGETHER = 32 * 1024;

/** Length of text that is converted to bytes at once, UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/** Whether a reply may take long to encode: one of its fields is a long list or map. */
function isLargeReply(reply: Reply, long: readonly string[] | null): boolean {
  // Names of a fresh object cost more than its encoding does.
  for (const name of long ?? Object.keys(reply)) {
    const value = reply[name];
    if (typeof value === 'object' && value !== null && hasMany(value)) return true;
  }
  return false;
}

/** Names of the fields of a reply that may be lists or maps, by its schema; null where that does not name its fields. */
export function longFields(response: TSchema): readonly string[] | null {
  const { properties } = response as { properties?: Record<string, TSchema> };
  if (properties === undefined) return null;
  return Object.keys(properties).filter((name) => !isScalar(properties[name]!));
}

function isScalar(schema: TSchema): boolean {
  const { type, anyOf, const: value } = schema as ScalarSchema;
  if (anyOf !== undefined) return anyOf.every(isScalar);
  return SCALARS.has(type) || (value !== undefined && typeof value !== 'object');
}

interface ScalarSchema {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
}

const SCALARS: ReadonlySet<string | undefined> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

function hasMany(value: object): boolean {
  if (Array.isArray(value)) return value.length > MANY_IN_LIST;
  let entries = 0;
  let most = 0;
  for (const name in value) {
    // The values of a map are alike.
    if (entries === 0) most = manyLike((value as Record<string, unknown>)[name]);
    if ((entries += 1) > most) return true;
  }
  return false;
}

function manyLike(value: unknown): number {
  return typeof value === 'object' ? MANY_IN_LIST : MANY_SMALL_IN_MAP;
}

/**
 * Encodes the fields of a reply as JSON, each with a comma before it; long lists and maps entry by entry,
 * with yields to the event loop.
 * @throws ApiError 400 for a reply longer than any may be
 */
async function encodeYielding(reply: Reply): Promise<Buffer[]> {
  const text = new ReplyText();
  for (const [name, value] of Object.entries(reply)) {
    if (value === undefined) continue;
    text.add(`,${JSON.stringify(name)}:`);
    if (typeof value !== 'object' || value === null || !hasMany(value)) {
      text.add(JSON.stringify(value));
    } else if (Array.isArray(value)) {
      await addList(text, value);
    } else {
      await addMap(text, value as Record<string, unknown>);
    }
  }
  return text.end();
}

/** Converts JSON text to bytes, with yields to the event loop. @throws ApiError 400 as `encodeYielding` */
async function encodeTexts(parts: readonly string[]): Promise<Buffer[]> {
  const text = new ReplyText();
  for (const part of parts) {
    text.add(part);
    if (text.pause.isDue) await text.pause.take();
  }
  return text.end();
}

async function addList(text: ReplyText, list: readonly unknown[]): Promise<void> {
  text.add('[');
  let together = FIRST_ENTRIES;
  for (let from = 0; from < list.length;) {
    const entries = list.slice(from, from + together);
    const encoded = JSON.stringify(entries);
    text.add(`${from === 0 ? '' : ','}${encoded.slice(1, -1)}`);
    from += entries.length;
    together = Math.max(1, Math.floor((TOGETHER * entries.length) / encoded.length));
    if (text.pause.isDue) await text.pause.take();
  }
  text.add(']');
}

async function addMap(text: ReplyText, map: Record<string, unknown>): Promise<void> {
  text.add('{');
  const names = Object.keys(map);
  let separator = '';
  let together = FIRST_ENTRIES;
  for (let from = 0; from < names.length;) {
    const part = names.slice(from, from + together);
    const encoded = JSON.stringify(partOf(map, part));
    if (encoded !== '{}') {
      text.add(`${separator}${encoded.slice(1, -1)}`);
      separator = ',';
    }
    from += part.length;
    together = Math.max(1, Math.floor((TOGETHER * part.length) / encoded.length));
    if (text.pause.isDue) await text.pause.take();
  }
  text.add('}');
}

/** Without a prototype, so that a member may be called `__proto__`. */
function partOf(map: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const part = Object.create(null) as Record<string, unknown>;
  for (const name of names) part[name] = map[name];
  return part;
}

/** ReplyText collects JSON text and converts it to bytes in parts. */
class ReplyText {
  readonly pause = new EventLoopYield();
  private readonly pieces: Buffer[] = [];
  private pending = '';
  private bytes = 0;

  add(text: string): void {
    this.pending += text;
    if (this.pending.length >= PIECE_LENGTH) this.flush();
  }

  end(): Buffer[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    const piece = Buffer.from(this.pending);
    this.pending = '';
    this.bytes += piece.length;
    if (this.bytes > MAX_REPLY_BYTES) throw replyTooLong(MAX_REPLY_BYTES);
    this.pieces.push(piece);
  }
}
