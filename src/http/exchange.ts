import type { NativeRequest, NativeResponse, UpgradeContext } from './native.js';
import { PieceWriter } from './piece-writer.js';
import type { PendingExchanges } from './pending.js';
import type { ReplyCounts } from './reply-counts.js';

/** Reason phrases of the statuses this server sends; the native layer wants the whole line. */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  302: '302 Found',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Payload Too Large',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/**
 * The headers every API reply carries, as the value of one native call: each call into native code
 * costs about as much as formatting the whole block.
 */
const JSON_HEADERS =
  'application/json\r\n' +
  'Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private\r\n' +
  'Access-Control-Allow-Origin: *';

/** Header lines of a reply, by name. */
export type ReplyHeaders = Readonly<Record<string, string>>;

const NO_HEADERS: ReplyHeaders = {};

/**
 * One request and its reply: the only object that touches the native pair.
 *
 * Everything of the request is copied on construction, because the native request dies when the
 * entry function returns. A reply is written at most once, in the order status, headers, body, inside
 * a cork, and never after the client has gone; a reply that comes too late is dropped silently.
 */
export class Exchange {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  /** Still percent-encoded, without the query. */
  readonly path: string;
  /** Still percent-encoded, without the question mark. */
  readonly query: string;
  readonly authorization: string;
  readonly userAgent: string;
  readonly forwardedFor: string;
  /** Empty where there is no body. */
  readonly contentType: string;
  /** Bytes announced; 0 where there is no body, and also where its length is not known before. */
  readonly contentLength: number;
  readonly hasBody: boolean;

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
  private address: string | undefined;

  /** @param pending collects the exchanges that wait for their reply, for draining */
  constructor(
    private readonly response: NativeResponse,
    request: NativeRequest,
    private readonly pending: PendingExchanges,
    trustForwarded = false,
  ) {
    // First of all: returning unanswered without it ends the process.
    response.onAborted(() => this.abort());
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    this.authorization = request.getHeader('authorization');
    this.userAgent = request.getHeader('user-agent');
    this.forwardedFor = trustForwarded ? request.getHeader('x-forwarded-for') : '';
    const length = request.getHeader('content-length');
    this.contentLength = length === '' ? 0 : Number(length);
    this.hasBody = this.contentLength !== 0 || request.getHeader('transfer-encoding') !== '';
    this.contentType = this.hasBody ? request.getHeader('content-type') : '';
  }

  /** Replied or aborted: nothing more will happen here. */
  get settled(): boolean {
    return this.finished || this.aborted;
  }

  /**
   * Address of the client; behind a trusted proxy, the last address it names. Read from the socket on
   * first use (which costs more than the rest of the request), so not after the end of the exchange.
   */
  get remoteAddress(): string {
    if (this.address === undefined) this.address = this.readAddress();
    return this.address;
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

  /** A 200 with an already serialized JSON body. */
  replyText200(body: string): void {
    this.reply(200, NO_HEADERS, body);
  }

  /** A JSON reply; `headers` come after the ones all API replies share. */
  reply(status: number, headers: ReplyHeaders, body: string): void {
    if (this.settled) return;
    if (this.corked) this.write(status, JSON_HEADERS, headers, body);
    else this.response.cork(() => this.write(status, JSON_HEADERS, headers, body));
  }

  /** A reply of another media type; headers like `Cache-Control` are the caller's. */
  replyRaw(status: number, mediaType: string, headers: ReplyHeaders, body: string | Buffer): void {
    if (this.settled) return;
    if (this.corked) this.write(status, mediaType, headers, body);
    else this.response.cork(() => this.write(status, mediaType, headers, body));
  }

  /**
   * A reply that is read piece by piece, as fast as the client takes it, so that a slow one costs no
   * memory. Resolves when it is sent, or the client has gone.
   * @param read gives some bytes from an offset on, none where there are none
   * @throws whatever `read` throws; the connection is closed by then where the reply had begun
   */
  async replyPieces(
    mediaType: string,
    headers: ReplyHeaders,
    size: number,
    read: (offset: number) => Promise<Buffer>,
  ): Promise<void> {
    if (this.settled) return;
    if (this.method === 'HEAD' || size === 0) {
      this.response.cork(() => {
        this.settle(200);
        this.writeHead(200, mediaType, headers);
        this.response.writeHeader('Content-Length', String(size));
        this.response.endWithoutBody();
      });
      return;
    }
    let piece = await read(0);
    if (this.settled) return;
    const pieces = new PieceWriter(this.response, size);
    this.onAbort(() => pieces.stop());
    this.response.cork(() => this.writeHead(200, mediaType, headers));
    try {
      while (piece.length > 0) {
        const offset = await pieces.write(piece);
        if (this.settled) return;
        if (offset === size) return this.settle(200);
        piece = await read(offset);
        if (this.settled) return;
      }
      throw new Error(`A reply of ${size} bytes ended early`);
    } catch (error) {
      // What has begun can only be broken off; that counts as an abort.
      if (!this.settled) this.response.close();
      throw error;
    }
  }

  /** As `replyPieces`, for an already serialized JSON body. */
  replyJsonPieces(size: number, read: (offset: number) => Promise<Buffer>): Promise<void> {
    return this.replyPieces(JSON_HEADERS, NO_HEADERS, size, read);
  }

  /** A 204. */
  replyEmpty(headers: ReplyHeaders): void {
    if (this.settled) return;
    this.response.cork(() => {
      this.settle(204);
      this.response.writeStatus(STATUS_LINES[204]!);
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
    if (!this.settled) this.pending.add(this);
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
    if (this.settled) return;
    this.aborted = true;
    const listener = this.abortListener;
    this.release();
    listener?.();
  }

  private release(): void {
    this.abortListener = undefined;
    this.pending.remove(this);
  }

  private readAddress(): string {
    const named = this.forwardedFor.slice(this.forwardedFor.lastIndexOf(',') + 1).trim();
    if (named !== '') return named;
    if (this.settled) return 'unknown';
    return Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1');
  }
}
