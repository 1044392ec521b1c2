import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import type { ApiError } from '../errors/index.js';
import { Dispatcher, targetOf } from './dispatcher.js';
import type { ErrorHandler } from './error-handler.js';
import type { EventRouteParts } from './events/event-route-parts.js';
import {
  INTERNAL_BASE,
  InternalCalls,
  type InternalBytesHandler,
  type InternalHandler,
} from './forwarding/internal-listener.js';
import type { Target } from './pipeline.js';
import type { ExchangeSite, PendingExchanges } from './reply/exchange-parts.js';
import type { Exchange } from './reply/exchange.js';
import { ReplyCounters, type ReplyCounts } from './reply/reply-counts.js';
import type { BodyBudget } from './request/body.js';
import { WAITING, type RequestTroubles } from './request-log.js';
import type { Service, SiteOptions } from './service.js';

/** A host name of an organization that is not in memory, and can be. */
export interface AbsentSite {
  /** Brings it: requests wait there until it serves. @throws ApiError 503 where too many are being brought */
  bring(): HttpSite;
}

/** What all sites of a server share. */
export interface SiteParts {
  readonly faults: ErrorHandler;
  readonly budget: BodyBudget;
  readonly pending: PendingExchanges<Exchange>;
  readonly isDraining: () => boolean;
}

/**
 * HttpSite is one organization at the HTTP server, as a virtual host is: its service, and what its requests are counted
 * and limited by. The server decides which site a request is for before it reads anything else (`SiteTable`); whatever
 * serves the request afterwards is given the site, and knows no other.
 *
 * `serve` and `withdraw` may alternate; without a service every request is refused.
 */
export class HttpSite implements ExchangeSite<Exchange> {
  private readonly dispatcher: Dispatcher;
  private readonly calls: InternalCalls;
  /** They outlive services. */
  private readonly counters = new ReplyCounters(WAITING);
  /** Counts requests whose endpoint is not known. */
  readonly otherCounts = this.counters.of('other');
  readonly organization: string | null;
  /** Requests of clients so far. */
  entered = 0;
  readonly troubles: RequestTroubles | null;
  private readonly targets = new Map<EndpointDescriptor, ReturnType<typeof targetOf>>();

  constructor(
    /** Of the organization at this process, from 0. */
    readonly number: number,
    private readonly options: SiteOptions,
    private readonly parts: SiteParts,
  ) {
    const { faults, budget, isDraining } = parts;
    const { counters } = this;
    this.organization = options.organization ?? null;
    this.troubles = options.troubles ?? null;
    this.calls = new InternalCalls(faults, budget);
    this.dispatcher = new Dispatcher({ options, faults, budget, counters, isDraining });
  }

  /** Replies of each operation since the start, by status. */
  get replies(): Iterable<ReplyCounts> {
    return this.counters.all;
  }

  /** Streams and sockets of events. Called only while there is a service. */
  get events(): EventRouteParts {
    return this.options.events!();
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
    this.parts.pending.forEachWaiting((exchange) => {
      if (exchange.site === this) this.parts.faults.fail(exchange, error);
    });
  }

  /** Refuses requests that have not reached their handler, e.g. because their body is still coming. */
  refuseUnbegun(error: ApiError): void {
    this.dispatcher.refuseUnbegun(error);
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

  /** Serves a request of a client. @throws ApiError 503 without a service, 404 */
  dispatch(exchange: Exchange): void {
    // Whoever looks whether it is well does not use it.
    if (exchange.path !== '/health') this.entered += 1;
    this.dispatcher.dispatch(exchange);
  }

  /** A request of another node: a call, or a request of its client. @throws ApiError */
  dispatchInternal(exchange: Exchange): void {
    if (exchange.path.startsWith(INTERNAL_BASE)) this.calls.serve(exchange);
    else this.dispatcher.dispatchForwarded(exchange);
  }

  /** Serves a request whose endpoint is known, as if it had been found by its path. See `HttpServer.gate`. */
  admit(
    exchange: Exchange,
    endpoint: EndpointDescriptor,
    {
      before,
      ...how
    }: Pick<Target, 'identify' | 'respond'> & {
      readonly before: (exchange: Exchange) => Promise<void> | null;
    },
  ): void {
    this.entered += 1;
    this.dispatcher.onceReady(exchange, ({ pipeline }) => {
      const run = (): void => pipeline.runTarget(exchange, { ...this.targetFor(endpoint), ...how });
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
        .catch((error: unknown) => this.parts.faults.fail(exchange, error));
    });
  }

  position(): number | null {
    return this.dispatcher.service?.position?.() ?? null;
  }

  onceDurable(ageMs: number): Promise<void> | null {
    return this.dispatcher.service?.onceDurable?.(ageMs) ?? null;
  }

  onceConfirmed(): Promise<void> | null {
    return this.dispatcher.service?.onceConfirmed?.() ?? null;
  }

  page(exchange: Exchange, refusal: ApiError): boolean {
    return this.dispatcher.page(exchange, refusal);
  }

  private targetFor(endpoint: EndpointDescriptor): ReturnType<typeof targetOf> {
    const known = this.targets.get(endpoint);
    if (known) return known;
    const target = targetOf(endpoint, this.counters);
    this.targets.set(endpoint, target);
    return target;
  }
}
