import { randomUUID } from '../platform/randomness.js';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES } from '../../schemas/limits.js';
import type { TlsFiles } from './tls/tls-files.js';
import type { ApiError } from '../errors/index.js';
import { BodyBudget } from './request/body.js';
import { listening } from './cannot-listen.js';
import { Compressor } from './reply/compression.js';
import { API_BASE, Dispatcher, targetOf } from './dispatcher.js';
import { Exchange, type ExchangeParts } from './reply/exchange.js';
import { enterWith } from './entry.js';
import { ErrorHandler } from './error-handler.js';
import { FREQUENT, route } from './frequent.js';
import type { NativeApp, NativeRequest, NativeResponse } from './native.js';
import { NativeListener } from './native-listener.js';
import {
  INTERNAL_BASE,
  InternalCalls,
  type InternalBytesHandler,
  type InternalHandler,
  InternalListener,
} from './forwarding/internal-listener.js';
import { PendingExchanges } from './reply/exchange-parts.js';
import { LateUpgrades } from './late-upgrades.js';
import { ConnectionLimit, type ConnectionGate } from './limits/connection-limit.js';
import { guardApp, remoteAddressOf } from './limits/guarded.js';
import { HeldReplies } from './limits/held-replies.js';
import { ReplyTurns } from './limits/reply-turns.js';
import type { AsyncResponder } from './pipeline.js';
import type { Identify } from './auth/authentication.js';
import type { HttpServerOptions, Service } from './service.js';
import { ReplyCounters, type ReplyCounts } from './reply/reply-counts.js';
import { RequestLog, WAITING } from './request-log.js';
import { type Recognised, withSingleSlashes } from './request/request-head.js';
import { TrustedProxies } from './request/trusted-proxies.js';

export { API_BASE } from './dispatcher.js';
export type { HttpServerOptions, Service, SpecialRoute } from './service.js';

/** Bytes of all bodies being received, over all requests; beyond it uploads get a 503. */
const BODY_BUDGET_BYTES = 16 * MAX_BODY_BYTES;

/** Connections of other nodes: of sixty-four of them as many as each may have; half at most from one address. */
const MAX_NODE_CONNECTIONS = 4096;

/** Serves a request as the native layer gives it. */
type Serve = (response: NativeResponse, request: NativeRequest) => void;

/** Serves a request whose endpoint is known; see {@link HttpServer.gate}. */
type Gate = (response: NativeResponse, request: NativeRequest, respond: AsyncResponder) => void;

/**
 * HttpServer is the HTTP side of the process. Life cycle: `listen`, `drain`, `stop`; the last two are
 * idempotent. In between, `serve` and `withdraw` may alternate; without a service every request is refused.
 *
 * No exception may cross into native code, where it would end the process or leave a request unanswered:
 * every native callback catches errors and passes them to the error handler.
 */
export class HttpServer {
  /** What others keep open, at every listener of the process. */
  readonly limit: ConnectionLimit;
  /** Connections of clients; sockets tell it when they close, which the native layer does not count. */
  readonly connections: ConnectionGate;

  readonly listener: NativeListener;
  private readonly pending = new PendingExchanges<Exchange>();
  private readonly faults: ErrorHandler;
  private readonly budget = new BodyBudget(BODY_BUDGET_BYTES);
  /** They outlive services. */
  private readonly counters = new ReplyCounters(WAITING);
  private readonly lateUpgrades = new LateUpgrades();
  private readonly otherCounts = this.counters.of('other');
  private readonly dispatcher: Dispatcher;
  private readonly shared: ExchangeParts;
  private readonly calls: InternalCalls;
  /** By path: what else serves a recognised GET, as its headers say. */
  private readonly others = new Map<string, (request: NativeRequest) => Serve | null>();
  private internalListener: InternalListener | undefined;
  private stopped = false;
  // Made once: each request would make it anew.
  private readonly dispatching = (exchange: Exchange): void => this.dispatcher.dispatch(exchange);

  constructor(private readonly options: HttpServerOptions) {
    this.listener = new NativeListener(options.tls);
    this.faults = new ErrorHandler(options.log, options.newId ?? randomUUID);
    const { trustedProxies = [] } = options;
    const held = new HeldReplies(options.maxHeldBytes);
    this.limit = new ConnectionLimit(options.log, options.maxConnections);
    this.shared = {
      limit: this.limit,
      pending: this.pending,
      proxies: trustedProxies.length > 0 ? new TrustedProxies(trustedProxies) : null,
      compressor: new Compressor(),
      held,
      turns: new ReplyTurns(held, options.replyTurns),
      position: () => this.dispatcher.service?.position?.() ?? null,
      requests: options.requests ?? RequestLog.silent(),
      lateUpgrades: this.lateUpgrades,
      isInternal: false,
      hasTls: Boolean(options.tls),
    };
    this.calls = new InternalCalls(this.faults, this.budget);
    this.connections = this.limit.gate('clients');
    this.register((app) => guardApp(app, this.connections));
    const { faults, budget, counters } = this;
    this.dispatcher = new Dispatcher({ options, faults, budget, counters });
    for (const endpoint of FREQUENT) this.recognise(endpoint);
    this.register((app) => {
      app.any('/*', (response, request) => {
        const other = this.otherAt(request);
        if (other) other(response, request);
        else this.enter(response, request, this.dispatching);
      });
    });
  }

  /** Registers routes at the native application, now and at each renewal of the certificate; call before `listen`. */
  register(work: (app: NativeApp) => void): void {
    this.listener.register(work);
  }

  /**
   * Lets the native layer recognise the requests of an endpoint that is called more than others: two calls into
   * native code less for each. Its path has no placeholders; call before `listen`.
   * @param otherFor what else serves a request, as its headers say
   * @param base where its path begins
   */
  recognise(
    { method, path }: EndpointDescriptor,
    otherFor?: (request: NativeRequest) => Serve | null,
    base = API_BASE,
  ): void {
    const recognised: Recognised = { method, path: base + path };
    const serve: Serve = (response, request) =>
      this.enter(response, request, this.dispatching, this.shared, recognised);
    if (otherFor) this.others.set(recognised.path, otherFor);
    const chosen: Serve = otherFor
      ? (response, request) => (otherFor(request) ?? serve)(response, request)
      : serve;
    this.register((app) => route(app, method, recognised.path, chosen));
  }

  /** What else serves a GET whose path the native layer does not recognise, because it has repeated slashes. */
  private otherAt(request: NativeRequest): Serve | null {
    const path = request.getUrl();
    if (!path.includes('//') || request.getCaseSensitiveMethod() !== 'GET') return null;
    return this.others.get(withSingleSlashes(path))?.(request) ?? null;
  }

  /** Whether all clients may share an address, because it is that of a trusted proxy. */
  readonly isProxy = (address: string): boolean => this.shared.proxies?.trusts(address) ?? false;

  /** Number of requests that wait for their reply. */
  get pendingCount(): number {
    return this.pending.size;
  }

  /** Replies of each operation since the start, by status. */
  get replies(): Iterable<ReplyCounts> {
    return this.counters.all;
  }

  /**
   * Serves a service from now on.
   * @throws Error when the parameters of an endpoint cannot be compiled, or two endpoints collide
   */
  serve(service: Service): void {
    this.dispatcher.serve(service);
  }

  /** Serves nothing from now on: all pending requests, including long polls, get this error. */
  withdraw(error: ApiError): void {
    this.dispatcher.withdraw(error);
    this.pending.forEachWaiting((exchange) => this.faults.fail(exchange, error));
  }

  /**
   * Starts listening; port 0 selects a free one.
   * @param shared other processes of this account may listen on the port too
   * @throws Error when the port is in use, or the server already listens
   */
  async listen(host: string, port: number, shared = false): Promise<{ port: number }> {
    const own = await this.listener.listen(host, port, shared);
    this.connections.listensAt(own, this.isProxy);
    // Not awaited: without it all works, too.
    this.lateUpgrades.open().catch(() => undefined);
    return { port: own };
  }

  /**
   * Serves new connections with a renewed certificate; those that are open keep theirs.
   * @throws Error when it cannot be used, or nobody can listen; nothing changes then
   */
  renew(tls: TlsFiles): void {
    this.listener.renew(tls);
  }

  /**
   * Listens for other nodes of the organization: everything the public listener serves, for whoever carries
   * the key, as if it came from the client that they name; and calls between nodes (`internal`). Port 0 selects
   * a free one.
   * @throws Error when the port is in use, the address is not local, or the server already listens there
   */
  async listenInternal(host: string, port: number, key: string): Promise<{ port: number }> {
    if (this.internalListener) throw new Error('The server is already listening for other nodes');
    const parts = { ...this.shared, proxies: null, isInternal: true, hasTls: false };
    const enter = (response: NativeResponse, request: NativeRequest): void =>
      this.enter(response, request, (exchange) => this.dispatchInternal(exchange), parts);
    const gate = this.limit.gate('nodes', MAX_NODE_CONNECTIONS);
    const listener = await listening(() => new InternalListener(host, port, key, enter, gate));
    this.internalListener = listener;
    return { port: listener.port };
  }

  /**
   * Answers `POST {path}` of other nodes, which begins with `/internal/`: JSON in, JSON out.
   * @throws Error when the path is taken
   */
  internal(path: string, handler: InternalHandler): void {
    this.calls.add(path, handler);
  }

  /** As `internal`, for bodies of any bytes. */
  internalBytes(path: string, maxBytes: number, handler: InternalBytesHandler): void {
    this.calls.addBytes(path, maxBytes, handler);
  }

  /**
   * Applies the checks of a plain request to a native handler such as a WebSocket upgrade: draining,
   * credentials, rate limit, parameters, permission. Admitted requests go to `respond`, synchronously;
   * refused ones are answered. Bodies are not read.
   * @param before what is to be waited for before the request is identified; null: nothing
   */
  gate(
    endpoint: EndpointDescriptor,
    identify?: Identify,
    before: (exchange: Exchange) => Promise<void> | null = () => null,
  ): Gate {
    const target = targetOf(endpoint, this.counters);
    return (response, request, respond) => {
      this.enter(response, request, (exchange) => {
        this.dispatcher.onceReady(exchange, ({ pipeline }) => {
          const run = (): void => pipeline.runTarget(exchange, { ...target, identify, respond });
          const wait = before(exchange);
          if (!wait) {
            run();
            return;
          }
          exchange.keepHeaders();
          wait
            .then(() => {
              if (!exchange.settled) run();
            })
            .catch((error: unknown) => this.faults.fail(exchange, error));
        });
      });
    };
  }

  /** Ends an exchange with an error, for special routes that fail asynchronously. */
  fail(exchange: Exchange, error: unknown): void {
    this.faults.fail(exchange, error);
  }

  /**
   * Stops accepting work: closes the listen socket, answers new requests on open connections with 503 and
   * `Connection: close`, and closes connections after the replies of pending requests, which the caller
   * must bring about.
   * @returns true when all pending requests were answered, false at the deadline
   */
  async drain(deadlineMs: number): Promise<boolean> {
    if (!this.dispatcher.draining) {
      this.dispatcher.draining = true;
      this.closeListener();
      this.pending.drain();
    }
    return this.pending.untilEmpty(deadlineMs);
  }

  /** Refuses requests that have not reached their handler, e.g. because their body is still coming. */
  refuseUnbegun(error: ApiError): void {
    this.dispatcher.refuseUnbegun(error);
  }

  /** Closes every connection; pending exchanges are aborted. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.dispatcher.draining = true;
    this.closeListener();
    this.listener.stop();
    this.lateUpgrades.close();
    this.internalListener?.stop();
  }

  private closeListener(): void {
    this.listener.close();
    this.internalListener?.closeListener();
  }

  /** The single entry of a native callback. */
  private enter(
    response: NativeResponse,
    request: NativeRequest,
    work: (exchange: Exchange) => void,
    parts = this.shared,
    recognised: Recognised | null = null,
  ): void {
    const met = this.options.interposed?.(response, request) ?? null;
    const exchange = new Exchange(met?.response ?? response, request, parts, recognised);
    exchange.counts = this.otherCounts;
    const stays = parts.isInternal || this.connections.keeps(() => remoteAddressOf(response));
    if (!stays) exchange.closeAfterReply();
    enterWith(exchange, this.faults, met?.refusal ? refusing(met.refusal) : work);
  }

  /** A request of another node: a call, or a request of its client. */
  private dispatchInternal(exchange: Exchange): void {
    if (exchange.path.startsWith(INTERNAL_BASE)) this.calls.serve(exchange);
    else this.dispatcher.dispatchForwarded(exchange);
  }
}

/** Work that fails with a refusal. */
function refusing(refusal: ApiError): () => never {
  return () => {
    throw refusal;
  };
}

/** See {@link HttpServer}. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return new HttpServer(options);
}
