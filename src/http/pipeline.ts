import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { MAX_BODY_BYTES, MAX_FILE_UPLOAD_SIZE_MIB } from '../../schemas/limits.js';
import { ApiError, csrfFailed, fileTooLarge, methodNotAllowed } from '../errors.js';
import type { Caller, Reply, Route } from '../resources/kernel/route.js';
import { checkAccess } from './auth/access.js';
import type { BasicAuthentication } from './auth/basic-auth.js';
import { collectBody, type BodyBudget } from './request/body.js';
import type { CrossSiteGuard } from './auth/cross-site.js';
import type { Decoder } from './request/decoder.js';
import { replySuccess } from './json-envelope.js';
import type { Exchange } from './exchange.js';
import type { ErrorHandler } from './error-handler.js';
import { EMPTY_FORM, isLargeForm, readForm, readLarge, type Form } from './request/form.js';
import { RequestContext } from './request-context.js';
import { inNextRound } from './next-round.js';
import { mergeParameters, textField } from './request/parameters.js';
import { addressKey } from '../services/auth/address-key.js';
import type { RequestLimiter } from './limits/rate-limit.js';
import type { ReplyCounts } from './reply-counts.js';
import type { Hit, PathMatch } from './router.js';

/** Largest body of a caller who is not known (yet): a login or a short form, not an upload. */
const MAX_ANONYMOUS_BODY_BYTES = 1024 * 1024;

/** Largest body of a login: it is read before the attempt is counted, as it names the account. */
const MAX_LOGIN_BODY_BYTES = 64 * 1024;

/** What a multipart body may have around the largest file. */
const UPLOAD_ENVELOPE_BYTES = 64 * 1024;

export type { RequestContext };

/** Answers a request in its own time; must reply, or keep the exchange and reply later. */
export type AsyncResponder = (exchange: Exchange, request: RequestContext) => void;

/**
 * Credentials other than HTTP Basic: the caller, or null to go on with Basic.
 * @throws ApiError `UNAUTHORIZED`
 */
export type Identify = (exchange: Exchange) => Caller | null;

/**
 * Serves the usual form of a request without decoding it in full; false where it is another, which then
 * goes the long way. Must answer exactly as the long way would.
 */
export type FastPath = (exchange: Exchange, caller: Caller) => boolean;

/** An endpoint ready to serve: `call` for a plain route, `respond` for a special one. */
export interface Target {
  readonly endpoint: EndpointDescriptor;
  readonly decode: Decoder;
  readonly counts: ReplyCounts;
  readonly call?: Route['call'];
  readonly respond?: AsyncResponder;
  readonly fastPath?: FastPath;
  readonly identify?: Identify;
}

/** What the checks of a request need of others. */
interface PipelineParts {
  readonly authentication: BasicAuthentication;
  readonly crossSite: CrossSiteGuard;
  /** Null switches rate limits off. */
  readonly limiter: RequestLimiter | null;
  readonly faults: ErrorHandler;
  readonly budget: BodyBudget;
}

/**
 * The way of a request after its path is known, in the order requests.md#routing demands: method,
 * credentials, rate limit, parameters, permission, handler. Everything is synchronous unless there is
 * a body to wait for or the handler waits. Refusals are thrown, or end in the fault handler once the
 * native callback that began the request has returned.
 */
export class Pipeline {
  private ended: ApiError | null = null;

  constructor(private readonly parts: PipelineParts) {}

  /** Refuses what is still on its way to a handler. */
  end(error: ApiError): void {
    this.ended = error;
  }

  /** @throws ApiError */
  run(exchange: Exchange, match: PathMatch<Target>): void {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const hit = match.select(method);
    const mayOverride = method === 'POST' && exchange.hasBody;
    if (!hit && !mayOverride) throw methodNotAllowed(match.allowed());
    if (hit) exchange.counts = hit.target.counts;
    const caller = hit ? this.admit(exchange, hit.target) : null;
    if (!exchange.hasBody) {
      const { fastPath } = hit!.target;
      if (fastPath && caller && fastPath(exchange, caller)) return;
      if (exchange.isReading) this.serve(exchange, hit!, caller, EMPTY_FORM);
      else this.later(exchange, () => this.serve(exchange, hit!, caller, EMPTY_FORM));
      return;
    }
    const isUpload = hit?.target.endpoint.file !== undefined;
    const forCaller = isUpload ? MAX_BODY_BYTES + UPLOAD_ENVELOPE_BYTES : MAX_BODY_BYTES;
    const isLogin = hit?.target.endpoint.loginName !== undefined;
    const forStranger = isLogin ? MAX_LOGIN_BODY_BYTES : MAX_ANONYMOUS_BODY_BYTES;
    const limit = caller ? forCaller : forStranger;
    collectBody(exchange, limit, this.parts.budget, {
      complete: (body) => {
        const serve = (form: Form): void =>
          this.later(exchange, () => this.serveWithBody(exchange, match, hit, caller, form));
        if (isLargeForm(exchange.contentType, body)) {
          const failed = (error: unknown): void => this.parts.faults.fail(exchange, error);
          return readLarge(body).then(serve, failed);
        }
        // At once: the bytes are valid during this call only.
        this.guarded(exchange, () => serve(readForm(exchange.contentType, body)));
        return undefined;
      },
      refused: (error) => this.parts.faults.fail(exchange, isUpload ? asFileRefusal(error) : error),
    });
  }

  /** Serves one endpoint that was found in another way than by its path. @throws ApiError */
  runTarget(exchange: Exchange, target: Target): void {
    exchange.counts = target.counts;
    const caller = this.admit(exchange, target);
    this.serve(exchange, { target, values: {} }, caller, EMPTY_FORM);
  }

  /** A `method` field in a POST form chooses another endpoint of the same path. */
  private serveWithBody(
    exchange: Exchange,
    match: PathMatch<Target>,
    posted: Hit<Target> | undefined,
    caller: Caller | null,
    form: Form,
  ): void {
    const method = exchange.method === 'POST' ? textField(form.fields, 'method') : undefined;
    const hit = method === undefined ? posted : match.select(method);
    if (!hit) throw methodNotAllowed(match.allowed());
    exchange.counts = hit.target.counts;
    if (hit === posted || hit.target === posted?.target) {
      this.serve(exchange, hit, caller, form);
      return;
    }
    const isKnown = caller !== null && !hit.target.identify;
    this.serve(exchange, hit, isKnown ? caller : this.admit(exchange, hit.target), form);
  }

  /** Who calls (null on anonymous endpoints), counted against the rate limits. @throws ApiError */
  private admit(exchange: Exchange, target: Target): Caller | null {
    const { limiter } = this.parts;
    if (target.endpoint.access === 'anonymous') {
      // A login counts once it is known whose.
      if (target.endpoint.loginName === undefined) this.count(exchange, 'addresses');
      return null;
    }
    const caller = this.authenticate(exchange, target);
    if (limiter) exchange.rateLimit = limiter.users.consume(caller.user.user_id);
    return caller;
  }

  /**
   * Refused credentials count by address. Accepted ones always pass: keys have 190 bits and checking
   * one costs 15 µs, so nothing is won by refusing to look, and others at the address would be locked
   * out.
   */
  private authenticate(exchange: Exchange, target: Target): Caller {
    const { authentication } = this.parts;
    const { authorization } = exchange;
    try {
      const identified = target.identify?.(exchange);
      if (identified) return identified;
      this.refuseForeign(exchange);
      return authentication.known(authorization) ?? authentication.login(authorization);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.count(exchange, 'refusals');
      throw error;
    }
  }

  /**
   * Credentials that a browser may have added by itself mean nothing in a request of another site.
   * @throws ApiError `CSRF_FAILED`
   */
  private refuseForeign(exchange: Exchange): void {
    const { browser, authorization } = exchange;
    if (browser === null || authorization === '') return;
    // Reading the address is dear, and most pages are ours.
    const protocol = browser.origin === '' ? null : exchange.protocol;
    if (this.parts.crossSite.isForeign(browser, protocol)) throw csrfFailed();
  }

  private count(exchange: Exchange, budget: 'addresses' | 'refusals'): void {
    const { limiter } = this.parts;
    if (!limiter) return;
    exchange.rateLimit = limiter[budget].consume(addressKey(exchange.remoteAddress));
  }

  /**
   * Counts an attempt to log in.
   * @returns what to call once it succeeded
   */
  private countLogin(exchange: Exchange, account: string): () => void {
    const { limiter } = this.parts;
    if (!limiter) return () => undefined;
    const address = addressKey(exchange.remoteAddress);
    exchange.rateLimit = limiter.logins.consume(address, account);
    return () => limiter.logins.succeeded(address, account);
  }

  private serve(exchange: Exchange, hit: Hit<Target>, caller: Caller | null, form: Form): void {
    const { target, values } = hit;
    const texts = mergeParameters(exchange.query, form.fields);
    const { params, ignored } = target.decode(texts, values);
    const isAnonymous = target.endpoint.access === 'anonymous';
    if (caller && !isAnonymous) checkAccess(target.endpoint, caller);
    const request = new RequestContext(
      exchange,
      textField(texts, 'client'),
      isAnonymous ? null : caller,
      params,
      form.files,
      ignored,
    );
    if (target.respond) target.respond(exchange, request);
    else if (target.call) this.answer(exchange, this.call(exchange, target, request), ignored);
  }

  private call(
    exchange: Exchange,
    target: Target,
    request: RequestContext,
  ): Reply | Promise<Reply> {
    const { loginName } = target.endpoint;
    if (loginName === undefined) return target.call!(request);
    const succeeded = this.countLogin(exchange, String(request.params[loginName]));
    return Promise.resolve(target.call!(request)).then((reply) => {
      succeeded();
      return reply;
    });
  }

  private answer(
    exchange: Exchange,
    reply: Reply | Promise<Reply>,
    ignored: readonly string[],
  ): void {
    const sent =
      reply instanceof Promise
        ? reply.then((late) => replySuccess(exchange, late, ignored))
        : replySuccess(exchange, reply, ignored);
    sent?.catch((error: unknown) => this.parts.faults.fail(exchange, error));
  }

  /**
   * What may change something begins in the next round, when it is clear that no other request follows
   * in the same segment (see `inNextRound`).
   */
  private later(exchange: Exchange, work: () => void): void {
    inNextRound(() => {
      if (exchange.settled) return;
      this.guarded(exchange, () => {
        if (this.ended) throw this.ended;
        work();
      });
    });
  }

  private guarded(exchange: Exchange, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.faults.fail(exchange, error);
    }
  }
}

/** A body that can only be too large because its file is says so (requests.md#bodies-sizes-faults). */
function asFileRefusal(error: ApiError): ApiError {
  return error.status === 413 ? fileTooLarge(MAX_FILE_UPLOAD_SIZE_MIB) : error;
}
