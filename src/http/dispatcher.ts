import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { type ApiError, methodNotAllowed } from '../errors/index.js';
import { Admission, BasicAuthentication } from './auth/authentication.js';
import { SESSION_HEADERS } from './auth/session-gate.js';
import { CrossSiteGuard } from './auth/cross-site.js';
import type { ErrorHandler } from './error-handler.js';
import type { Exchange, ReplyHeaders } from './reply/exchange.js';
import { PageServer, showLastPage } from './files/html-pages.js';
import type { DiskFile } from './files/disk-file.js';
import { fileRequest, givePublicFile, type PublicFile } from './files/public-file.js';
import { positionIn, POSITION } from './forwarding/internal-headers.js';
import { unlessBehind } from './forwarding/position-wait.js';
import {
  healthRefusal,
  isHealthy,
  isServing,
  refusalOf,
  type Health,
  type NodeHealth,
} from './health.js';
import { replySuccess } from './reply/json-reply.js';
import { longFields } from './reply/large-reply.js';
import { Pipeline, type AsyncResponder, type Target } from './pipeline.js';
import { ticks, type ReplyCounters } from './reply/reply-counts.js';
import type { BodyBudget } from './request/body.js';
import { decoderOf, integerPlaceholders } from './request/decoder.js';
import { EarlyBody } from './request/early-body.js';
import { Router, type PathMatch } from './router.js';
import { SESSION_API } from './request/request-head.js';
import { refusalOfPath } from './unoffered-paths.js';
import type { SiteOptions, Service } from './service.js';
import { inBackground, onceSettled } from '../turns/background.js';
import { inNextRound } from '../turns/next-round.js';

/** Base path of the API. */
export const API_BASE = '/api/v1';

/** A service ready to serve. */
export interface Serving {
  readonly router: Router<Target>;
  /** What is below `/json` alone, where it takes precedence over the API. */
  readonly browserRouter: Router<Target>;
  readonly pipeline: Pipeline;
  readonly pages: PageServer | null;
  readonly service: Service;
}

/** Dependencies of the dispatcher. */
interface DispatcherParts {
  readonly options: SiteOptions;
  readonly faults: ErrorHandler;
  readonly budget: BodyBudget;
  readonly counters: ReplyCounters;
  /** Whether the process ends: it accepts no more work. */
  readonly isDraining: () => boolean;
}

/** An endpoint as the pipeline serves it, but for what replies. */
export function targetOf(
  endpoint: EndpointDescriptor,
  counters: ReplyCounters,
): Pick<Target, 'endpoint' | 'decode' | 'counts' | 'long'> {
  return {
    endpoint,
    decode: decoderOf(endpoint),
    counts: counters.of(endpoint.operation),
    long: longFields(endpoint.response),
  };
}

/**
 * Dispatcher finds what serves a request of one site: the present service by the router, `/health`, a page or a public
 * file. Without a service every request is refused.
 */
export class Dispatcher {
  private serving: Serving | null = null;
  private readonly crossSite: CrossSiteGuard;
  /** Origin of the public base URL. */
  private readonly own: () => string;
  // Made once: each request would make it anew.
  private readonly routing = (serving: Serving, exchange: Exchange): void =>
    this.route(exchange, serving);

  constructor(private readonly parts: DispatcherParts) {
    const { origins = { own: () => '', allowed: [] } } = parts.options;
    this.crossSite = new CrossSiteGuard(origins);
    this.own = origins.own;
  }

  /** Answers people who opened an address outside the API with a page; false where a program asks. */
  page(exchange: Exchange, refusal: ApiError): boolean {
    if (!isForPeople(exchange)) return false;
    const pages = this.serving?.pages;
    if (pages) pages.refuse(exchange, refusal);
    // Nothing is served: not yet, without the store, or not any more.
    else showLastPage(exchange, refusal);
    return true;
  }

  /** What is served now. */
  get service(): Service | null {
    return this.serving?.service ?? null;
  }

  /**
   * Serves a service from now on.
   * @throws Error when the parameters of an endpoint cannot be compiled, or two endpoints collide
   */
  serve(service: Service): void {
    const { options, faults, budget, counters } = this.parts;
    const { limiter } = options;
    const { routes, specials = [], authenticator, pages, forward, sessions } = service;
    const router = new Router<Target>();
    const browserRouter = new Router<Target>();
    const register = (target: Target, base = API_BASE, to = router): void => {
      const { method, path } = target.endpoint;
      to.add(method, base + path, integerPlaceholders(target.endpoint), target);
    };
    for (const route of sessions?.routes ?? []) {
      const { endpoint } = route;
      const isLogin = endpoint.access === 'anonymous';
      const call: Target['call'] = (request) => route.call(request);
      register({ ...targetOf(endpoint, counters), isLogin, call }, SESSION_API, browserRouter);
    }
    for (const route of routes) {
      const isKept = service.keeps?.has(route.endpoint.operation) ?? false;
      register({
        ...targetOf(route.endpoint, counters),
        isKept,
        goesOn: route.goesOn === true,
        permit: route.permit,
        call: (request) => route.call(request),
      });
    }
    for (const special of specials) {
      const { identify, fastPath, takesSession, streamsBody, options: optionHeaders } = special;
      const respond: AsyncResponder = (exchange, request) => special.respond(exchange, request);
      const isKept = special.writes !== true;
      const target = {
        ...targetOf(special.endpoint, counters),
        isKept,
        identify,
        fastPath,
        takesSession,
        streamsBody,
        optionHeaders,
        respond,
      };
      register(target, special.atRoot ? '' : API_BASE);
    }
    const pipeline = new Pipeline({
      admission: new Admission(
        new BasicAuthentication(authenticator),
        this.crossSite,
        limiter,
        sessions?.gate,
      ),
      sessions: sessions?.gate,
      faults,
      budget,
      forward: forward && { to: forward, counts: counters.of('forwarded') },
    });
    const { all = [], errorPage } = pages ?? {};
    this.serving = {
      router,
      browserRouter,
      pipeline,
      pages: errorPage
        ? new PageServer(all, { limiter, faults, budget, own: this.own, errorPage, forward })
        : null,
      service,
    };
  }

  /** Serves nothing from now on. */
  withdraw(error: ApiError): void {
    this.refuseUnbegun(error);
    this.serving = null;
  }

  /** Refuses requests that have not reached their handler, e.g. because their body is still coming. */
  refuseUnbegun(error: ApiError): void {
    this.serving?.pipeline.end(error);
  }

  /** Serves a request of a client. @throws ApiError 503 without a service, 404 */
  dispatch(exchange: Exchange): void {
    if (exchange.path === '/health') {
      replyHealth(exchange, this.state(), this.parts.options.node?.(), this.parts.faults);
      return;
    }
    this.onceReady(exchange, this.routing);
  }

  /**
   * A request that another node forwarded.
   * @throws ApiError 503 where this node follows too: two that take one another for the leader would forward it
   * endlessly
   */
  dispatchForwarded(exchange: Exchange): void {
    if (this.service?.forward) {
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
  onceReady(exchange: Exchange, work: (serving: Serving, exchange: Exchange) => void): void {
    if (this.serving === null && !this.parts.isDraining()) {
      const awaking = this.parts.options.awaken?.(exchange) ?? null;
      if (awaking !== null) return this.onceAwake(exchange, awaking, work);
    }
    const serving = this.ready(exchange);
    const { reached } = serving.service;
    // Each header read costs, and most leaders have reached everything.
    const position = reached ? positionIn(exchange.header('parley-position')) : null;
    if (exchange.hasBody) {
      if (position !== null) exchange.awaits = () => reached!(position);
      work(serving, exchange);
      return;
    }
    const awaited =
      position === null ? this.awaitedSession(serving, exchange) : unlessBehind(reached!(position));
    if (awaited === null) {
      work(serving, exchange);
      return;
    }
    exchange.keepHeaders();
    awaited
      .then(() => {
        if (exchange.settled) return;
        exchange.begun = ticks();
        work(this.ready(exchange), exchange);
      })
      .catch((error: unknown) => this.parts.faults.fail(exchange, error));
  }

  /** Serves a request when its organization is in memory; what comes of its body meanwhile is kept, and its client held back. */
  private onceAwake(
    exchange: Exchange,
    awaking: Promise<void>,
    work: (serving: Serving, exchange: Exchange) => void,
  ): void {
    const { faults, budget } = this.parts;
    exchange.keepHeaders();
    const early = exchange.hasBody ? new EarlyBody(exchange, budget) : null;
    const { account } = exchange;
    const serve = (): void => {
      try {
        work(this.ready(exchange), exchange);
      } catch (error) {
        faults.fail(exchange, error);
      }
    };
    const begin = (act: () => void): void => {
      if (exchange.settled) return;
      exchange.begun = ticks();
      if (early) early.release(act);
      else act();
    };
    // In turns: hundreds may have waited.
    onceSettled(
      awaking,
      () => inNextRound(() => begin(serve), account),
      (error) => inNextRound(() => begin(() => faults.fail(exchange, error)), account),
    );
  }

  /** What a browser asks, without a body, with a session that this node does not know yet waits; null for everything else. */
  private awaitedSession(
    { service: { reached, sessions } }: Serving,
    exchange: Exchange,
  ): Promise<void> | null {
    // Only a node that may have less than there is waits for more, and what has a body goes to the leader.
    if (!reached || !sessions || exchange.authorization !== '') return null;
    return sessions.gate.isUnknown(exchange) ? sessions.catchUp() : null;
  }

  private route(exchange: Exchange, serving: Serving): void {
    const { pipeline, pages } = serving;
    const { path } = exchange;
    const match = exchange.bySession
      ? matchForBrowsers(exchange, serving)
      : serving.router.find(path);
    if (!match) {
      const page = pages?.find(path);
      const { accept } = exchange;
      if (page) pages!.serve(exchange, page, accept);
      // People get a page for a mistyped link.
      else this.replyFile(exchange, isForPeople(exchange) ? pages : null);
    } else if (exchange.method === 'OPTIONS') {
      if (announcesCredentials(exchange)) this.crossSite.check(exchange);
      const own = match.find(({ optionHeaders }) => optionHeaders !== undefined)?.optionHeaders;
      replyOptions(exchange, match.allowed(), own);
    } else {
      // Read now, because a refusal may come when headers cannot be read any more.
      if (!path.startsWith(`${API_BASE}/`)) void exchange.accept;
      pipeline.run(exchange, match);
    }
  }

  private state(): Health {
    if (this.parts.isDraining()) return 'draining';
    if (this.serving !== null) return this.serving.service.health();
    const health = this.parts.options.health();
    return isServing(health) ? 'starting' : health;
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
    if (isServing(state)) return true;
    return state === 'unavailable' && (this.parts.options.leads?.() ?? false);
  }

  /** @param pages answer with a page that there is no such file; null: with the JSON of the API */
  private replyFile(exchange: Exchange, pages: PageServer | null): void {
    const request = fileRequest(exchange);
    const failed = (error: unknown): void => this.parts.faults.fail(exchange, error);
    const give = (found: PublicFile | DiskFile | undefined): void => {
      if (found) {
        refuseUnlessRead(exchange);
        givePublicFile(exchange, found, request)?.catch(failed);
      } else if (pages) pages.refuse(exchange, refusalOfPath(exchange.path));
      else throw refusalOfPath(exchange.path);
    };
    const file = this.parts.options.files?.(exchange.path);
    if (file instanceof Promise) {
      file.then(give).catch(failed);
    } else give(file);
  }
}

/** Answers `/health`. @throws ApiError for a method that changes something */
export function replyHealth(
  exchange: Exchange,
  status: Health,
  node: NodeHealth | undefined,
  faults: ErrorHandler,
): void {
  refuseUnlessRead(exchange);
  if (isHealthy(status)) {
    inBackground(
      () => replySuccess(exchange, { status, ...node }, []),
      (error) => faults.fail(exchange, error),
    );
    return;
  }
  const { body, headers } = healthRefusal(status, node);
  exchange.isHealthReply = true;
  exchange.reply(503, headers, body);
}

/** What serves a path below `/json`: the API, but for what is there alone. */
function matchForBrowsers(
  exchange: Exchange,
  { router, browserRouter }: Serving,
): PathMatch<Target> | undefined {
  exchange.passOn(SESSION_HEADERS);
  const { path } = exchange;
  const same = router.find(API_BASE + path.slice(SESSION_API.length));
  const own = browserRouter.find(path);
  return own && same ? own.before(same) : (own ?? same);
}

/** Whether a browser requests something outside the API. */
export function isForPeople(exchange: Exchange): boolean {
  const { path } = exchange;
  const isApi = [API_BASE, SESSION_API].some(
    (base) => path === base || path.startsWith(`${base}/`),
  );
  // The header last: each one costs.
  return !isApi && exchange.accept.includes('text/html');
}

/** How long browsers may remember what `OPTIONS` allowed, seconds: the longest that Chromium keeps it. */
const REMEMBERED_SECONDS = 7200;

/** Whether a browser asks if a page may send credentials of its own. */
function announcesCredentials(exchange: Exchange): boolean {
  return /\bauthorization\b/i.test(exchange.header('access-control-request-headers'));
}

/** Answers `OPTIONS`: pages of all origins may call, with the credentials that `CrossSiteGuard` lets them send. */
function replyOptions(
  exchange: Exchange,
  methods: readonly string[],
  own: ReplyHeaders = {},
): void {
  const allowed = methods.join(', ');
  exchange.replyEmpty({
    Allow: allowed,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': `Authorization, Content-Type, Last-Event-ID, ${POSITION}`,
    'Access-Control-Max-Age': String(REMEMBERED_SECONDS),
    'X-Content-Type-Options': 'nosniff',
    ...own,
  });
}

/** @throws ApiError for a method that changes something */
function refuseUnlessRead({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
}
