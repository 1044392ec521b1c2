import { randomUUID } from '../platform/randomness.js';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES } from '../../schemas/limits.js';
import type { TlsFiles } from './tls/tls-files.js';
import { ApiError } from '../errors/index.js';
import { BodyBudget } from './request/body.js';
import { listening } from './cannot-listen.js';
import { Compressor } from './reply/compression.js';
import { API_BASE } from './dispatcher.js';
import { Exchange, type ExchangeParts } from './reply/exchange.js';
import { enterWith, type Work } from './entry.js';
import { ErrorHandler } from './error-handler.js';
import { FREQUENT, route } from './frequent.js';
import type { NativeApp, NativeRequest, NativeResponse } from './native.js';
import { NativeListener } from './native-listener.js';
import { InternalListener } from './forwarding/internal-listener.js';
import { HttpSite, type AbsentSite } from './http-site.js';
import { PendingExchanges } from './reply/exchange-parts.js';
import { LateUpgrades } from './late-upgrades.js';
import { ConnectionLimit, type ConnectionGate } from './limits/connection-limit.js';
import { guardApp, remoteAddressOf } from './limits/guarded.js';
import { HeldReplies } from './limits/held-replies.js';
import { ReplyTurns } from './limits/reply-turns.js';
import type { RequestContext } from './pipeline.js';
import type { Caller } from '../resources/kernel/route.js';
import type { HttpServerOptions, SiteOptions } from './service.js';
import { ReplyCounts, sumByOperation } from './reply/reply-counts.js';
import { RequestLog } from './request-log.js';
import { SiteTable } from './site-table.js';
import { AsleepHost, type NobodyThere, UnknownHost } from './unknown-host.js';
import { type Recognised, withSingleSlashes } from './request/request-head.js';
import { TrustedProxies } from './request/trusted-proxies.js';

export { API_BASE } from './dispatcher.js';
export type { HttpServerOptions, Service, SiteOptions, SpecialRoute } from './service.js';
export type { HttpSite } from './http-site.js';

/** Bytes of all bodies being received, over all requests; beyond it uploads get a 503. */
const BODY_BUDGET_BYTES = 16 * MAX_BODY_BYTES;

/** Connections of other nodes: of sixty-four of them as many as each may have; half at most from one address. */
const MAX_NODE_CONNECTIONS = 4096;

/** Serves a request as the native layer gives it. */
type Serve = (response: NativeResponse, request: NativeRequest) => void;

/** Answers a request of a site, as `AsyncResponder`. */
type SiteResponder = (exchange: Exchange, request: RequestContext, site: HttpSite) => void;

/** Serves a request whose endpoint is known; see {@link HttpServer.gate}. */
type Gate = (response: NativeResponse, request: NativeRequest, respond: SiteResponder) => void;

const DISPATCH: Work<HttpSite> = (exchange, site) => site.dispatch(exchange);
const REFUSE: Work<NobodyThere> = (exchange, nobody) => nobody.dispatch(exchange);
const DISPATCH_INTERNAL: Work<HttpSite> = (exchange, site) => site.dispatchInternal(exchange);

/**
 * HttpServer is the HTTP side of the process: listeners, limits of the process, and the requests that wait. What is
 * served is that of its {@link HttpSite sites}, one for each organization. Life cycle: `listen`, `drain`, `stop`; the last
 * two are idempotent.
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
  private readonly lateUpgrades = new LateUpgrades();
  private readonly shared: ExchangeParts;
  private readonly sites: SiteTable;
  private readonly all = new Set<HttpSite>();
  /** Finds those that are not in memory, by host name. */
  absent: (hostName: string) => AbsentSite | null = () => null;
  /** Replies of sites that were removed. */
  private gone: ReplyCounts[] = [];
  /** Requests that belong to no organization. */
  private readonly unknown = new ReplyCounts('unknown host');
  /** By path: what else serves a recognised GET, as its headers say. */
  private readonly others = new Map<string, (request: NativeRequest) => Serve | null>();
  /** Of the next site. */
  private numbers = 0;
  private internalListener: InternalListener | undefined;
  private draining = false;
  private stopped = false;

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
      requests: options.requests ?? RequestLog.silent(),
      lateUpgrades: this.lateUpgrades,
      isInternal: false,
      hasTls: Boolean(options.tls),
    };
    this.sites = new SiteTable(this.shared.proxies);
    this.connections = this.limit.gate('clients');
    this.register((app) => guardApp(app, this.connections));
    for (const endpoint of FREQUENT) this.recognise(endpoint);
    this.register((app) => {
      app.any('/*', (response, request) => {
        const other = this.otherAt(request);
        if (other) other(response, request);
        else this.enter(response, request, DISPATCH);
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
    const serve: Serve = (response, request) => this.enter(response, request, DISPATCH, recognised);
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

  /** Replies of each operation since the start, by status: of all sites together, and of requests that none has. */
  get replies(): Iterable<ReplyCounts> {
    const bySite = [...this.all].map((site) => [...site.replies]);
    const [first = []] = bySite;
    const isOne = bySite.length === 1 && this.gone.length === 0;
    const known = isOne ? first : sumByOperation([...this.gone, ...bySite.flat()]);
    return [...known, this.unknown];
  }

  /**
   * Adds an organization, which is served under no name yet ({@link HttpServer.name}).
   * @returns what serves it
   */
  site(options: SiteOptions): HttpSite {
    const { faults, budget, pending } = this;
    const site = new HttpSite(this.numbers++, options, {
      ...{ faults, budget, pending },
      isDraining: () => this.draining,
    });
    this.all.add(site);
    return site;
  }

  /**
   * A site serves requests from now on, by these host names instead of those it had.
   * @param names null: every one
   * @throws Error where another site has one of them
   */
  name(site: HttpSite, names: readonly string[] | null): void {
    this.sites.name(site, names);
  }

  /** A site serves no further requests, and is forgotten. */
  remove(site: HttpSite): void {
    this.sites.remove(site);
    // What was counted stays: figures of a process never fall.
    if (this.all.delete(site)) this.gone = sumByOperation([...this.gone, ...site.replies]);
  }

  /** How many requests wait at each site for their reply; absent: none. */
  waitingBySite(): Map<unknown, number> {
    const counts = new Map<unknown, number>();
    this.pending.forEach(({ site }) => counts.set(site, (counts.get(site) ?? 0) + 1));
    return counts;
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
   * Listens for other nodes of an organization: everything the public listener serves, for whoever carries
   * the key, as if it came from the client that they name; and calls between nodes (`internal`). Port 0 selects
   * a free one.
   * @throws Error when the port is in use, the address is not local, or the server already listens there
   */
  async listenInternal(
    site: HttpSite,
    host: string,
    port: number,
    key: string,
  ): Promise<{ port: number }> {
    if (this.internalListener) throw new Error('The server is already listening for other nodes');
    const parts = { ...this.shared, proxies: null, isInternal: true, hasTls: false };
    const enter = (response: NativeResponse, request: NativeRequest): void =>
      this.enterSite(response, request, site, DISPATCH_INTERNAL, null, parts);
    const gate = this.limit.gate('nodes', MAX_NODE_CONNECTIONS);
    const listener = await listening(() => new InternalListener(host, port, key, enter, gate));
    this.internalListener = listener;
    return { port: listener.port };
  }

  /**
   * Applies the checks of a plain request to a native handler such as a WebSocket upgrade: draining,
   * credentials, rate limit, parameters, permission. Admitted requests go to `respond`, synchronously;
   * refused ones are answered. Bodies are not read.
   * @param before what is to be waited for before the request is identified; null: nothing
   */
  gate(
    endpoint: EndpointDescriptor,
    identify?: (exchange: Exchange, site: HttpSite) => Caller | null,
    before: (exchange: Exchange, site: HttpSite) => Promise<void> | null = () => null,
  ): Gate {
    return (response, request, respond) => {
      this.enter(response, request, (exchange, site) =>
        site.admit(exchange, endpoint, {
          ...(identify && { identify: (one: Exchange) => identify(one, site) }),
          respond: (one, context) => respond(one, context, site),
          before: (one) => before(one, site),
        }),
      );
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
    if (!this.draining) {
      this.draining = true;
      this.closeListener();
      this.pending.drain();
    }
    return this.pending.untilEmpty(deadlineMs);
  }

  /** Closes every connection; pending exchanges are aborted. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.draining = true;
    this.closeListener();
    this.listener.stop();
    this.lateUpgrades.close();
    this.internalListener?.stop();
  }

  private closeListener(): void {
    this.listener.close();
    this.internalListener?.closeListener();
  }

  /** The entry of a native callback: decides whose the request is, before anything of it is read. */
  private enter(
    response: NativeResponse,
    request: NativeRequest,
    work: Work<HttpSite>,
    recognised: Recognised | null = null,
  ): void {
    const site = this.sites.of(response, request) ?? this.siteAt(response, request);
    if (site instanceof HttpSite) this.enterSite(response, request, site, work, recognised);
    else this.enterSite(response, request, site, REFUSE);
  }

  /** Of a host name that no site has: the one that is brought, or what answers for nobody. */
  private siteAt(response: NativeResponse, request: NativeRequest): HttpSite | NobodyThere {
    const asked = this.sites.nameIn(response, request);
    const parts = [this.unknown, this.faults, (): boolean => this.draining] as const;
    const absent = this.absent(asked);
    if (absent === null) return new UnknownHost(asked, ...parts);
    // A load balancer that asks for all of them brings none.
    if (this.draining || request.getUrl() === '/health') return new AsleepHost(null, ...parts);
    try {
      return absent.bring();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return new AsleepHost(error, ...parts);
    }
  }

  /** The single place where exchanges begin. */
  private enterSite<Site extends HttpSite | NobodyThere>(
    response: NativeResponse,
    request: NativeRequest,
    site: Site,
    work: Work<Site>,
    recognised: Recognised | null = null,
    parts = this.shared,
  ): void {
    const met = this.options.interposed?.(response, request) ?? null;
    const exchange = new Exchange(met?.response ?? response, request, parts, site, recognised);
    exchange.counts = site.otherCounts;
    const stays = parts.isInternal || this.connections.keeps(() => remoteAddressOf(response));
    if (!stays) exchange.closeAfterReply();
    enterWith(exchange, site, this.faults, met?.refusal ? refusing(met.refusal) : work);
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
