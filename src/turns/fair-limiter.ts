import { setTimeout, clearTimeout } from '../platform/timers.js';
import { serviceUnavailable } from '../errors/index.js';
import { lruOfEntries } from '../platform/lru.js';

/** On whose account a piece of work is done. */
export interface Claimant {
  /** Where the request comes from: an address, or a user who is logged in. */
  readonly source: string;
  /** What it is about, e.g. the name that somebody wants to log in with. */
  readonly account: string;
  /** Whether the source has a claim to the account: such requests go first, and have room of their own. */
  readonly isKnown?: boolean;
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

/**
 * Where known claimants wait and others, too, one of so many turns is of the others; and of so many that may wait, one is
 * theirs whatever comes of the known.
 */
const PART_OF_OTHERS = 4;

interface Waiter {
  readonly claimant: Claimant;
  readonly start: () => void;
  readonly refuse: () => void;
}

/**
 * Lets `concurrency` pieces of costly work run and `maxWaiting` wait. The next place goes to the source that
 * had the fewest lately, and within it to the account that had the fewest (least attained service), so that
 * one source with very many requests delays itself and not the others. Those who are known go first, in the same order
 * among themselves: very many sources that nobody knows delay each other. Where no more may wait, whoever would
 * be served last is refused, newcomer or not. Whoever is refused, or has waited for `maxWaitMs`, gets 503
 * `SERVICE_UNAVAILABLE`, which clients retry.
 */
export class FairLimiter {
  private running = 0;
  /** Turns that known claimants had since one of the others'. */
  private turnsOfKnown = 0;
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
      const next = this.next();
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
      if (this.waiting.length > this.limits.maxWaiting) this.last().refuse();
    });
  }

  private leave(waiter: Waiter): void {
    this.waiting = this.waiting.filter((one) => one !== waiter);
  }

  private next(): Waiter | undefined {
    const [known, others] = [this.ranked(true), this.ranked(false)];
    const isTheirs = others.length > 0 && this.turnsOfKnown >= PART_OF_OTHERS - 1;
    const next = isTheirs ? others[0] : (known[0] ?? others[0]);
    this.turnsOfKnown = next?.claimant.isKnown === true ? this.turnsOfKnown + 1 : 0;
    return next;
  }

  /** Who is to go where too many wait. */
  private last(): Waiter {
    const others = this.ranked(false);
    const hasTheirs = others.length <= this.limits.maxWaiting / PART_OF_OTHERS;
    return (hasTheirs ? this.ranked(true).at(-1) : undefined) ?? others.at(-1)!;
  }

  /** Who waits, known or not, in the order in which they will be served if nobody else comes. */
  private ranked(areKnown: boolean): Waiter[] {
    const waiting = this.waiting.filter(({ claimant }) => (claimant.isKnown ?? false) === areKnown);
    const byAccount = byRank(waiting, ({ claimant }) => claimant.account, this.byAccount);
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
