import { serviceUnavailable } from '../../errors/index.js';
import type { Compressor } from './compression.js';
import {
  type ExchangeSite,
  type SharedParts,
  CONTENT_TYPE,
  EXPOSED,
  fileHeaders,
  hasNoBody,
  JSON_HEADERS,
  jsonHeadersAt,
  statusLineOf,
  writeForeignHead,
  writeHeaders,
  writeLastHeaders,
  type ChunkedReply,
  type ForeignReply,
  type ReplyHeaders,
} from './exchange-parts.js';
import { POSITION, sentBy, UNPROCESSED } from '../forwarding/internal-headers.js';
import {
  utf8Text,
  type NativeRequest,
  type NativeResponse,
  type UpgradeContext,
  type Utf8Text,
} from '../native.js';
import { ChunkWriter } from '../files/chunks.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import { accountOf, type Account } from '../../turns/fair-queue.js';
import { ticks, ticksSince, type ReplyCounts } from './reply-counts.js';
import type { HeldReply } from '../limits/held-replies.js';
import type { ReplyTurn } from '../limits/reply-turns.js';
import { ReplyStream, type StreamReply } from './reply-stream.js';
import { CLIENT_LEFT, type LoggedRequest } from '../request-log.js';
import { RequestHead, type Recognised } from '../request/request-head.js';
import { canonicalAddress, type ClientOrigin } from '../request/trusted-proxies.js';

/** Those of nearly all replies. */
export const NO_HEADERS: ReplyHeaders = {};
/** An id of a proxy that is safe in a header and in a line. */
const PLAIN_ID = /^[\w.:=+/@-]{1,128}$/;

export type { ForeignReply, ReplyHeaders };
/** What a client says of the WebSocket that it wants: its key, the subprotocol and the extensions. */
export type Handshake = readonly [key: string, protocol: string, extensions: string];
/** Dependencies that all exchanges share. */
export type ExchangeParts = SharedParts<Exchange>;

/**
 * Exchange is one request and its reply, and the only object that touches the native pair.
 *
 * A reply is written at most once, in the order status, headers, body, inside a cork, and never after the
 * client has disconnected; a late reply is dropped silently.
 */
export class Exchange extends RequestHead {
  /** The client disconnected; nothing can be sent any more. */
  aborted = false;
  /** The body is still being received: the exchange is waiting for the client, not for the server. */
  receiving = false;
  /** `X-RateLimit-*` of this request in wire form (see `RequestLimiter`), or empty. */
  rateLimit = '';
  /** A refusal says that the request had no effect, where the client is another node. */
  unprocessed = false;
  /** Of a request with a body that names a position: what asks whether memory reaches it in time; null for nearly all. */
  awaits: (() => Promise<boolean> | null) | null = null;

  /** Who asks, as far as it is known. */
  user: number | null = null;
  /** Code of a refusal. */
  code = '';
  /** Stands in the log and the reply; empty where the log has no line of the request and no proxy gave one. */
  requestId = '';
  /** The id for a line, where another node knows it already; it does not make the reply carry one. */
  reservedId = '';
  /** Values of `Set-Cookie`; none for nearly all. */
  setCookies: readonly string[] | null = null;
  /** Counters of the reply, set once the endpoint is known. */
  counts: ReplyCounts | null = null;
  /** The reply is a health check, such as `/health`: its 503 is no failure. */
  isHealthReply = false;

  /** Times by the clock of the log: the head was there, the handler began, the handler returned. */
  private readonly began: number;
  /** When the head was there, ticks. */
  readonly start = ticks();
  /** When its present turn began, in a later round than that in which it arrived. Ticks. */
  begun = this.start;
  /** From then to the reply, ticks; 0 before it, and where the reply waits for what others do. */
  took = 0;
  private served = 0;
  private handled = 0;

  /** See {@link PendingExchanges}. */
  place = -1;
  private finished = false;
  /** Whether the entry function runs. */
  corked = true;
  private closing = false;
  /** Whether the client is held back with its body. */
  private isHeld = false;
  private abortListener: (() => void) | undefined;
  private origin: ClientOrigin | undefined;
  /** A reply is being prepared: no other may be sent meanwhile. */
  private claimed = false;
  /** Has what came of the body before anybody received it; null for nearly all. */
  early: { onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void } | null = null;
  /** Of a large reply in the making. */
  private turn: ReplyTurn | null = null;
  constructor(
    private readonly response: NativeResponse,
    request: NativeRequest,
    private readonly parts: ExchangeParts,
    /** The organization that the request is for. */
    readonly site: ExchangeSite<Exchange>,
    recognised: Recognised | null = null,
  ) {
    super(request, parts.proxies !== null, recognised);
    this.began = parts.requests.now;
    if (parts.isInternal) [this.origin, this.reservedId] = sentBy(request);
  }

  /** Whether the exchange is replied, being replied or aborted: nothing more is to be done. */
  get settled(): boolean {
    return this.finished || this.aborted || this.claimed;
  }

  get compressor(): Compressor {
    return this.parts.compressor;
  }

  /**
   * Resolves when the large reply that the request needs may be made.
   * @throws ApiError 503 when too many are to be made, or the client has gone while it waited
   */
  async largeReply(): Promise<void> {
    await (this.turn ??= this.parts.turns.of(String(this.account))).begin();
    if (this.aborted) throw serviceUnavailable('The client has gone');
  }

  /** On whose account large replies, and turns of connections, are: the user's, or the address's, which must not be asked late. */
  get account(): Account {
    return accountOf(this.site.number, this.user ?? this.remoteAddress);
  }

  /** A reply is made, or there will be none. */
  endMaking(): void {
    this.turn?.end();
  }

  /** Counts a large reply among those that wait for their readers, until it has ended. */
  hold(bytes: number): HeldReply {
    this.endMaking();
    return this.parts.held.hold(bytes, String(this.account), () => this.cutOff());
  }

  /**
   * A file is to be opened for the reply: it counts as a connection does.
   * @returns it is closed
   * @throws ApiError 503 where the process has no more
   */
  holdFile(): () => void {
    return this.parts.limit.holdFile();
  }

  /** The handler begins. */
  markServed(): void {
    this.served = this.parts.requests.now;
  }

  /** The handler returned; its reply may come later. */
  markHandled(): void {
    this.handled = this.parts.requests.now;
  }

  /** Whether another node forwarded the request, or calls this one. */
  get isInternal(): boolean {
    return this.parts.isInternal;
  }

  /**
   * Address of the client, also behind trusted proxies. The first use reads it from the socket (which costs
   * more than the rest of the request), so it must not come after the end of the exchange.
   */
  get remoteAddress(): string {
    return this.clientOrigin.address;
  }

  /** Protocol between the client and the outermost trusted proxy; null where unknown. */
  get protocol(): 'http' | 'https' | null {
    return this.clientOrigin.protocol;
  }

  /** Calls `listener` when the client disconnects before the reply. A later call replaces the listener. */
  onAbort(listener: () => void): void {
    if (this.aborted) listener();
    else this.abortListener = listener;
  }

  /** The id under which every node that serves the request logs it, if it does. */
  sharedId(): string {
    this.takeRequestId();
    return (this.reservedId ||= this.requestId || this.parts.requests.newId());
  }

  /** Closes the connection after the reply. */
  closeAfterReply(): void {
    this.closing = true;
  }

  /**
   * Reserves the reply for the caller while it prepares it asynchronously.
   * @returns ends the reservation, to call before the reply; false where the client has disconnected
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
    this.send(status, JSON_HEADERS, headers, body);
  }

  /** A reply of another media type; the caller sets headers like `Cache-Control`. */
  replyRaw(status: number, mediaType: string, headers: ReplyHeaders, body: string | Buffer): void {
    this.send(status, fileHeaders(mediaType, headers), headers, body);
  }

  /**
   * A reply that is read chunk by chunk as fast as the client accepts it, so that a slow client costs no
   * memory. Resolves when it is sent or the client has disconnected.
   * @throws whatever `read` throws; where the reply had begun, the connection is closed by then
   */
  replyChunks(reply: ChunkedReply): Promise<void> {
    const { status = 200, headers, size, read } = reply;
    const first = fileHeaders(reply.mediaType, headers);
    return this.sendChunks(status, size, read, () => this.writeHead(status, first, headers));
  }

  /** As `replyChunks`, for an already serialized JSON body. */
  replyJsonChunks(reply: Omit<ChunkedReply, 'mediaType'>): Promise<void> {
    const { status = 200, headers, size, read } = reply;
    return this.sendChunks(status, size, read, () => this.writeHead(status, JSON_HEADERS, headers));
  }

  /** Begins a reply that stays open until the stream is ended; null where the client has disconnected. */
  replyStream({ mediaType, headers, probe, encoder }: StreamReply): ReplyStream | null {
    if (this.settled) return null;
    // No other reply may follow one that has begun.
    this.claimed = true;
    const ending = { closing: () => this.closing, settle: () => this.settle(200) };
    const stream = new ReplyStream(this.response, probe, encoder, ending);
    this.onAbort(() => stream.gone());
    this.response.cork(() => this.writeHead(200, fileHeaders(mediaType, headers), headers));
    return stream;
  }

  /** A reply of another node with its whole body. */
  replyForeign(reply: ForeignReply, body: Buffer): void {
    if (this.settled) return;
    this.response.cork(() => {
      this.settle(reply.status);
      writeForeignHead(this.response, reply, this, this.parts);
      if (hasNoBody(reply.status)) this.response.endWithoutBody();
      else this.response.end(body, this.closing);
    });
  }

  /** As `replyChunks`, for a reply of another node. */
  replyForeignChunks(reply: ForeignReply, read: ChunkedReply['read']): Promise<void> {
    const head = (): void => writeForeignHead(this.response, reply, this, this.parts);
    return this.sendChunks(reply.status, reply.size, read, head);
  }

  /** A reply without a body. */
  replyEmpty(headers: ReplyHeaders, status = 204): void {
    if (this.settled) return;
    this.response.cork(() => {
      this.settle(status);
      this.response.writeStatus(statusLineOf(status));
      writeHeaders(this.response, headers);
      writeLastHeaders(this.response, this, this.parts);
      // Where it closes a length must be named: without one the native layer would not end the reply.
      if (this.closing) this.response.endWithoutBody(0, true);
      else this.response.endWithoutBody();
    });
  }

  /**
   * Receives the body. A chunk is valid during the call only. No call follows an abort, so use `onAbort`,
   * too.
   */
  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    (this.early ?? this.response).onData(listener);
  }

  /** Receives no more of the body while it is held: what the client sends waits in the network. */
  holdBody(isHeld: boolean): void {
    if (this.finished || this.aborted || this.isHeld === isHeld) return;
    this.isHeld = isHeld;
    this.response[isHeld ? 'pause' : 'resume']();
  }

  /** Closes the connection without an answer, unless that is over. */
  cutOff(): void {
    if (!this.finished && !this.aborted) this.response.close();
  }

  /** Turns the exchange into a WebSocket, which settles it. */
  upgrade<T>(data: T, [key, protocol, extensions]: Handshake, context: UpgradeContext): void {
    if (this.settled) return;
    this.settle(101);
    const texts = [utf8Text(key), utf8Text(protocol), utf8Text(extensions)] as const;
    const upgrade = (): void => this.response.upgrade(data, ...texts, context);
    if (this.corked) upgrade();
    else this.parts.lateUpgrades.run(upgrade);
  }

  /** The entry function returns: from here on the exchange counts as pending and corks its own writes. */
  leaveEntry(): void {
    this.corked = false;
    // Most requests are answered by now: each of these calls into native code costs.
    if (!this.finished && !this.aborted) {
      void [this.acceptEncoding, this.userAgent];
      // Without an abort handler, returning unanswered ends the process.
      this.response.onAborted(() => this.abort());
      this.parts.pending.add(this);
    }
    this.endReading();
  }

  private async sendChunks(
    status: number,
    size: number,
    read: ChunkedReply['read'],
    writeHead: () => void,
  ): Promise<void> {
    if (this.settled) return;
    if (this.method === 'HEAD' || size === 0) {
      this.response.cork(() => {
        this.settle(status);
        writeHead();
        this.response.writeHeader('Content-Length', utf8Text(String(size))).endWithoutBody();
      });
      return;
    }
    // The turns and the log may need it when the client has gone, or the reply is complete, and it cannot be asked then.
    void this.clientOrigin;
    let chunk = await read(0);
    await connectionTurns.turn(chunk.length, this.account);
    if (this.settled) return;
    // No other reply may follow one that has begun.
    this.claimed = true;
    const writer = new ChunkWriter(this.response, size);
    this.onAbort(() => writer.stop());
    this.response.cork(writeHead);
    try {
      while (chunk.length > 0) {
        const offset = await writer.write(chunk);
        if (this.aborted) return;
        if (offset === size) return this.settle(status);
        chunk = await read(offset);
        await connectionTurns.turn(chunk.length, this.account);
        if (this.aborted) return;
      }
      throw new Error(`A reply of ${size} bytes ended early`);
    } catch (error) {
      // A reply that has begun can only be aborted.
      if (!this.aborted) this.response.close();
      throw error;
    }
  }

  private send(
    status: number,
    first: Utf8Text,
    headers: ReplyHeaders,
    body: string | Buffer,
  ): void {
    if (this.settled) return;
    const sent = utf8Text(body);
    if (this.corked) this.write(status, first, headers, sent);
    else this.response.cork(() => this.write(status, first, headers, sent));
  }

  private write(status: number, first: Utf8Text, headers: ReplyHeaders, body: Utf8Text): void {
    this.settle(status);
    this.writeHead(status, first, headers);
    if (this.method !== 'HEAD') return void this.response.end(body, this.closing);
    const length = Buffer.byteLength(body);
    if (this.closing) return void this.response.endWithoutBody(length, true);
    // Announcing the length natively leaves the reply open, and the next request on the connection would then close it.
    this.response.writeHeader('Content-Length', utf8Text(String(length))).endWithoutBody();
  }

  private writeHead(status: number, firstHeader: Utf8Text, headers: ReplyHeaders): void {
    if (status !== 200) this.response.writeStatus(statusLineOf(status));
    const position = this.isReading && !this.isInternal ? null : this.site.position();
    const isJson = firstHeader === JSON_HEADERS;
    const first = isJson && position !== null ? jsonHeadersAt(position) : firstHeader;
    this.response.writeHeader(CONTENT_TYPE, first);
    // The stricter limit that refused the call takes precedence.
    if (this.rateLimit !== '' && headers['X-RateLimit-Limit'] === undefined) {
      this.response.writeHeader('X-RateLimit-Limit', utf8Text(this.rateLimit));
    }
    if (headers !== NO_HEADERS) writeHeaders(this.response, headers);
    if (this.unprocessed && this.isInternal) this.response.writeHeader(UNPROCESSED, utf8Text('1'));
    // Scripts of pages see no header of another origin that is not named.
    if (this.browser !== null && this.browser.origin !== '') {
      this.response.writeHeader('Access-Control-Expose-Headers', EXPOSED);
    }
    if (position !== null && !isJson)
      this.response.writeHeader(POSITION, utf8Text(String(position)));
    // Last, as on replies that another node wrote.
    writeLastHeaders(this.response, this, this.parts);
  }

  private settle(status: number): void {
    const { requests } = this.parts;
    if (this.forwarded !== null) this.takeRequestId();
    const isSlow = requests.now - this.began > requests.slowMs && this.counts?.isTimed !== false;
    const isError = status >= 400 && !this.isHealthReply;
    if (isError || requests.isEach || isSlow) this.log(status);
    // What remains of the body comes in vain, but the next request of the connection comes behind it.
    this.holdBody(false);
    this.finished = true;
    // The clock costs, and nearly all polls need no time.
    if (this.counts?.isTimed) this.took = ticksSince(this.start);
    this.counts?.add(status, this.took);
    this.release();
  }

  /** Takes the id that a trusted proxy gave the request. */
  private takeRequestId(): void {
    const id = this.forwarded?.requestId ?? '';
    if (id === '' || this.requestId !== '' || !PLAIN_ID.test(id)) return;
    if (this.parts.proxies?.trusts(this.peerAddress()) === true) this.requestId = id;
  }

  private log(status: number): void {
    const { requests } = this.parts;
    if (this.requestId === '') this.requestId = this.reservedId || requests.newId();
    const { requestId: id, method, path, code, isHealthReply, user } = this;
    const { organization, asked } = this.site;
    const request: LoggedRequest = {
      ...{ id, method, path, status, code, isHealthReply, user, organization, asked },
      operation: this.counts?.operation ?? '',
      address: () => this.remoteAddress,
      times: [this.began, this.served, this.handled],
    };
    requests.over(request, this.site.troubles);
  }

  private abort(): void {
    if (this.finished || this.aborted) return;
    this.aborted = true;
    if (this.parts.requests.isEach) this.log(CLIENT_LEFT);
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
