import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { ApiError, methodNotAllowed } from '../errors/index.js';
import type { Caller, Reply, Route } from '../resources/kernel/route.js';
import { assertNotWebhookBot, type Admission, type Identify } from './auth/authentication.js';
import { SESSION_HEADERS, type SessionGate } from './auth/session-gate.js';
import { checkAccess } from '../organization/access/endpoint-access.js';
import { collectBody, keptBody, type BodyBudget } from './request/body.js';
import { askedOf } from './request/asked.js';
import { BodyStream } from './request/body-stream.js';
import { asFileRefusal, bodyLimit, MAX_ANONYMOUS_BODY_BYTES } from './request/body-limits.js';
import type { Forwarder } from './forwarding/forwarder.js';
import { unlessBehind } from './forwarding/position-wait.js';
import type { Decoder } from './request/decoder.js';
import { replySuccess } from './reply/json-reply.js';
import type { Exchange, ReplyHeaders } from './reply/exchange.js';
import { knownAccount } from './reply/exchange-parts.js';
import type { ErrorHandler } from './error-handler.js';
import { EMPTY_FORM, mergeParameters, readForm, textField, type Form } from './request/form.js';
import { formOf, rawForm } from './request/read-body.js';
import { readRepeatedForm } from './request/repeated-form.js';
import { RequestContext } from './request-context.js';
import { inNextRound } from '../turns/next-round.js';
import { whileItGoesOn } from '../turns/going-on.js';
import { countGoingOn, countRead, isLongRound } from '../turns/read-rounds.js';
import { ticksSince, type ReplyCounts } from './reply/reply-counts.js';
import type { Hit, PathMatch } from './router.js';
import { inBackground, onceSettled } from '../turns/background.js';

export type { RequestContext };

/** Answers a request asynchronously: it replies now, or keeps the exchange and replies later. */
export type AsyncResponder = (exchange: Exchange, request: RequestContext) => void;

/**
 * Serves the usual form of a request without decoding it fully. It must answer exactly as the full
 * pipeline; false where the request has another form, which the full pipeline then serves.
 */
export type FastPath = (exchange: Exchange, caller: Caller) => boolean;

/** An endpoint ready to serve: `call` for a plain route, `respond` for a special one. */
export interface Target {
  readonly endpoint: EndpointDescriptor;
  readonly decode: Decoder;
  readonly counts: ReplyCounts;
  /** See `longFields`. */
  readonly long: readonly string[] | null;
  readonly call?: Route['call'];
  /** See `Route`. */
  readonly goesOn?: boolean;
  /** See `Route`. */
  readonly permit?: Route['permit'];
  readonly respond?: AsyncResponder;
  readonly fastPath?: FastPath;
  readonly identify?: Identify;
  /** Outside `/json`: the session of a browser is accepted, too. */
  readonly takesSession?: boolean;
  /** A login of a browser, which a page of this server must ask for. */
  readonly isLogin?: boolean;
  /** See `SpecialRoute`. */
  readonly streamsBody?: boolean;
  readonly optionHeaders?: ReplyHeaders;
  /** A node that follows serves it itself, though the method may write. */
  readonly isKept?: boolean;
}

/** Dependencies of the pipeline. */
interface PipelineParts {
  readonly admission: Admission;
  readonly faults: ErrorHandler;
  readonly budget: BodyBudget;
  /** Absent where browsers have no sessions. */
  readonly sessions?: SessionGate;
  /** On a node that follows: where requests that write go, and what counts their replies. */
  readonly forward?: { readonly to: Forwarder; readonly counts: ReplyCounts };
}

/**
 * Pipeline serves a request after its path is known, in the order of requests.md#routing: method,
 * credentials, rate limit, rights that need no parameter, parameters, handler. Everything is synchronous unless a body is
 * received or the handler waits. Refusals are thrown, or passed to the error handler once the native
 * callback of the request has returned.
 */
export class Pipeline {
  private ended: ApiError | null = null;

  constructor(private readonly parts: PipelineParts) {}

  /** Refuses the requests that have not reached their handler. */
  end(error: ApiError): void {
    this.ended = error;
  }

  /** @throws ApiError */
  run(exchange: Exchange, match: PathMatch<Target>): void {
    const method = exchange.method === 'HEAD' ? 'GET' : exchange.method;
    const hit = match.select(method);
    const mayOverride = method === 'POST' && exchange.hasBody;
    if (!hit && !mayOverride) throw methodNotAllowed(match.allowed());
    const raw = hit?.target.endpoint.rawBody;
    if (raw) exchange.passOn(raw.headers);
    if (hit?.target.takesSession === true && !exchange.isReading) exchange.passOn(SESSION_HEADERS);
    const mayWrite = !exchange.isReading || hit?.target.endpoint.writes === true;
    if (this.parts.forward && mayWrite && !this.isKept(exchange, hit)) {
      this.forward(exchange, match, hit);
      return;
    }
    if (hit) exchange.counts = hit.target.counts;
    const caller = hit ? this.parts.admission.admit(exchange, hit.target) : null;
    if (hit?.target.streamsBody) {
      if (this.ended) throw this.ended;
      exchange.keepHeaders();
      this.serveStream(exchange, hit, caller);
      return;
    }
    if (!exchange.hasBody) {
      const { fastPath } = hit!.target;
      if (fastPath && caller && fastPath(exchange, caller)) return;
      if (exchange.isReading && !isLongRound(exchange.start)) {
        this.serve(exchange, hit!, caller, EMPTY_FORM);
        countServed(exchange);
      } else {
        // A special route reads headers of its own: a range, the copy that its client has.
        if (hit!.target.respond) exchange.keepHeaders();
        this.later(exchange, hit, () => this.serve(exchange, hit!, caller, EMPTY_FORM));
      }
      return;
    }
    collectBody(exchange, limitOf(exchange, match, hit, caller !== null), this.parts.budget, {
      complete: (body) => {
        const serve = (form: Form): void =>
          this.later(exchange, hit, () => this.serveWithBody(exchange, match, hit, caller, form));
        if (raw) {
          this.guarded(exchange, () => serve(rawForm(exchange.contentType, body)));
          return undefined;
        }
        // Immediately: the bytes are valid during this call only.
        const read = hit?.target.endpoint.isRepeated ? readRepeatedForm : readForm;
        let reading: Promise<void> | undefined;
        this.guarded(exchange, () => {
          const form = formOf(exchange, body, read);
          if (form instanceof Promise) {
            reading = form.then(serve, (error) => this.parts.faults.fail(exchange, error));
          } else serve(form);
        });
        return reading;
      },
      refused: (error) => this.refuseBody(exchange, hit, error),
    });
  }

  /** Whether a node that follows serves a request itself: not where only the leader may know the session. */
  private isKept(exchange: Exchange, hit: Hit<Target> | undefined): boolean {
    if (hit?.target.isKept !== true) return false;
    return !(exchange.bySession && this.parts.sessions?.isUnknown(exchange));
  }

  /**
   * Sends a request that may write to the leader, which decides everything. Only the size of the body is judged
   * here, and for that the credentials where it may be large.
   * @throws ApiError
   */
  private forward(
    exchange: Exchange,
    match: PathMatch<Target>,
    hit: Hit<Target> | undefined,
  ): void {
    const { to, counts } = this.parts.forward!;
    exchange.counts = counts;
    void exchange.accept;
    const failed = (error: unknown): void => this.parts.faults.fail(exchange, error);
    const send = (body: Buffer): Promise<void> => to.relay(exchange, body, failed);
    if (!exchange.hasBody) {
      inBackground(() => send(NOTHING), failed);
      return;
    }
    const mayBeKept = !hit && match.some(({ isKept }) => isKept === true);
    collectBody(exchange, this.forwardedLimit(exchange, match, hit), this.parts.budget, {
      complete: (body) => {
        if (!mayBeKept) return send(body);
        return this.serveKept(exchange, match, keptBody(body), send).catch(failed);
      },
      refused: (error) => this.refuseBody(exchange, hit, error),
    });
  }

  /** Serves a POST here whose `method` field selects an endpoint that is not forwarded; sends any other. */
  private async serveKept(
    exchange: Exchange,
    match: PathMatch<Target>,
    body: Buffer,
    send: (body: Buffer) => Promise<void>,
  ): Promise<void> {
    const form = await formOf(exchange, body);
    const method = textField(form.fields, 'method');
    if (method === undefined || match.select(method)?.target.isKept !== true) return send(body);
    this.later(exchange, undefined, () =>
      this.serveWithBody(exchange, match, undefined, null, form),
    );
  }

  /** The largest body of a forwarded request, bytes. @throws ApiError 401 for a stranger's that may be larger */
  private forwardedLimit(
    exchange: Exchange,
    match: PathMatch<Target>,
    hit: Hit<Target> | undefined,
  ): number {
    const length = exchange.contentLength;
    const isSmall = length > 0 && length <= MAX_ANONYMOUS_BODY_BYTES;
    if (!hit || hit.target.endpoint.access === 'anonymous' || isSmall) {
      return limitOf(exchange, match, hit, false);
    }
    this.parts.admission.authenticate(exchange, hit.target);
    return limitOf(exchange, match, hit, true);
  }

  private refuseBody(exchange: Exchange, hit: Hit<Target> | undefined, error: ApiError): void {
    const isUpload = hit?.target.endpoint.file !== undefined;
    this.parts.faults.fail(exchange, isUpload ? asFileRefusal(error) : error);
  }

  /** Serves an endpoint that reads the body itself; what is refused before is received in vain. @throws ApiError */
  private serveStream(exchange: Exchange, hit: Hit<Target>, caller: Caller | null): void {
    const body = exchange.hasBody ? new BodyStream(exchange, this.parts.budget) : null;
    try {
      this.serve(exchange, hit, caller, EMPTY_FORM, body);
    } catch (error) {
      if (!body) throw error;
      const failed = (): void => this.parts.faults.fail(exchange, error);
      onceSettled(body.discard(), failed, failed);
    }
  }

  /** Serves an endpoint that was not found by its path. @throws ApiError */
  runTarget(exchange: Exchange, target: Target): void {
    exchange.counts = target.counts;
    const caller = this.parts.admission.admit(exchange, target);
    this.serve(exchange, { target, values: {} }, caller, EMPTY_FORM);
  }

  /**
   * Serves a request with a body: a `method` field of a POST form selects another endpoint of the same
   * path.
   */
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
    this.serve(
      exchange,
      hit,
      isKnown ? caller : this.parts.admission.admit(exchange, hit.target),
      form,
    );
  }

  private serve(
    exchange: Exchange,
    hit: Hit<Target>,
    caller: Caller | null,
    form: Form,
    body: BodyStream | null = null,
  ): void {
    const { target, values } = hit;
    const isAnonymous = target.endpoint.access === 'anonymous';
    // First, so that nobody learns the parameters of what is not for them.
    if (caller && !isAnonymous) {
      assertNotWebhookBot(caller.user, target.endpoint);
      checkAccess(target.endpoint, caller.user);
    }
    const texts = mergeParameters(exchange.query, form.fields);
    if (caller && target.permit)
      target.permit(caller.user, askedOf(target.endpoint, values, texts));
    const { params, ignored: unknown } = target.decode(texts, values);
    const ignored = target.endpoint.rawBody ? NO_NAMES : unknown;
    const request = new RequestContext(
      exchange,
      textField(texts, 'client'),
      isAnonymous ? null : caller,
      params,
      form.files,
      ignored,
      body,
    );
    exchange.markServed();
    if (target.respond) target.respond(exchange, request);
    else if (target.call) {
      const reply = this.call(exchange, target, request);
      exchange.markHandled();
      this.answer(exchange, reply, ignored, target.long);
    }
  }

  private call(
    exchange: Exchange,
    target: Target,
    request: RequestContext,
  ): Reply | Promise<Reply> {
    const { loginName } = target.endpoint;
    if (loginName === undefined) return target.call!(request);
    const succeeded = this.parts.admission.countLogin(exchange, String(request.params[loginName]));
    return Promise.resolve(target.call!(request)).then((reply) => {
      succeeded();
      return reply;
    });
  }

  private answer(
    exchange: Exchange,
    reply: Reply | Promise<Reply>,
    ignored: readonly string[],
    long: readonly string[] | null,
  ): void {
    const failed = (error: unknown): void => {
      exchange.endMaking();
      this.parts.faults.fail(exchange, error);
    };
    const send = (made: Reply): void => {
      try {
        const sent = replySuccess(exchange, made, ignored, long);
        if (sent) onceSettled(sent, () => exchange.endMaking(), failed);
        else exchange.endMaking();
      } catch (error) {
        failed(error);
      }
    };
    // In one step: each further promise costs every request that changes something.
    if (reply instanceof Promise) onceSettled(reply, send, failed);
    else send(reply);
  }

  /**
   * Begins requests that may change something, and others where many came at once, in the next round (see
   * `inNextRound`; `whileItGoesOn` for handlers that load something), and when memory has reached the position that they name.
   */
  private later(exchange: Exchange, hit: Hit<Target> | undefined, work: () => void): void {
    const begin = (): void => {
      if (exchange.settled) return;
      try {
        exchange.unprocessed = this.ended !== null;
        if (this.ended) throw this.ended;
        work();
      } catch (error) {
        this.parts.faults.fail(exchange, error);
      }
    };
    const awaited = unlessBehind(exchange.awaits?.() ?? null);
    if (awaited === null && hit?.target.goesOn) {
      const isOver = (): boolean => exchange.settled;
      whileItGoesOn(() => (begin(), isOver), knownAccount(exchange));
    } else if (awaited === null) inNextRound(begin, knownAccount(exchange));
    else onceSettled(awaited, begin, (error) => this.parts.faults.fail(exchange, error));
  }

  private guarded(exchange: Exchange, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.parts.faults.fail(exchange, error);
    }
  }
}

/** Counts what a request that reads took of this round of the event loop; what is answered in its entry is counted there. */
function countServed({ begun, settled, corked }: Exchange): void {
  if (!settled) countGoingOn(begun, ticksSince(begun));
  else if (!corked) countRead(begun, ticksSince(begun));
}

const NOTHING = Buffer.alloc(0);
const NO_NAMES: readonly string[] = [];

function limitOf(
  { contentType }: Exchange,
  match: PathMatch<Target>,
  hit: Hit<Target> | undefined,
  isCaller: boolean,
): number {
  const takesFile = (): boolean => match.some((target) => target.endpoint.file !== undefined);
  return bodyLimit(hit?.target.endpoint, contentType, isCaller, takesFile);
}
