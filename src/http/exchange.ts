import type { Compressor } from './compression.js';
import type { NativeRequest, NativeResponse, UpgradeContext } from './native.js';
import { ChunkWriter } from './files/chunk-writer.js';
import type { PendingExchanges } from './pending.js';
import type { ReplyCounts } from './reply-counts.js';
import { RequestHead } from './request/request-head.js';
import {
  canonicalAddress,
  type ClientOrigin,
  type TrustedProxies,
} from './request/trusted-proxies.js';

/** Reason phrases of the statuses this server sends; the native layer wants the whole line. */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  206: '206 Partial Content',
  302: '302 Found',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  416: '416 Range Not Satisfiable',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** No reply is shown inside other sites, or taken for another type than it says. */
const UNFRAMED = "Content-Security-Policy: frame-ancestors 'none'";
const NOSNIFF = 'X-Content-Type-Options: nosniff';

/**
 * Idle connections are closed after 8 to 12 s: clients that read this (Node's agents do) close them before, and
 * lose no request to a connection that is being closed. Seconds.
 */
const KEEP_ALIVE = 'Keep-Alive: timeout=7';

/**
 * The headers every API reply carries, as the value of one native call: each call into native code
 * costs about as much as formatting the whole block.
 */
const JSON_HEADERS =
  'application/json\r\n' +
  'Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private\r\n' +
  'Access-Control-Allow-Origin: *\r\n' +
  `${NOSNIFF}\r\n${UNFRAMED}\r\n${KEEP_ALIVE}`;

/** What every other reply carries: addresses may hold keys, so they are told to nobody. */
const FILE_HEADERS = `\r\n${NOSNIFF}\r\nReferrer-Policy: no-referrer\r\n${KEEP_ALIVE}`;

/** Header lines of a reply, by name. */
export type ReplyHeaders = Readonly<Record<string, string>>;

const NO_HEADERS: ReplyHeaders = {};

/** What exchanges share. */
export interface ExchangeParts {
  /** The exchanges that wait for their reply, for draining. */
  readonly pending: PendingExchanges<Exchange>;
  /** Whose word about the client counts; null for nobody's. */
  readonly proxies: TrustedProxies | null;
  readonly compressor: Compressor;
}

/** A body that is read piece by piece. */
interface ChunkedReply {
  /** Default 200. */
  readonly status?: number;
  readonly mediaType: string;
  readonly headers: ReplyHeaders;
  /** Bytes. */
  readonly size: number;
  /** Gives some bytes from an offset on, none where there are none. */
  readonly read: (offset: number) => Promise<Buffer>;
}

/**
 * One request and its reply: the only object that touches the native pair.
 *
 * A reply is written at most once, in the order status, headers, body, inside a cork, and never after
 * the client has gone; a reply that comes too late is dropped silently.
 */
export class Exchange extends RequestHead {
  /** The client has gone; nothing can be sent any more. */
  aborted = false;
  /** Its body is still coming: it does not wait for us. */
  receiving = false;
  /** `X-RateLimit-*` of this request in wire form (see `RequestLimiter`), or empty. */
  rateLimit = '';

  /** Where the reply is counted, once it is known what was called. */
  counts: ReplyCounts | null = null;

  private finished = false;
  private corked = true;
  private closing = false;
  private abortListener: (() => void) | undefined;
  private origin: ClientOrigin | undefined;
  /** Somebody works on the reply: others must not answer meanwhile. */
  private claimed = false;
  /** As long as the entry function runs. */
  private native: NativeRequest | null;
  private codings: string | undefined;

  constructor(
    private readonly response: NativeResponse,
    request: NativeRequest,
    private readonly parts: ExchangeParts,
  ) {
    super(request, parts.proxies !== null);
    // Returning unanswered without it ends the process.
    response.onAborted(() => this.abort());
    this.native = request;
  }

  /** Replied, being replied or aborted: nobody else need do anything here. */
  get settled(): boolean {
    return this.finished || this.aborted || this.claimed;
  }

  get compressor(): Compressor {
    return this.parts.compressor;
  }

  /** Value of a header; only until the entry function returns, and empty after that. */
  header(name: string): string {
    return this.native?.getHeader(name) ?? '';
  }

  /** Whether a browser sent the request. */
  get isFromBrowser(): boolean {
    if (this.browser !== null || this.userAgent.startsWith('Mozilla/')) return true;
    return this.header('accept').includes('text/html');
  }

  /** The `Accept-Encoding` header. */
  get acceptEncoding(): string {
    return (this.codings ??= this.header('accept-encoding'));
  }

  /**
   * Address of the client, also behind trusted proxies. Read from the socket on first use (which costs
   * more than the rest of the request), so not after the end of the exchange.
   */
  get remoteAddress(): string {
    return this.clientOrigin.address;
  }

  /** How the client reached the outermost trusted proxy; null where none says. */
  get protocol(): 'http' | 'https' | null {
    return this.clientOrigin.protocol;
  }

  /** Calls `listener` when the client goes away before the reply. One slot: a later call replaces. */
  onAbort(listener: () => void): void {
    if (this.aborted) listener();
    else this.abortListener = listener;
  }

  /** The connection closes after the reply. */
  closeAfterReply(): void {
    this.closing = true;
  }

  /**
   * Keeps the reply for whoever calls, while it is being made ready elsewhere.
   * @returns to call before it is written; false where the client has gone
   */
  claim(): () => boolean {
    this.claimed = true;
    return () => {
      this.claimed = false;
      return !this.settled;
    };
  }

  /** A 200 with an already serialized JSON body. */
  replyText200(body: string): void {
    this.reply(200, NO_HEADERS, body);
  }

  /** A JSON reply; `headers` come after the ones all API replies share. */
  reply(status: number, headers: ReplyHeaders, body: string | Buffer): void {
    if (this.settled) return;
    if (this.corked) this.write(status, JSON_HEADERS, headers, body);
    else this.response.cork(() => this.write(status, JSON_HEADERS, headers, body));
  }

  /** A reply of another media type; headers like `Cache-Control` are the caller's. */
  replyRaw(status: number, mediaType: string, headers: ReplyHeaders, body: string | Buffer): void {
    if (this.settled) return;
    const first = fileHeaders(mediaType, headers);
    if (this.corked) this.write(status, first, headers, body);
    else this.response.cork(() => this.write(status, first, headers, body));
  }

  /**
   * A reply that is read piece by piece, as fast as the client takes it, so that a slow one costs no
   * memory. Resolves when it is sent, or the client has gone.
   * @throws whatever `read` throws; the connection is closed by then where the reply had begun
   */
  replyPieces(reply: ChunkedReply): Promise<void> {
    return this.sendPieces(reply, fileHeaders(reply.mediaType, reply.headers));
  }

  /** As `replyPieces`, for an already serialized JSON body. */
  replyJsonPieces(reply: Omit<ChunkedReply, 'mediaType'>): Promise<void> {
    return this.sendPieces(reply, JSON_HEADERS);
  }

  /** A reply without a body. */
  replyEmpty(headers: ReplyHeaders, status = 204): void {
    if (this.settled) return;
    this.response.cork(() => {
      this.settle(status);
      this.response.writeStatus(STATUS_LINES[status]!);
      for (const name in headers) this.response.writeHeader(name, headers[name]!);
      this.response.endWithoutBody();
    });
  }

  /**
   * Receives the body. A chunk is valid during the call only. Nothing comes after an abort, so wait
   * for `onAbort` too.
   */
  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    this.response.onData(listener);
  }

  /** Turns the exchange into a WebSocket; it is settled by that. */
  upgrade<T>(
    data: T,
    key: string,
    protocol: string,
    extensions: string,
    context: UpgradeContext,
  ): void {
    if (this.settled) return;
    this.settle(101);
    // Not inside a cork: when the native layer uncorks, it would take the WebSocket, which may lie where
    // the response lay, for a response, and now and then close it for a bit that looks like a flag.
    this.response.upgrade(data, key, protocol, extensions, context);
  }

  /** The entry function returns: from here on the exchange counts as waiting, and corks for itself. */
  leaveEntry(): void {
    this.corked = false;
    if (!this.finished && !this.aborted) {
      void this.acceptEncoding;
      this.parts.pending.add(this);
    }
    this.native = null;
  }

  private async sendPieces(
    { status = 200, headers, size, read }: Omit<ChunkedReply, 'mediaType'>,
    firstHeader: string,
  ): Promise<void> {
    if (this.settled) return;
    if (this.method === 'HEAD' || size === 0) {
      this.response.cork(() => {
        this.settle(status);
        this.writeHead(status, firstHeader, headers);
        this.response.writeHeader('Content-Length', String(size));
        this.response.endWithoutBody();
      });
      return;
    }
    let piece = await read(0);
    if (this.settled) return;
    // What has begun nobody else may answer.
    this.claimed = true;
    const pieces = new ChunkWriter(this.response, size);
    this.onAbort(() => pieces.stop());
    this.response.cork(() => this.writeHead(status, firstHeader, headers));
    try {
      while (piece.length > 0) {
        const offset = await pieces.write(piece);
        if (this.aborted) return;
        if (offset === size) return this.settle(status);
        piece = await read(offset);
        if (this.aborted) return;
      }
      throw new Error(`A reply of ${size} bytes ended early`);
    } catch (error) {
      // What has begun can only be broken off; that counts as an abort.
      if (!this.aborted) this.response.close();
      throw error;
    }
  }

  private write(
    status: number,
    firstHeader: string,
    headers: ReplyHeaders,
    body: string | Buffer,
  ): void {
    const response = this.response;
    this.settle(status);
    this.writeHead(status, firstHeader, headers);
    if (this.method === 'HEAD') {
      const length = Buffer.byteLength(body);
      if (this.closing) {
        response.endWithoutBody(length, true);
      } else {
        // Announcing the length natively leaves the reply open, and the next request on the
        // connection would then close it.
        response.writeHeader('Content-Length', String(length));
        response.endWithoutBody();
      }
    } else {
      response.end(body, this.closing);
    }
  }

  private writeHead(status: number, firstHeader: string, headers: ReplyHeaders): void {
    const response = this.response;
    if (status !== 200) response.writeStatus(STATUS_LINES[status] ?? String(status));
    response.writeHeader('Content-Type', firstHeader);
    // A tighter limit that refused the call speaks for all of them.
    if (this.rateLimit !== '' && headers['X-RateLimit-Limit'] === undefined) {
      response.writeHeader('X-RateLimit-Limit', this.rateLimit);
    }
    if (headers !== NO_HEADERS) {
      for (const name in headers) response.writeHeader(name, headers[name]!);
    }
  }

  private settle(status: number): void {
    this.finished = true;
    this.counts?.add(status);
    this.release();
  }

  private abort(): void {
    if (this.finished || this.aborted) return;
    this.aborted = true;
    const listener = this.abortListener;
    this.release();
    listener?.();
  }

  private release(): void {
    this.abortListener = undefined;
    this.parts.pending.remove(this);
  }

  private get clientOrigin(): ClientOrigin {
    if (this.origin === undefined) {
      const address = this.peerAddress();
      this.origin =
        this.parts.proxies && this.forwarded
          ? this.parts.proxies.clientOf(address, this.forwarded)
          : { address, protocol: null };
    }
    return this.origin;
  }

  private peerAddress(): string {
    if (this.finished || this.aborted) return 'unknown';
    const text = Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1');
    return canonicalAddress(text) ?? text;
  }
}

/** The first header of a reply that is no JSON, with those that all of them share. */
function fileHeaders(mediaType: string, headers: ReplyHeaders): string {
  const framing = headers['Content-Security-Policy'] === undefined ? `\r\n${UNFRAMED}` : '';
  return mediaType + FILE_HEADERS + framing;
}
