import { randomUUID } from 'node:crypto';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES } from '../../schemas/limits.js';
import { methodNotAllowed, notFound, serviceUnavailable } from '../errors.js';
import type { Authenticator, Route } from '../resources/route.js';
import { BasicAuthentication } from './basic-auth.js';
import { BodyBudget } from './body.js';
import { compileDecoder, integerPlaceholders } from './decoder.js';
import { replySuccess } from './envelope.js';
import { Exchange } from './exchange.js';
import { FaultHandler, type Log } from './fault-handler.js';
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
import { PendingExchanges } from './pending.js';
import { Pipeline, type Hold, type Identify, type Quick, type Target } from './pipeline.js';
import type { RequestLimiter } from './rate-limit.js';
import { Router, type PathMatch } from './router.js';

/** Where the API lives. */
export const API_BASE = '/api/v1';

/** Bodies collected at one time, over all requests; beyond it uploads get a 503. */
const BODY_BUDGET_BYTES = 16 * MAX_BODY_BYTES;

/** Whether the rest of the program can serve requests. */
export type Health = 'ready' | 'starting' | 'draining';

/** An endpoint that answers in its own time, with the exchange in hand (a long poll). */
export interface SpecialRoute {
  readonly endpoint: EndpointDescriptor;
  readonly identify?: Identify;
  readonly quick?: Quick;
  readonly hold: Hold;
}

/** A public file outside the API. */
export interface PublicFile {
  readonly body: string | Buffer;
  readonly contentType: string;
}

export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly specials?: readonly SpecialRoute[];
  readonly authenticator: Authenticator;
  /** Null switches rate limits off. */
  readonly limiter: RequestLimiter | null;
  readonly log: Log;
  readonly health: () => Health;
  /** Public files by their raw path; `/health` and the API come first. */
  readonly files?: (path: string) => PublicFile | undefined;
  /** Take the client's address from `X-Forwarded-For`; only behind a proxy that sets it. */
  readonly trustForwarded?: boolean;
  /** Ids of logged faults. */
  readonly newId?: () => string;
}

/** Serves a request whose endpoint is already known; see {@link HttpServer.gate}. */
export type Gate = (response: NativeResponse, request: NativeRequest, hold: Hold) => void;

/**
 * The HTTP side of the process. Life cycle: `listen`, `drain`, `stop`; the last two are idempotent.
 *
 * No exception ever crosses into native code, which would end the process or leave a request without
 * an answer: every native callback ends in the fault handler.
 */
export class HttpServer {
  /** For WebSocket routes; register them before `listen`. */
  readonly app: NativeApp = createApp();

  private readonly router = new Router<Target>();
  private readonly pending = new PendingExchanges();
  private readonly faults: FaultHandler;
  private readonly pipeline: Pipeline;
  private socket: ListenSocket | undefined;
  private draining = false;
  private stopped = false;

  /** @throws Error when an endpoint's parameters cannot be compiled, or two endpoints collide */
  constructor(private readonly options: HttpServerOptions) {
    this.faults = new FaultHandler(options.log, options.newId ?? randomUUID);
    this.pipeline = new Pipeline({
      authentication: new BasicAuthentication(options.authenticator),
      limiter: options.limiter,
      faults: this.faults,
      budget: new BodyBudget(BODY_BUDGET_BYTES),
    });
    for (const route of options.routes) {
      this.register({ ...compiled(route.endpoint), call: (request) => route.call(request) });
    }
    for (const special of options.specials ?? []) {
      const { identify, quick } = special;
      const hold: Hold = (exchange, request) => special.hold(exchange, request);
      this.register({ ...compiled(special.endpoint), identify, quick, hold });
    }
    this.app.any('/*', (response, request) => {
      this.enter(response, request, (exchange) => this.dispatch(exchange));
    });
  }

  /** How many requests wait for their reply. */
  get pendingCount(): number {
    return this.pending.size;
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
    const target = compiled(endpoint);
    return (response, request, hold) => {
      this.enter(response, request, (exchange) => {
        this.refuseUnlessReady(exchange);
        this.pipeline.runTarget(exchange, { ...target, identify, hold });
      });
    };
  }

  /** Ends an exchange with an error: for special routes that fail after `hold` has returned. */
  fail(exchange: Exchange, error: unknown): void {
    this.faults.fail(exchange, error);
  }

  /**
   * Stops taking work: closes the listen socket, answers new requests on open connections with 503 and
   * `Connection: close`, and tells waiting exchanges (`Exchange.onDrain`).
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

  private register(target: Target): void {
    const { method, path } = target.endpoint;
    this.router.add(method, API_BASE + path, integerPlaceholders(target.endpoint), target);
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
    const exchange = new Exchange(
      response,
      request,
      this.pending,
      this.options.trustForwarded ?? false,
    );
    try {
      work(exchange);
    } catch (error) {
      this.faults.fail(exchange, error);
    } finally {
      exchange.leaveEntry();
    }
  }

  private dispatch(exchange: Exchange): void {
    const { path } = exchange;
    if (path === '/health') {
      this.replyHealth(exchange);
      return;
    }
    this.refuseUnlessReady(exchange);
    const match = this.router.find(path);
    if (!match) {
      this.replyFile(exchange);
    } else if (exchange.method === 'OPTIONS') {
      replyOptions(exchange, match);
    } else {
      this.pipeline.run(exchange, match);
    }
  }

  private state(): Health {
    return this.draining ? 'draining' : this.options.health();
  }

  private refuseUnlessReady(exchange: Exchange): void {
    const state = this.state();
    if (state === 'ready') return;
    if (state === 'draining') exchange.closeAfterReply();
    throw serviceUnavailable(`Server is ${state}`);
  }

  private replyHealth(exchange: Exchange): void {
    refuseUnlessRead(exchange);
    const status = this.state();
    if (status === 'ready') {
      replySuccess(exchange, { status }, []);
      return;
    }
    const { body, headers } = healthRefusal(status);
    exchange.reply(503, headers, body);
  }

  private replyFile(exchange: Exchange): void {
    const file = this.options.files?.(exchange.path);
    if (!file) throw notFound();
    refuseUnlessRead(exchange);
    exchange.replyRaw(200, file.contentType, { 'Access-Control-Allow-Origin': '*' }, file.body);
  }
}

/** See {@link HttpServer}. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  return new HttpServer(options);
}

function compiled(endpoint: EndpointDescriptor): Target {
  return { endpoint, decode: compileDecoder(endpoint) };
}

function refuseUnlessRead({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
}

function healthRefusal(status: Health) {
  const error = serviceUnavailable(`Server is ${status}`);
  return { headers: error.headers, body: JSON.stringify({ ...error.body(), status }) + '\n' };
}

function replyOptions(exchange: Exchange, match: PathMatch<Target>): void {
  const allowed = match.allowed().join(', ');
  exchange.replyEmpty({
    Allow: allowed,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  });
}
