/** Faults that a test has happen: each on demand, and only then. */
import { rateLimitHit } from '../errors/index.js';
import type { NativeRequest, NativeResponse } from '../http/native.js';
import { refusalOf } from '../http/health.js';
import type { Interposition } from '../http/service.js';
import { setTimeout } from '../platform/timers.js';
import type { Account, Fault, RequestMatch } from './api.js';
import { millisecondsOf } from './clock.js';
import { fatedResponse } from './late-response.js';

const API = '/api/v1';
/** Bounds what a test asks for and forgets. */
const MOST_FAULTS = 1000;

/** Makes of a request what the fault is. */
type Make = (response: NativeResponse) => Interposition;

/** A fault that waits for the requests it is for. */
class RequestFault implements Fault {
  met = 0;
  private left: number;

  constructor(
    private readonly match: RequestMatch,
    /** The `Authorization` of who is to ask; null: anybody. */
    private readonly authorization: string | null,
    readonly make: Make,
  ) {
    this.left = match.times ?? 1;
  }

  get isOver(): boolean {
    return this.left <= 0;
  }

  end(): void {
    this.left = 0;
  }

  /** Whether it is for the request, of which there is then one less. */
  takes(request: NativeRequest): boolean {
    const { method, path } = this.match;
    const url = request.getUrl();
    const asked = url.startsWith(API) ? url.slice(API.length) : url;
    if (method !== undefined && request.getCaseSensitiveMethod() !== method) return false;
    if (typeof path === 'string' ? path !== asked : path?.test(asked) === false) return false;
    const { authorization } = this;
    if (authorization !== null && request.getHeader('authorization') !== authorization)
      return false;
    this.left -= 1;
    this.met += 1;
    return true;
  }
}

/** RequestFaults has the faults that wait for requests, in the order in which they were asked for. */
export class RequestFaults {
  private waiting: RequestFault[] = [];

  constructor(private readonly account: (name: string) => Account) {}

  /** What the server asks of each request. */
  readonly interposed = (
    response: NativeResponse,
    request: NativeRequest,
  ): Interposition | null => {
    if (this.waiting.length === 0) return null;
    this.waiting = this.waiting.filter(({ isOver }) => !isOver);
    return this.waiting.find((fault) => fault.takes(request))?.make(response) ?? null;
  };

  rateLimit(match: RequestMatch & { readonly retryAfter?: number } = {}): Fault {
    return this.add(match, () => ({ refusal: rateLimitHit(match.retryAfter ?? 1) }));
  }

  unavailable(match: RequestMatch = {}): Fault {
    return this.add(match, () => ({ refusal: refusalOf('unavailable') }));
  }

  slow(match: RequestMatch & { readonly by: string | number }): Fault {
    const fate = { kind: 'late', ms: millisecondsOf(match.by) } as const;
    return this.add(match, (response) => ({ response: fatedResponse(response, fate, later) }));
  }

  loseReply(match: RequestMatch = {}): Fault {
    const fate = { kind: 'lost' } as const;
    return this.add(match, (response) => ({ response: fatedResponse(response, fate, later) }));
  }

  private add(match: RequestMatch, make: Make): Fault {
    if (this.waiting.length >= MOST_FAULTS) throw new Error(`${MOST_FAULTS} faults wait already`);
    const { from } = match;
    const authorization = from === undefined ? null : basicOf(this.account(from));
    const fault = new RequestFault(match, authorization, make);
    this.waiting.push(fault);
    return fault;
  }
}

function later(ms: number, work: () => void): void {
  setTimeout(work, ms);
}

function basicOf({ email, apiKey }: Account): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
}
