import { randomUUID } from 'node:crypto';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES } from '../../schemas/limits.js';
import { ambiguousRequest, methodNotAllowed, notFound, type ApiError } from '../errors.js';
import type { WebPage } from '../resources/pages/page.js';
import type { Authenticator, Route } from '../resources/kernel/route.js';
import { BasicAuthentication } from './auth/basic-auth.js';
import { BodyBudget } from './request/body.js';
import { Compressor } from './compression.js';
import { CrossSiteGuard, type Origins } from './auth/cross-site.js';
import { compileDecoder, integerPlaceholders } from './request/decoder.js';
import { replySuccess } from './json-envelope.js';
import { Exchange, type ExchangeParts } from './exchange.js';
import { ErrorHandler, type Log } from './error-handler.js';
import { healthRefusal, isServing, refusalOf, type Health } from './health.js';
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
import { PageServer, type PageServerParts } from './files/html-pages.js';
import { fileRequest, givePublicFile, type PublicFile } from './files/public-file.js';
import { PendingExchanges } from './pending.js';
import {
  Pipeline,
  type AsyncResponder,
  type Identify,
  type FastPath,
  type Target,
} from './pipeline.js';
import type { RequestLimiter } from './limits/rate-limit.js';
import { ReplyCounts } from './reply-counts.js';
import { Router, type PathMatch } from './router.js';
import { TrustedProxies } from './request/trusted-proxies.js';

/** Where the API lives. */
export const API_BASE = '/api/v1';

/** Bodies collected at one time, over all requests; beyond it uploads get a 503. */
const BODY_BUDGET_BYTES = 16 * MAX_BODY_BYTES;

/** An endpoint that answers in its own time, with the exchange in hand (a long poll). */
export interface SpecialRoute {
  readonly endpoint: EndpointDescriptor;
  /** Its path begins at the root, not below the API's. */
  readonly atRoot?: boolean;
  readonly identify?: Identify;
  readonly fastPath?: FastPath;
  readonly respond: AsyncResponder;
}

/** What is served, as long as this process leads: replaced as a whole by the next `serve`. */
export interface Service {
  readonly routes: readonly Route[];
  readonly specials?: readonly SpecialRoute[];
  readonly authenticator: Authenticator;
  /** Pages outside the API; absent where there are none. */
  readonly pages?: {
    readonly all: readonly WebPage[];
    readonly errorPage: PageServerParts['errorPage'];
  };
}

/** What the server needs of the rest of the program. */
export interface HttpServerOptions {
  /** Null switches rate limits off. */
  readonly limiter: RequestLimiter | null;
  readonly log: Log;
  readonly health: () => Health;
  /** Whether this process has the role of the serving one, in whatever state its store is. */
  readonly leads?: () => boolean;
  /** Public files by their raw path; `/health` and the API come first. */
  readonly files?: (path: string) => PublicFile | Promise<PublicFile | undefined> | undefined;
  /** Reverse proxies whose word about the client counts: addresses and networks in CIDR form. */
  readonly trustedProxies?: readonly string[];
  /** Which sites' pages may use credentials; default: those the request's `Host` names. */
  readonly origins?: Origins;
  /** Ids of logged faults. */
  readonly newId?: () => string;
}

/** A service ready to serve. */
interface Serving {
  readonly router: Router<Target>;
  readonly pipeline: Pipeline;
  readonly pages: PageServer | null;
}

/** Serves a request whose endpoint is already known; see {@link HttpServer.gate}. */
type Gate = (response: NativeResponse, request: NativeRequest, hold: AsyncResponder) => void;

/**
 * The HTTP side of the process. Life cycle: `listen`, `drain`, `stop`; the last two are idempotent.
 * In between, `serve` and `withdraw` may alternate; without a service everything is refused.
 *
 * No exception ever crosses into native code, which would end the process or leave a request without
 * an answer: every native callback ends in the fault handler.
 */
export class HttpServer {
  /** For WebSocket routes; register them before `listen`. */
  readonly app: NativeApp = createApp();

  private serving: Serving | null = null;
  private readonly pending = new PendingExchanges<Exchange>();
  private readonly faults: ErrorHandler;
  private readonly budget = new BodyBudget(BODY_BUDGET_BYTES);
  /** By operation; they outlive what is served. */
  private readonly counts = new Map<string, ReplyCounts>();
  private readonly otherCounts = this.countsOf('other');
  private readonly shared: ExchangeParts;
  private readonly crossSite: CrossSiteGuard;
  private socket: ListenSocket | undefined;
  private draining = false;
  private stopped = false;

  constructor(private readonly options: HttpServerOptions) {
    this.faults = new ErrorHandler(options.log, options.newId ?? randomUUID);
    const { trustedProxies = [] } = options;
    this.shared = {
      pending: this.pending,
      proxies: trustedProxies.length > 0 ? new TrustedProxies(trustedProxies) : null,
      compressor: new Compressor(),
    };
    this.crossSite = new CrossSiteGuard(options.origins ?? { own: () => '', allowed: [] });
    this.app.any('/*', (response, request) => {
      this.enter(response, request, (exchange) => this.dispatch(exchange, request));
    });
  }

  /** How many requests wait for their reply. */
  get pendingCount(): number {
    return this.pending.size;
  }

  /** How often each operation was answered since the start, by status. */
  get replies(): Iterable<ReplyCounts> {
    return this.counts.values();
  }

  /**
   * Serves this from now on.
   * @throws Error when an endpoint's parameters cannot be compiled, or two endpoints collide
   */
  serve({ routes, specials = [], authenticator, pages }: Service): void {
    const router = new Router<Target>();
    const register = (target: Target, base = API_BASE): void => {
      const { method, path } = target.endpoint;
      router.add(method, base + path, integerPlaceholders(target.endpoint), target);
    };
    for (const route of routes) {
      register({ ...this.target(route.endpoint), call: (request) => route.call(request) });
    }
    for (const special of specials) {
      const { identify, fastPath } = special;
      const respond: AsyncResponder = (exchange, request) => special.respond(exchange, request);
      const target: Target = { ...this.target(special.endpoint), identify, fastPath, respond };
      register(target, special.atRoot ? '' : API_BASE);
    }
    const pipeline = new Pipeline({
      authentication: new BasicAuthentication(authenticator),
      crossSite: this.crossSite,
      limiter: this.options.limiter,
      faults: this.faults,
      budget: this.budget,
    });
    const { faults, budget } = this;
    const { limiter } = this.options;
    const { all = [], errorPage } = pages ?? {};
    this.serving = {
      router,
      pipeline,
      pages: errorPage ? new PageServer(all, { limiter, faults, budget, errorPage }) : null,
    };
  }

  /** Serves nothing from now on: what waits for its reply, long polls too, gets this one. */
  withdraw(error: ApiError): void {
    this.serving?.pipeline.end(error);
    this.serving = null;
    this.pending.forEachWaiting((exchange) => this.faults.fail(exchange, error));
  }

  /**
   * Starts listening; port 0 takes a free one.
   * @throws Error when the port is in use, or the server already listens
   */
  async listen(host: string, port: number): Promise<{ port: number }> {
    if (this.socket) throw new Error('The server is already listening');
    this.socket = listen(this.app, host, port);
    return { port: portOf(this.socket) };
  }

  /**
   * The checks of a plain request for a native handler of the caller's own, such as a WebSocket
   * upgrade: draining, credentials, rate limit, parameters, permission. What passes goes to `hold`,
   * synchronously; what does not has been answered. Bodies are not read.
   */
  gate(endpoint: EndpointDescriptor, identify?: Identify): Gate {
    const target = this.target(endpoint);
    return (response, request, hold) => {
      this.enter(response, request, (exchange) => {
        const { pipeline } = this.ready(exchange);
        pipeline.runTarget(exchange, { ...target, identify, respond: hold });
      });
    };
  }

  /** Ends an exchange with an error: for special routes that fail after `hold` has returned. */
  fail(exchange: Exchange, error: unknown): void {
    this.faults.fail(exchange, error);
  }

  /**
   * Stops taking work: closes the listen socket, answers new requests on open connections with 503 and
   * `Connection: close`, and closes the connections of those that wait after their replies, which the
   * caller sees to.
   * @returns true when all pending requests were answered, false when the deadline came first
   */
  async drain(deadlineMs: number): Promise<boolean> {
    if (!this.draining) {
      this.draining = true;
      this.closeListener();
      this.pending.drain();
    }
    return this.pending.untilEmpty(deadlineMs);
  }

  /** Closes every connection; exchanges still pending are aborted. */
  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.draining = true;
    this.closeListener();
    this.app.close();
  }

  private target(endpoint: EndpointDescriptor): Target {
    return { ...compiled(endpoint), counts: this.countsOf(endpoint.operation) };
  }

  private countsOf(operation: string): ReplyCounts {
    const known = this.counts.get(operation);
    if (known) return known;
    const counts = new ReplyCounts(operation);
    this.counts.set(operation, counts);
    return counts;
  }

  private closeListener(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
  }

  /** The single entry of a native callback. */
  private enter(
    response: NativeResponse,
    request: NativeRequest,
    work: (exchange: Exchange) => void,
  ): void {
    const exchange = new Exchange(response, request, this.shared);
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

  /** @param native the request while it lives, for headers that only pages look at */
  private dispatch(exchange: Exchange, native: NativeRequest): void {
    const { path } = exchange;
    if (path === '/health') {
      this.replyHealth(exchange);
      return;
    }
    const { router, pipeline, pages } = this.ready(exchange);
    const match = router.find(path);
    if (!match) {
      const page = pages?.find(path);
      const accept = native.getHeader('accept');
      if (page) pages!.serve(exchange, page, accept);
      // A mistyped link, of which people are told in words.
      else this.replyFile(exchange, isForPeople(path, accept) ? pages : null);
    } else if (exchange.method === 'OPTIONS') {
      replyOptions(exchange, match);
    } else {
      pipeline.run(exchange, match);
    }
  }

  private state(): Health {
    if (this.draining) return 'draining';
    const health = this.options.health();
    return isServing(health) && this.serving === null ? 'starting' : health;
  }

  /** What serves requests now. @throws ApiError 503 when nothing does */
  private ready(exchange: Exchange): Serving {
    const state = this.state();
    if (this.serving !== null && this.mayServe(state)) return this.serving;
    if (state === 'draining') exchange.closeAfterReply();
    throw refusalOf(state);
  }

  /** Requests are tried while the role is held: what the store keeps from an answer is told one by one. */
  private mayServe(state: Health): boolean {
    return isServing(state) || (state === 'unavailable' && (this.options.leads?.() ?? false));
  }

  private replyHealth(exchange: Exchange): void {
    refuseUnlessRead(exchange);
    const status = this.state();
    if (isServing(status)) {
      void replySuccess(exchange, { status }, []);
      return;
    }
    const { body, headers } = healthRefusal(status);
    exchange.reply(503, headers, body);
  }

  /** @param pages tell that there is no such file; null for the JSON of the API */
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

/** Whether a browser asks for something outside the API. */
function isForPeople(path: string, accept: string): boolean {
  return accept.includes('text/html') && path !== API_BASE && !path.startsWith(`${API_BASE}/`);
}

/** See {@link HttpServer}. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return new HttpServer(options);
}

/** Descriptors are constants of the program: each is compiled once, however often it is served. */
const COMPILED = new WeakMap<EndpointDescriptor, Compiled>();

type Compiled = Pick<Target, 'endpoint' | 'decode'>;

function compiled(endpoint: EndpointDescriptor): Compiled {
  const known = COMPILED.get(endpoint);
  if (known) return known;
  const target = { endpoint, decode: compileDecoder(endpoint) };
  COMPILED.set(endpoint, target);
  return target;
}

function refuseUnlessRead({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
}

function replyOptions(exchange: Exchange, match: PathMatch<Target>): void {
  const allowed = match.allowed().join(', ');
  exchange.replyEmpty({
    Allow: allowed,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'X-Content-Type-Options': 'nosniff',
  });
}
