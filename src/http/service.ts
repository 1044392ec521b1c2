import type { TlsFiles } from './tls/tls-files.js';
import type { ApiError } from '../errors/index.js';
import type { FairLimits } from '../turns/fair-limiter.js';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import type { WebPage } from '../resources/pages/page.js';
import type { Authenticator, Route } from '../resources/kernel/route.js';
import type { Origins } from './auth/cross-site.js';
import type { Log } from './error-handler.js';
import type { PageServerParts } from './files/html-pages.js';
import type { FoundFile } from './files/public-file.js';
import type { Forwarder } from './forwarding/forwarder.js';
import type { Health, NodeHealth } from './health.js';
import type { RequestLimiter } from './limits/rate-limit.js';
import type { AsyncResponder, FastPath } from './pipeline.js';
import type { Identify } from './auth/authentication.js';
import type { SessionGate } from './auth/session-gate.js';
import type { NativeRequest, NativeResponse } from './native.js';
import type { Exchange, ReplyHeaders } from './reply/exchange.js';
import type { EventRouteParts } from './events/event-route-parts.js';
import type { RequestLog, RequestTroubles } from './request-log.js';

/** An endpoint that works on the exchange and replies asynchronously, such as a long poll. */
export interface SpecialRoute {
  readonly endpoint: EndpointDescriptor;
  /** Whether its path starts at the root instead of the API's base. */
  readonly atRoot?: boolean;
  readonly identify?: Identify;
  readonly fastPath?: FastPath;
  /** The session of a browser is accepted, too. */
  readonly takesSession?: boolean;
  /** It changes something: a node that follows sends it to the leader. */
  readonly writes?: boolean;
  /** It reads the body itself while it arrives (`RequestContext.body`), and headers after its first wait. */
  readonly streamsBody?: boolean;
  /** Further headers of the answer to `OPTIONS`. */
  readonly options?: ReplyHeaders;
  readonly respond: AsyncResponder;
}

/** What is served: by a leader or by a follower of the organization; the next `serve` replaces it as a whole. */
export interface Service {
  /** Which requests can be served, asked at every request. */
  readonly health: () => Health;
  readonly routes: readonly Route[];
  readonly specials?: readonly SpecialRoute[];
  readonly authenticator: Authenticator;
  /** Sessions of browsers; absent where there are none. */
  readonly sessions?: {
    readonly gate: SessionGate;
    /** What is below `/json` only. */
    readonly routes: readonly Route[];
    /** Of a node that follows: resolves when its memory has everything that is durable. */
    readonly catchUp: () => Promise<void>;
  };
  /** Pages outside the API; absent where there are none. */
  readonly pages?: {
    readonly all: readonly WebPage[];
    readonly errorPage: PageServerParts['errorPage'];
  };
  /**
   * Of the leader: null where everything is durable that an answer may rest on, else resolves when it is.
   * @param ageMs when its request began: how long ago
   * @throws ApiError 503 when some of it was taken back meanwhile, or the store fails
   */
  readonly onceDurable?: (ageMs: number) => Promise<void> | null;
  /**
   * Of a leader whose place another node may have taken unnoticed, beside another server of the store: resolves when it still
   * leads, so that it may refuse a change by what it has. Absent: no node can.
   * @throws ApiError or StoreUnavailableError where it may not
   */
  readonly onceConfirmed?: () => Promise<void>;
  /** Where the journal's durable end is, for replies to requests that may write; absent: they carry none. */
  readonly position?: () => number;
  /**
   * Of a node that may have less than others were told of: whether its memory reaches a position in time, null where it
   * has. Absent: requests wait for no position.
   */
  readonly reached?: (seq: number) => Promise<boolean> | null;
  /** Of a node that follows: sends requests that write to the leader. */
  readonly forward?: Forwarder;
  /** Operations that a node that follows serves itself, though their method writes. */
  readonly keeps?: ReadonlySet<string>;
}

/** What is to become of a request, where a test decides (architecture.md#testing). */
export interface Interposition {
  /** In the place of the native response. */
  readonly response?: NativeResponse;
  /** With which the request is refused before anything else is done about it. */
  readonly refusal?: ApiError;
}

/** Looks at a request first; null: it is served as any. */
export type Interposed = (response: NativeResponse, request: NativeRequest) => Interposition | null;

/** What the HTTP server is told of one organization. */
export interface SiteOptions {
  /** Name of the organization, for lines of the log; absent where a process has one alone. */
  readonly organization?: string;
  /** Null switches rate limits off. */
  readonly limiter: RequestLimiter | null;
  /**
   * Of an organization that is being brought into memory: resolves when it is, or cannot be. Null: requests are answered by
   * its state. Absent: it is never waited for. @throws ApiError where no more may wait
   */
  readonly awaken?: (exchange: Exchange) => Promise<void> | null;
  /** The state while nothing is served. */
  readonly health: () => Health;
  /** Further fields of `/health`; absent: none. */
  readonly node?: () => NodeHealth;
  /** Whether this process leads the organization, whatever the state of its store. */
  readonly leads?: () => boolean;
  /** Public files by raw path; `/health` and the API take precedence. */
  readonly files?: (path: string) => FoundFile;
  /** Origins whose pages may use credentials; default: the origin of the request's `Host`. */
  readonly origins?: Origins;
  /** Streams and sockets of events; called only while something is served. Absent: there are none. */
  readonly events?: () => EventRouteParts;
  /** Counts what went wrong, for those who operate the organization. */
  readonly troubles?: RequestTroubles;
}

/** What the HTTP server is told of its process. */
export interface HttpServerOptions {
  readonly log: Log;
  /** Absent: requests are not logged, but for faults. */
  readonly requests?: RequestLog;
  /** Reverse proxies whose headers are trusted: addresses and networks in CIDR form. */
  readonly trustedProxies?: readonly string[];
  /** Files for TLS; absent or null: a proxy in front terminates it, or nobody. */
  readonly tls?: TlsFiles | null;
  /** Connections of clients at once; what the limit of open files leaves unless told. */
  readonly maxConnections?: number;
  /** Bytes of large replies that wait for their readers; the usual bound unless told. */
  readonly maxHeldBytes?: number;
  /** Bounds of large replies in the making; the usual ones unless told. */
  readonly replyTurns?: FairLimits;
  /** Generates ids of logged faults. */
  readonly newId?: () => string;
  /** Absent: nothing. */
  readonly interposed?: Interposed | undefined;
}
