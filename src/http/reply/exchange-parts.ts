import { accountOf, type Account } from '../../turns/fair-queue.js';
import { setTimeout, clearTimeout, setImmediate } from '../../platform/timers.js';
import type { Compressor } from './compression.js';
import type { LateUpgrades } from '../late-upgrades.js';
import type { ConnectionLimit } from '../limits/connection-limit.js';
import type { HeldReplies } from '../limits/held-replies.js';
import type { ReplyTurns } from '../limits/reply-turns.js';
import type { ApiError } from '../../errors/index.js';
import type { RequestLog, RequestTroubles } from '../request-log.js';
import type { TrustedProxies } from '../request/trusted-proxies.js';
import { POSITION } from '../forwarding/internal-headers.js';
import { nativeText, utf8Text, type NativeResponse, type Utf8Text } from '../native.js';

/** The part of an exchange that a drain uses. */
export interface PendingExchange {
  /** Its place among those that wait; -1 where it does not. Only {@link PendingExchanges} sets it. */
  place: number;
  /** Whether its body is still being received. */
  readonly receiving: boolean;
  /** Closes its connection after the reply. */
  closeAfterReply(): void;
}

/**
 * PendingExchanges has the exchanges that wait for their reply; a drain waits for them.
 *
 * They stand in an array and know their places. A `Set` makes a new table after some additions, and the old one,
 * once the garbage collector has taken it for long-lived, keeps all later ones and their exchanges: 650 bytes of each
 * request had to be moved.
 */
export class PendingExchanges<E extends PendingExchange> {
  private readonly waiting: E[] = [];
  private readonly emptied = new Set<() => void>();

  /** How many wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** Adds an exchange. */
  add(exchange: E): void {
    exchange.place = this.waiting.push(exchange) - 1;
  }

  /** Removes an exchange that was answered or aborted; the last one takes its place. */
  remove(exchange: E): void {
    const { place } = exchange;
    if (place === -1) return;
    exchange.place = -1;
    const last = this.waiting.pop()!;
    if (last !== exchange) {
      this.waiting[place] = last;
      last.place = place;
    }
    if (this.waiting.length > 0) return;
    for (const listener of this.emptied) listener();
  }

  /** Closes the connection of every pending exchange after its reply. */
  drain(): void {
    for (const exchange of this.waiting) exchange.closeAfterReply();
  }

  forEach(action: (exchange: E) => void): void {
    for (const exchange of this.waiting) action(exchange);
  }

  /** Calls `action` for every exchange whose body is not being received any more. */
  forEachWaiting(action: (exchange: E) => void): void {
    for (const exchange of [...this.waiting]) if (!exchange.receiving) action(exchange);
  }

  /** Resolves when none is pending (true) or at the deadline (false). */
  async untilEmpty(deadlineMs: number): Promise<boolean> {
    if (this.waiting.length === 0) return true;
    return new Promise((resolve) => {
      const finish = (emptied: boolean) => {
        clearTimeout(deadline);
        this.emptied.delete(onEmpty);
        resolve(emptied);
      };
      // The last reply is still in the native layer's cork, which is flushed when this turn ends.
      const onEmpty = () => void setImmediate(() => finish(true));
      const deadline = setTimeout(() => finish(false), deadlineMs);
      this.emptied.add(onEmpty);
    });
  }
}

/** What an exchange needs of the organization that it is for, which was decided before anything of the request was read. */
export interface ExchangeSite<Exchange extends PendingExchange> {
  /** The journal's position for replies to requests that may write; null where they carry none. */
  position(): number | null;
  /** See `Service`. @param ageMs how long ago the request began */
  onceDurable(ageMs: number): Promise<void> | null;
  /** See `Service`; null: nothing is to be confirmed. */
  onceConfirmed(): Promise<void> | null;
  /** Answers people who opened an address outside the API with a page; false where a program asks. */
  page(exchange: Exchange, refusal: ApiError): boolean;
  /** Name of the organization, for lines of the log; null where a process has one alone. */
  readonly organization: string | null;
  /** The host name asked for, for lines of the log, where no organization has it. */
  readonly asked?: string;
  /** Its number at this process, for the turns of accounts. */
  readonly number: number;
  /** Counts what went wrong for those who operate this organization; null: nobody looks. */
  readonly troubles: RequestTroubles | null;
}

/** On whose account an exchange is, but for that all who have not logged in at an organization share one. */
export function knownAccount(exchange: {
  readonly user: number | null;
  readonly site: { readonly number: number };
}): Account {
  return accountOf(exchange.site.number, exchange.user);
}

/** Dependencies that all exchanges share. */
export interface SharedParts<Exchange extends PendingExchange> {
  /** The exchanges that wait for their reply, for draining. */
  readonly pending: PendingExchanges<Exchange>;
  /** Proxies whose headers about the client are trusted; null: none. */
  readonly proxies: TrustedProxies | null;
  readonly compressor: Compressor;
  /** Large replies that wait for their readers. */
  readonly limit: ConnectionLimit;
  readonly held: HeldReplies;
  /** Turns of large replies to be made. */
  readonly turns: ReplyTurns;
  readonly requests: RequestLog;
  readonly lateUpgrades: LateUpgrades;
  /** Whether nodes of the organization are the clients, and tell where requests came from. */
  readonly isInternal: boolean;
  /** Whether the server terminates TLS for those who ask. */
  readonly hasTls: boolean;
}

/** Headers of replies that scripts of other origins may read, besides those that they always may. */
export const EXPOSED = utf8Text(
  [
    POSITION,
    'Retry-After',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-Request-Id',
  ].join(', '),
);

/** Status lines with reason phrases: the native layer takes the whole line. */
const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  201: '201 Created',
  204: '204 No Content',
  206: '206 Partial Content',
  302: '302 Found',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  410: '410 Gone',
  411: '411 Length Required',
  412: '412 Precondition Failed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  416: '416 Range Not Satisfiable',
  426: '426 Upgrade Required',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** The status with its reason phrase. */
export function statusLineOf(status: number): Utf8Text {
  return utf8Text(STATUS_LINES[status] ?? String(status));
}

/** Statuses whose replies end with their head. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Headers that forbid framing by other sites, which nobody can do with JSON, and guessing of media types. */
const UNFRAMED = "Content-Security-Policy: frame-ancestors 'none'";
const NOSNIFF = 'X-Content-Type-Options: nosniff';

/**
 * Idle time announced to clients, seconds. Connections are closed after 8 to 12 s idle; clients that honour
 * this header (Node's agents do) close them before, and lose no request to a connection that is being
 * closed.
 */
const KEEP_ALIVE = 'Keep-Alive: timeout=7';

/**
 * The headers of every API reply as the value of one native call: each call into native code costs about as
 * much as formatting the whole block.
 */
const JSON_HEADER_LINES =
  'application/json\r\n' +
  'Cache-Control: max-age=0, no-cache, no-store, must-revalidate, private\r\n' +
  'Access-Control-Allow-Origin: *\r\n' +
  `${NOSNIFF}\r\n${KEEP_ALIVE}`;

/** {@link JSON_HEADER_LINES} of a reply without a position. */
export const JSON_HEADERS = nativeText(JSON_HEADER_LINES);

/** The newest position that a reply carried, and the headers with it: replies of a group commit share them. */
let newest = -1;
let withNewest = utf8Text('');

/** The headers of an API reply that carries a position (see {@link JSON_HEADERS}). */
export function jsonHeadersAt(position: number): Utf8Text {
  if (position !== newest) {
    newest = position;
    withNewest = utf8Text(`${JSON_HEADER_LINES}\r\n${POSITION}: ${position}`);
  }
  return withNewest;
}

/** Name of the first header. */
export const CONTENT_TYPE = nativeText('Content-Type');

/** Writes the headers that a reply has for itself. */
export function writeHeaders(response: NativeResponse, headers: ReplyHeaders): void {
  for (const name in headers) response.writeHeader(name, utf8Text(headers[name]!));
}

/** What most replies do not have. */
interface LastHeaders {
  readonly setCookies: readonly string[] | null;
  readonly requestId: string;
}

/**
 * For half a year after a visit browsers ask by HTTPS only (RFC 6797), whatever somebody on the way answers to plain HTTP:
 * as long as the web server of a Zulip installation says.
 */
const HTTPS_ONLY = utf8Text('max-age=15768000');

export function writeLastHeaders(
  response: NativeResponse,
  { setCookies, requestId }: LastHeaders,
  { isInternal, hasTls }: Pick<SharedParts<PendingExchange>, 'isInternal' | 'hasTls'>,
): void {
  if (setCookies !== null) {
    for (const one of setCookies) response.writeHeader('Set-Cookie', utf8Text(one));
  }
  // The node that has the client writes its own.
  if (requestId !== '' && !isInternal) response.writeHeader('X-Request-Id', utf8Text(requestId));
  if (hasTls) response.writeHeader('Strict-Transport-Security', HTTPS_ONLY);
}

/** Writes the head of a reply that another node made. */
export function writeForeignHead(
  response: NativeResponse,
  { statusLine, lines }: ForeignReply,
  ...last: [headers: LastHeaders, parts: Parameters<typeof writeLastHeaders>[2]]
): void {
  if (statusLine !== '200 OK') response.writeStatus(Buffer.from(statusLine, 'latin1'));
  // All lines as the value of the first one: each call into native code costs.
  const colon = lines.indexOf(': ');
  const value = Buffer.from(lines.slice(colon + 2), 'latin1');
  if (colon > 0) response.writeHeader(lines.slice(0, colon), value);
  writeLastHeaders(response, ...last);
}

/** The headers of every other reply. */
const FILE_HEADERS = `\r\n${NOSNIFF}\r\n${KEEP_ALIVE}`;
/** Addresses may contain keys, so browsers send no referrer. */
const NO_REFERRER = '\r\nReferrer-Policy: no-referrer';

/**
 * The headers of everything that a browser shows as a page, an error included: a window that another site opened, or
 * that opened one, has no hold on it, and neither it nor what might be injected asks for what no page of ours uses.
 */
const PAGE_LINES =
  // Without a referrer forms say no origin, by which over HTTP alone the server knows its own; others get neither.
  '\r\nReferrer-Policy: same-origin' +
  '\r\nCross-Origin-Opener-Policy: same-origin' +
  '\r\nPermissions-Policy: accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), ' +
  'magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), usb=()';
const PAGE = 'text/html';

/** Header lines of a reply, by name. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** The first header of a reply other than JSON, with those that all of them share. */
export function fileHeaders(mediaType: string, headers: ReplyHeaders): Utf8Text {
  const framing = headers['Content-Security-Policy'] === undefined ? `\r\n${UNFRAMED}` : '';
  const page = mediaType.startsWith(PAGE) ? PAGE_LINES : NO_REFERRER;
  return utf8Text(mediaType + FILE_HEADERS + framing + page);
}

/** A reply as another node wrote it, without the lines that the native layer adds. */
export interface ForeignReply {
  readonly status: number;
  /** Status with its reason phrase; a character for each byte. */
  readonly statusLine: string;
  /** Header lines, a character for each byte, without an end of line behind the last one. */
  readonly lines: string;
  /** Bytes. */
  readonly size: number;
}

/** A reply whose body is read chunk by chunk. */
export interface ChunkedReply {
  /** Default 200. */
  readonly status?: number;
  readonly mediaType: string;
  readonly headers: ReplyHeaders;
  /** Bytes. */
  readonly size: number;
  /** Reads some bytes from an offset on; none at the end. */
  readonly read: (offset: number) => Buffer | Promise<Buffer>;
}
