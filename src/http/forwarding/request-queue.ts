import { setInterval, clearInterval } from '../../platform/timers.js';
import type { ApiError } from '../../errors/index.js';
import type { NodeMessage } from './node-message.js';
import type { NodeReply } from './node-reply.js';

/** What becomes of a request to another node. Exactly one of the two is called, unless it is cancelled. */
interface RequestOutcome {
  replied(reply: NodeReply): void;
  refused(error: ApiError): void;
}

/** A request to another node. */
export class QueuedRequest {
  /** `sent`: the other node may have it, so it is never sent again. */
  state: 'waiting' | 'sent' | 'over' = 'waiting';

  /** @param deadline when it ends unless it was sent, milliseconds by the queue's clock */
  constructor(
    readonly message: NodeMessage,
    readonly deadline: number,
    private readonly outcome: RequestOutcome,
  ) {}

  replied(reply: NodeReply): void {
    this.state = 'over';
    this.outcome.replied(reply);
  }

  refuse(error: ApiError): void {
    this.state = 'over';
    this.outcome.refused(error);
  }
}

/** Interval at which requests that waited too long are refused, milliseconds. */
const SWEEP_MS = 100;

/**
 * RequestQueue has the requests that were not sent yet, in their order. A request that waited too long is
 * refused, at most {@link SWEEP_MS} late.
 */
export class RequestQueue {
  /** Requests that a node did not accept: they are next. */
  private readonly again = new Set<QueuedRequest>();
  private readonly others = new Set<QueuedRequest>();
  private timer: NodeJS.Timeout | undefined;

  /** @param expired the refusal of a request that waited too long */
  constructor(
    private readonly now: () => number,
    private readonly expired: () => ApiError,
  ) {}

  get length(): number {
    return this.again.size + this.others.size;
  }

  /** Adds a request. @param isNext before all that were never taken out */
  add(request: QueuedRequest, isNext = false): void {
    request.state = 'waiting';
    (isNext ? this.again : this.others).add(request);
    this.timer ??= setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Takes the next request out; undefined where none waits. */
  take(): QueuedRequest | undefined {
    for (const requests of [this.again, this.others]) {
      for (const request of requests) {
        requests.delete(request);
        return request;
      }
    }
    return undefined;
  }

  /** Takes a request out that nobody waits for any more. @returns false for one that was sent, which goes on */
  cancel(request: QueuedRequest): boolean {
    if (!this.again.delete(request) && !this.others.delete(request)) return false;
    request.state = 'over';
    return true;
  }

  /** Refuses all. */
  refuseAll(error: ApiError): void {
    for (let next = this.take(); next; next = this.take()) next.refuse(error);
    this.sweep();
  }

  private sweep(): void {
    const now = this.now();
    for (const requests of [this.again, this.others]) {
      for (const request of requests) {
        if (request.deadline > now) break;
        requests.delete(request);
        request.refuse(this.expired());
      }
    }
    if (this.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
