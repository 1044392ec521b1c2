import { setInterval, clearInterval } from '../../platform/timers.js';
import type { ApiError } from '../../errors/index.js';
import type { Account } from '../../turns/fair-queue.js';
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

  /**
   * @param since when its wait began, milliseconds by the queue's clock
   * @param account whose it is
   */
  constructor(
    readonly message: NodeMessage,
    readonly since: number,
    readonly account: Account,
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

/** When requests that wait are refused. */
interface WaitingTime {
  /** Milliseconds by a clock that does not step. */
  readonly now: () => number;
  /** How long a request waits while none is served, milliseconds. */
  readonly waitMs: number;
  /** The refusal of one that waited longer. */
  readonly expired: () => ApiError;
}

/**
 * RequestQueue has the requests that were not sent yet. Accounts take turns, so that one with hundreds of uploads delays
 * its own; within an account they leave in their order. While the other node serves requests, the others wait for as long
 * as those take, as they would at that node; where it serves none for `waitMs`, those that waited so long are refused, at
 * most {@link SWEEP_MS} late.
 */
export class RequestQueue {
  /** Requests that a node did not accept: they are next. */
  private readonly again = new Set<QueuedRequest>();
  /** In the order of their turns. */
  private readonly others = new Map<Account, Set<QueuedRequest>>();
  private count = 0;
  private lastServed = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly time: WaitingTime) {}

  get length(): number {
    return this.count;
  }

  /** Adds a request. @param isNext before all that were never taken out */
  add(request: QueuedRequest, isNext = false): void {
    request.state = 'waiting';
    this.count += 1;
    if (isNext) this.again.add(request);
    else {
      const { account } = request;
      const its = this.others.get(account);
      if (its) its.add(request);
      else this.others.set(account, new Set([request]));
    }
    this.timer ??= setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Takes the next request out; undefined where none waits. */
  take(): QueuedRequest | undefined {
    for (const request of this.again) {
      this.remove(request);
      return request;
    }
    for (const [account, its] of this.others) {
      for (const request of its) {
        this.remove(request);
        // The account stands behind all others then.
        if (this.others.delete(account)) this.others.set(account, its);
        return request;
      }
    }
    return undefined;
  }

  /** The other node has served a request: those that wait get their turn. */
  served(): void {
    this.lastServed = this.time.now();
  }

  /** Takes a request out that nobody waits for any more. @returns false for one that was sent, which goes on */
  cancel(request: QueuedRequest): boolean {
    if (!this.remove(request)) return false;
    request.state = 'over';
    return true;
  }

  /** Refuses all. */
  refuseAll(error: ApiError): void {
    for (let next = this.take(); next; next = this.take()) next.refuse(error);
    this.sweep();
  }

  /** @returns whether it waited */
  private remove(request: QueuedRequest): boolean {
    if (!this.again.delete(request)) {
      const { account } = request;
      const its = this.others.get(account);
      if (!its?.delete(request)) return false;
      if (its.size === 0) this.others.delete(account);
    }
    this.count -= 1;
    return true;
  }

  private sweep(): void {
    const oldest = this.time.now() - this.time.waitMs;
    if (this.lastServed <= oldest) {
      for (const requests of [this.again, ...this.others.values()]) {
        this.refuseBefore(oldest, requests);
      }
    }
    if (this.count > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private refuseBefore(oldest: number, requests: ReadonlySet<QueuedRequest>): void {
    for (const request of requests) {
      if (request.since > oldest) return;
      this.remove(request);
      request.refuse(this.time.expired());
    }
  }
}
