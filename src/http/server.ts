import { randomUUID } from 'node:crypto';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES } from '../../schemas/limits.js';
import { ambiguousRequest, notFound, type ApiError } from '../errors.js';

import { BasicAuthentication } from './auth/basic-auth.js';
import { BodyBudget } from './request/body.js';
import { Compressor } from './compression.js';
import { CrossSiteGuard } from './auth/cross-site.js';
import { replyOptions } from './cross-origin.js';
import { decoderOf, integerPlaceholders } from './request/decoder.js';
import { replySuccess } from './json-reply.js';
import { Exchange, type ExchangeParts } from './exchange.js';
import { ErrorHandler } from './error-handler.js';
import { healthRefusal, isServing, refusalOf, type Health } from './health.js';
import { listening } from './cannot-listen.js';
import {
  closeListenSocket,
  createApp,
  listen,
  portOf,
  type ListenSocket,
  type NativeApp,
  type NativeRequest,
  type NativeResponse,
} from './native.js';
import { INTERNAL_BASE, InternalCalls, type InternalHandler } from './forwarding/internal-calls.js';
import { positionIn } from './forwarding/internal-headers.js';
import { InternalListener } from './forwarding/internal-listener.js';
import { reachedInTime } from './forwarding/position-wait.js';
import { PageServer } from './files/html-pages.js';
import { fileRequest, givePublicFile, type PublicFile } from './files/public-file.js';
import { refuseUnlessRead } from './methods.js';
import { PendingExchanges } from './pending.js';
import { Pipeline, type AsyncResponder, type Identify, type Target } from './pipeline.js';
import type { HttpServerOptions, Service } from './service.js';
import { ReplyCounts } from './reply-counts.js';
import { WAITING, RequestLog } from './request-log.js';
import { Router } from './router.js';
import { ACCEPT, type Recognised } from './request/request-head.js';
import { TrustedProxies } from './request/trusted-proxies.js';

export type { HttpServerOptions, Service, SpecialRoute } from './service.js';

/** Base path of the API. */
export const API_BASE = '/api/v1';

/** Bytes of all bodies being received, over all requests; beyond it uploads get a 503. */
const BODY_BUDGET_BYTES = 16 * MAX_BODY_BYTES;

/** A service ready to serve. */
interface Serving {
  readonly router: Router<Target>;
  readonly pipeline: Pipeline;
  readonly pages: PageServer | null;
  readonly service: Service;
}

/** What serves the requests of an endpoint that accept this media type. */
interface OtherMediaType {
  readonly mediaType: string;
  readonly serve: (response: NativeResponse, request: NativeRequest) => void;
}

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
  /** The native application, for WebSocket routes; register them before `listen`. */
  readonly app: NativeApp = createApp();

  private serving: Serving | null = null;
  private readonly pending = new PendingExchanges<Exchange>();
  private readonly faults: ErrorHandler;
  private readonly budget = new BodyBudget(BODY_BUDGET_BYTES);
  /** Reply counters by operation; they outlive services. */
  private readonly counts = new Map<string, ReplyCounts>();
  private readonly otherCounts = this.countsOf('other');
  private readonly shared: ExchangeParts;
  private readonly calls: InternalCalls;
  private internalListener: InternalListener | undefined;
  private readonly crossSite: CrossSiteGuard;
  private socket: ListenSocket | undefined;
  private draining = false;
  private stopped = false;
  // Made once: each request would make them anew.
  private readonly dispatching = (exchange: Exchange): void => this.dispatch(exchange);
  private readonly routing = (serving: Serving, exchange: Exchange): void =>
    this.route(exchange, serving);

  constructor(private readonly options: HttpServerOptions) {
    this.faults = new ErrorHandler(options.log, options.newId ?? randomUUID);
    const { trustedProxies = [] } = options;
    this.shared = {
      pending: this.pending,
      proxies: trustedProxies.length > 0 ? new TrustedProxies(trustedProxies) : null,
      compressor: new Compressor(),
      position: () => this.serving?.service.position?.() ?? null,
      requests: options.requests ?? RequestLog.silent(),
      isInternal: false,
    };
    this.calls = new InternalCalls(this.faults, this.budget);
    this.crossSite = new CrossSiteGuard(options.origins ?? { own: () => '', allowed: [] });
    this.app.any('/*', (response, request) => {
      this.enter(response, request, this.dispatching);
    });
  }

  /**
   * Lets the native layer recognise the requests of an endpoint that is called more than all others: two calls into
   * native code less for each. Its path has no placeholders; call before `listen`.
   * @param other serves requests that accept another media type
   */
  recognise({ method, path }: EndpointDescriptor, other: OtherMediaType): void {
    const recognised: Recognised = { method, path: API_BASE + path };
    // The native layer compares both as they were sent. What it does not take, the route of all paths does.
    this.app.get(recognised.path, (response, request) => {
      if (request.getHeader(ACCEPT).includes(other.mediaType)) other.serve(response, request);
      else this.enter(response, request, this.dispatching, this.shared, recognised);
    });
  }

  /** Number of requests that wait for their reply. */
  get pendingCount(): number {
    return this.pending.size;
  }

  /** Replies of each operation since the start, by status. */
  get replies(): Iterable<ReplyCounts> {
    return this.counts.values();
  }

  /**
   * Serves a service from now on.
   * @throws Error when the parameters of an endpoint cannot be compiled, or two endpoints collide
   */
  serve(service: Service): void {
    const { routes, specials = [], authenticator, pages, forward } = service;
    const router = new Router<Target>();
    const register = (target: Target, base = API_BASE): void => {
      const { method, path } = target.endpoint;
      router.add(method, base + path, integerPlaceholders(target.endpoint), target);
    };
    for (const route of routes) {
      const isKept = service.keeps?.has(route.endpoint.operation) ?? false;
      register({ ...this.target(route.endpoint), isKept, call: (request) => route.call(request) });
    }
    for (const special of specials) {
      const { identify, fastPath } = special;
      const respond: AsyncResponder = (exchange, request) => special.respond(exchange, request);
      const isKept = true;
      const target = { ...this.target(special.endpoint), isKept, identify, fastPath, respond };
      register(target, special.atRoot ? '' : API_BASE);
    }
    const pipeline = new Pipeline({
      authentication: new BasicAuthentication(authenticator),
      crossSite: this.crossSite,
      limiter: this.options.limiter,
      faults: this.faults,
      budget: this.budget,
      forward: forward && { to: forward, counts: this.countsOf('forwarded') },
    });
    const { faults, budget } = this;
    const { limiter } = this.options;
    const { all = [], errorPage } = pages ?? {};
    this.serving = {
      router,
      pipeline,
      pages: errorPage
        ? new PageServer(all, { limiter, faults, budget, errorPage, forward })
        : null,
      service,
    };
  }

  /** Serves nothing from now on: all pending requests, including long polls, get this error. */
  withdraw(error: ApiError): void {
    this.serving?.pipeline.end(error);
    this.serving = null;
    this.pending.forEachWaiting((exchange) => this.faults.fail(exchange, error));
  }

  /**
   * Starts listening; port 0 selects a free one.
   * @param shared other processes of this account may listen on the port too
   * @throws Error when the port is in use, or the server already listens
   */
  async listen(host: string, port: number, shared = false): Promise<{ port: number }> {
    if (this.socket) throw new Error('The server is already listening');
    this.socket = await listening(() => listen(this.app, host, port, shared));
    return { port: portOf(this.socket) };
  }

  /**
   * Listens for other nodes of the organization: everything the public listener serves, for whoever carries
   * the key, as if it came from the client that they name; and calls between nodes (`internal`). Port 0 selects
   * a free one.
   * @throws Error when the port is in use, the address is not local, or the server already listens there
   */
  async listenInternal(host: string, port: number, key: string): Promise<{ port: number }> {
    if (this.internalListener) throw new Error('The server is already listening for other nodes');
    const parts = {
      ...this.shared,
      proxies: null,
      requests: RequestLog.silent(), // The node that forwards a request logs it.
      isInternal: true,
    };
    const enter = (response: NativeResponse, request: NativeRequest): void =>
      this.enter(response, request, (exchange) => this.dispatchInternal(exchange), parts);
    const listener = await listening(() => new InternalListener(host, port, key, enter));
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
    const target = this.target(endpoint);
    return (response, request, respond) => {
      this.enter(response, request, (exchange) => {
        this.onceReady(exchange, ({ pipeline }) => {
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
    if (!this.draining) {
      this.draining = true;
      this.closeListener();
      this.pending.drain();
    }
    return this.pending.untilEmpty(deadlineMs);
  }

  /** Refuses requests that have not reached their handler, e.g. because their body is still coming. */
  refuseUnbegun(error: ApiError): void {
    this.serving?.pipeline.end(error);
  }

  /** Closes every connection; pending exchanges are aborted. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.draining = true;
    this.closeListener();
    this.app.close();
    this.internalListener?.stop();
  }

  private target(endpoint: EndpointDescriptor): Target {
    return { endpoint, decode: decoderOf(endpoint), counts: this.countsOf(endpoint.operation) };
  }

  private countsOf(operation: string): ReplyCounts {
    const known = this.counts.get(operation);
    if (known) return known;
    const counts = new ReplyCounts(operation, !WAITING.has(operation));
    this.counts.set(operation, counts);
    return counts;
  }

  private closeListener(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
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
    const exchange = new Exchange(response, request, parts, recognised);
    exchange.counts = this.otherCounts;
    try {
      if (exchange.isAmbiguous) {
        exchange.closeAfterReply();
        throw ambiguousRequest();
      }
      work(exchange);
    } catch (error) {
      this.faults.fail(exchange, error);
    } finally {
      exchange.leaveEntry();
    }
  }

  private dispatch(exchange: Exchange): void {
    if (exchange.path === '/health') {
      this.replyHealth(exchange);
      return;
    }
    this.onceReady(exchange, this.routing);
  }

  /** A request of another node: a call, or a request of its client. */
  private dispatchInternal(exchange: Exchange): void {
    if (exchange.path.startsWith(INTERNAL_BASE)) {
      this.calls.serve(exchange);
      return;
    }
    // Two nodes that take one another for the leader would pass it on for ever.
    if (this.serving?.service.forward) {
      exchange.unprocessed = true;
      throw refusalOf('follower');
    }
    this.dispatch(exchange);
  }

  /**
   * Serves a request with the present service; one that names a position when memory has reached it. With a body
   * it waits when the body is there (`Pipeline`), because bytes that come earlier would be lost.
   * @throws ApiError 503
   */
  private onceReady(
    exchange: Exchange,
    work: (serving: Serving, exchange: Exchange) => void,
  ): void {
    const serving = this.ready(exchange);
    const { reached } = serving.service;
    // Each header read costs, and a node that does not follow has reached everything.
    const position = reached ? positionIn(exchange.header('parley-position')) : null;
    const awaited = position === null ? null : reached!(position);
    if (awaited === null || exchange.hasBody) {
      exchange.awaited = awaited;
      work(serving, exchange);
      return;
    }
    exchange.keepHeaders();
    reachedInTime(awaited)
      .then(() => {
        if (!exchange.settled) work(this.ready(exchange), exchange);
      })
      .catch((error: unknown) => this.faults.fail(exchange, error));
  }

  private route(exchange: Exchange, { router, pipeline, pages }: Serving): void {
    const { path } = exchange;
    const match = router.find(path);
    if (!match) {
      const page = pages?.find(path);
      const { accept } = exchange;
      if (page) pages!.serve(exchange, page, accept);
      // People get a page for a mistyped link.
      else this.replyFile(exchange, isForPeople(path, accept) ? pages : null);
    } else if (exchange.method === 'OPTIONS') {
      replyOptions(exchange, match.allowed());
    } else {
      pipeline.run(exchange, match);
    }
  }

  private state(): Health {
    if (this.draining) return 'draining';
    const health = this.options.health();
    return isServing(health) && this.serving === null ? 'starting' : health;
  }

  /** The present service. @throws ApiError 503 without one */
  private ready(exchange: Exchange): Serving {
    const state = this.state();
    if (this.serving !== null && this.mayServe(state)) return this.serving;
    if (state === 'draining') exchange.closeAfterReply();
    exchange.unprocessed = true;
    throw refusalOf(state);
  }

  /**
   * Whether requests are served. The leader also tries without the store: requests fail one by one where
   * they need it.
   */
  private mayServe(state: Health): boolean {
    return isServing(state) || (state === 'unavailable' && (this.options.leads?.() ?? false));
  }

  private replyHealth(exchange: Exchange): void {
    refuseUnlessRead(exchange);
    const status = this.state();
    const node = this.options.node?.();
    if (isServing(status)) {
      void replySuccess(exchange, { status, ...node }, []);
      return;
    }
    const { body, headers } = healthRefusal(status, node);
    exchange.reply(503, headers, body);
  }

  /** @param pages answer with a page that there is no such file; null: with the JSON of the API */
  private replyFile(exchange: Exchange, pages: PageServer | null): void {
    const request = fileRequest(exchange);
    const failed = (error: unknown): void => this.faults.fail(exchange, error);
    const give = (found: PublicFile | undefined): void => {
      if (found) {
        refuseUnlessRead(exchange);
        givePublicFile(exchange, found, request)?.catch(failed);
      } else if (pages) pages.refuse(exchange, notFound());
      else throw notFound();
    };
    const file = this.options.files?.(exchange.path);
    if (file instanceof Promise) {
      file.then(give).catch(failed);
    } else give(file);
  }
}

/** Whether a browser requests something outside the API. */
function isForPeople(path: string, accept: string): boolean {
  return accept.includes('text/html') && path !== API_BASE && !path.startsWith(`${API_BASE}/`);
}

/** See {@link HttpServer}. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return new HttpServer(options);
}
