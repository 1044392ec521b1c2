import { setTimeout, clearTimeout } from '../platform/timers.js';
import { serviceUnavailable } from '../errors/index.js';
import { lruOfEntries } from '../platform/lru.js';

/** On whose account a piece of work is done. */
export interface Claimant {
  /** Where the request comes from: an address, or a user who is logged in. */
  readonly source: string;
  /** What it is about, e.g. the name that somebody wants to log in with. */
  readonly account: string;
}

/** Bounds of a {@link FairLimiter}. */
export interface FairLimits {
  /** Pieces of work that run at once. */
  readonly concurrency: number;
  /** Pieces that may wait, of all claimants together. */
  readonly maxWaiting: number;
  /** Longest wait in milliseconds. */
  readonly maxWaitMs: number;
}

/** Sources, and accounts, whose recent share is remembered; beyond it the one unused for longest starts anew. */
const MAX_REMEMBERED = 10_000;

/** A share counts from its first piece of work for this long: a storm that is over is forgotten. */
const SHARE_MS = 300_000;

interface Waiter {
  readonly claimant: Claimant;
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Lets `concurrency` pieces of costly work run and `maxWaiting` wait. The next place goes to the source that
 * had the fewest lately, and within it to the account that had the fewest (least attained service), so that
 * one source with very many requests delays itself and not the others. Where no more may wait, whoever would
 * be served last is refused, newcomer or not. Whoever is refused, or has waited for `maxWaitMs`, gets 503
 * `SERVICE_UNAVAILABLE`, which clients retry.
 */
export class FairLimiter {
  private running = 0;
  /** In order of arrival; at most `maxWaiting`, so sorting them is cheap. */
  private waiting: Waiter[] = [];
  private readonly bySource = new Shares();
  private readonly byAccount = new Shares();

  constructor(
    private readonly limits: FairLimits,
    /** What the refusal says. */
    private readonly refusal: string,
  ) {}

  /** Runs `work` when its turn has come. @throws ApiError 503 */
  async run<T>(claimant: Claimant, work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.concurrency) this.admit(claimant);
    else await this.turnOf(claimant);
    try {
      return await work();
    } finally {
      this.running -= 1;
      const next = this.ranked()[0];
      if (next) {
        this.leave(next);
        // The place is handed over, so nobody who comes later can take it first.
        this.admit(next.claimant);
        next.start();
      }
    }
  }

  private admit({ source, account }: Claimant): void {
    this.running += 1;
    this.bySource.add(source);
    this.byAccount.add(account);
  }

  private turnOf(claimant: Claimant): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        this.leave(waiter);
        clearTimeout(timer);
        reject(serviceUnavailable(this.refusal));
      };
      const timer = setTimeout(refuse, this.limits.maxWaitMs).unref();
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const waiter: Waiter = { claimant, start, refuse };
      this.waiting.push(waiter);
      if (this.waiting.length > this.limits.maxWaiting) this.ranked().at(-1)!.refuse();
    });
  }

  private leave(waiter: Waiter): void {
    this.waiting = this.waiting.filter((one) => one !== waiter);
  }

  /** Who waits, in the order in which they will be served if nobody else comes. */
  private ranked(): Waiter[] {
    const byAccount = byRank(this.waiting, ({ claimant }) => claimant.account, this.byAccount);
    return byRank(byAccount, ({ claimant }) => claimant.source, this.bySource);
  }
}

/**
 * Sorts waiters by what their key had lately plus how many of the same key stand before them. Equal ranks
 * keep their order.
 */
function byRank(
  waiters: readonly Waiter[],
  keyOf: (waiter: Waiter) => string,
  shares: Shares,
): Waiter[] {
  const next = new Map<string, number>();
  const ranked = waiters.map((waiter) => {
    const key = keyOf(waiter);
    const rank = next.get(key) ?? shares.of(key);
    next.set(key, rank + 1);
    return { waiter, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ waiter }) => waiter);
}

/** How much work each key had lately. */
class Shares {
  private readonly counts = lruOfEntries<string, number>(MAX_REMEMBERED, {
    ttl: SHARE_MS,
    noUpdateTTL: true,
  });

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  add(key: string): void {
    this.counts.set(key, this.of(key) + 1);
  }
}
