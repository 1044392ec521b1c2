import type { Exchange } from '../reply/exchange.js';
import { CLIENT } from './internal-headers.js';

/** Longer bodies are sent from where they are, bytes; copying shorter ones saves a call to the system. */
const COPIED_BYTES = 64 * 1024;

/** A request as another node gets it: one buffer, or head and body where copying the body would cost. */
export interface NodeMessage {
  readonly bytes: Buffer;
  /** Where its headers begin: the connection adds one, which proves who sends it. */
  readonly start: number;
  /** What follows. */
  readonly body: readonly Buffer[];
}

/** A body of bytes as they are, in several buffers. */
export class BytesBody {
  constructor(readonly parts: readonly Buffer[]) {}
}

/**
 * A request of a client as the leader gets it: with the headers that `RequestHead` and the handlers of writing
 * requests read, so that it is decided there as if the client had sent it there.
 * @param body is copied where it is short
 */
export function forwardedMessage(exchange: Exchange, body: Buffer): NodeMessage {
  const { method, path, query, browser } = exchange;
  const target = query === '' ? path : `${path}?${query}`;
  let lines =
    `Host: ${browser?.host || 'parley'}\r\n` +
    `${CLIENT}: ${exchange.remoteAddress} ${exchange.protocol ?? '-'} ${exchange.sharedId()}\r\n`;
  const add = (name: string, value: string): void => {
    if (value !== '') lines += `${name}: ${value}\r\n`;
  };
  add('Authorization', exchange.authorization);
  add('User-Agent', exchange.userAgent);
  add('Accept', exchange.accept);
  add('Accept-Encoding', exchange.acceptEncoding);
  add('Origin', browser?.origin ?? '');
  add('Sec-Fetch-Site', browser?.fetchSite ?? '');
  add('Content-Type', exchange.contentType);
  for (const name of exchange.passedOn) add(name, exchange.header(name));
  // A body of no bytes is another request than none.
  const isEmpty = exchange.hasBody && body.length === 0;
  lines += isEmpty ? 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n' : lengthLine(body.length);
  return messageOf(`${method} ${target} HTTP/1.1\r\n`, lines, [body]);
}

/** A call of another node beside the API. @param body anything but bytes is sent as JSON */
export function callMessage(path: string, body: unknown): NodeMessage {
  const isBytes = body instanceof BytesBody;
  const parts = isBytes ? body.parts : [Buffer.from(JSON.stringify(body ?? null))];
  const type = isBytes ? 'application/octet-stream' : 'application/json';
  const lines = `Host: parley\r\nContent-Type: ${type}\r\n`;
  return messageOf(`POST ${path} HTTP/1.1\r\n`, lines + lengthLine(sizeOf(parts)), parts);
}

function sizeOf(parts: readonly Buffer[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function lengthLine(length: number): string {
  return `Content-Length: ${length}\r\n\r\n`;
}

/** The native layer reads paths as UTF-8 and headers as Latin-1, so each byte stays what it is. */
function messageOf(first: string, lines: string, body: readonly Buffer[]): NodeMessage {
  const start = Buffer.byteLength(first);
  const end = start + lines.length;
  const size = sizeOf(body);
  const isCopied = size <= COPIED_BYTES;
  const bytes = Buffer.allocUnsafe(isCopied ? end + size : end);
  bytes.write(first);
  bytes.write(lines, start, 'latin1');
  if (!isCopied) return { bytes, start, body };
  let at = end;
  for (const part of body) at += part.copy(bytes, at);
  return { bytes, start, body: [] };
}
