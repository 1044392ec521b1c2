import type { LRUCache } from 'lru-cache';
import { steadyClock } from '../../platform/clock.js';
import { rateLimitHit } from '../../errors/index.js';
import { lruOfEntries } from '../../platform/lru.js';

/**
 * The `X-RateLimit-*` headers in wire form: the value of `X-RateLimit-Limit` followed by the two other
 * header lines, ready for one native call.
 */
type RateLimitBlock = string;

/**
 * Most keys per limiter, about half a kilobyte each. Beyond it the least recently used key is evicted and
 * starts anew: under a flood from very many addresses the limiter admits too much rather than use unbounded
 * memory.
 */
const MAX_KEYS = 50_000;

/**
 * RateLimiter counts calls per key in several windows; the tightest decides (requests.md#rate-limits). A
 * refused call does not count.
 */
export class RateLimiter<K extends string | number> {
  private readonly windows: LRUCache<K, readonly SlidingWindow[]>;
  private readonly limit: number;

  /** @param now milliseconds since 1970, by a clock that does not step */
  constructor(
    private readonly rules: readonly WindowRule[],
    private readonly now: () => number,
    maxKeys = MAX_KEYS,
  ) {
    this.windows = lruOfEntries(maxKeys);
    this.limit = Math.min(...rules.map((rule) => rule.max));
  }

  /**
   * Counts a call.
   * @returns the headers with the client's remaining calls
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  consume(key: K): RateLimitBlock {
    const now = this.now();
    const windows = this.windowsOf(key);
    this.refuseIfSpent(windows, now);
    for (const window of windows) window.take(now);
    return (
      `${this.limit}\r\nX-RateLimit-Remaining: ${smallestRemainder(windows, now)}` +
      `\r\nX-RateLimit-Reset: ${resetTime(windows, now)}`
    );
  }

  /**
   * Checks without counting, for calls that count only when they fail.
   * @throws ApiError `RATE_LIMIT_HIT` where `consume` would
   */
  check(key: K): void {
    const windows = this.windows.get(key);
    if (windows) this.refuseIfSpent(windows, this.now());
  }

  private windowsOf(key: K): readonly SlidingWindow[] {
    let windows = this.windows.get(key);
    if (!windows) {
      windows = this.rules.map((rule) => new SlidingWindow(rule));
      this.windows.set(key, windows);
    }
    return windows;
  }

  private refuseIfSpent(windows: readonly SlidingWindow[], now: number): void {
    let wait = 0;
    for (const window of windows) {
      if (window.remaining(now) < 1) wait = Math.max(wait, window.msUntilNext(now));
    }
    if (wait === 0) return;
    throw rateLimitHit(Math.ceil(wait) / 1000, {
      'X-RateLimit-Limit': String(this.limit),
      'X-RateLimit-Remaining': String(smallestRemainder(windows, now)),
      'X-RateLimit-Reset': String(resetTime(windows, now)),
    });
  }
}

function smallestRemainder(windows: readonly SlidingWindow[], now: number): number {
  let smallest = Infinity;
  for (const window of windows) smallest = Math.min(smallest, window.remaining(now));
  return smallest;
}

/** UNIX seconds at which the last window is fully replenished. */
function resetTime(windows: readonly SlidingWindow[], now: number): number {
  let latest = now;
  for (const window of windows) latest = Math.max(latest, window.replenishedAt(now));
  return Math.ceil(latest / 1000);
}

/**
 * The limits of all calls: by user once the caller is known, by address before. Login attempts and refused
 * credentials have budgets of their own at an address, so that guessing keys blocks no login there.
 */
export interface RequestLimiter {
  readonly users: RateLimiter<number>;
  /** Calls without credentials, but for logins. */
  readonly addresses: RateLimiter<string>;
  /** Refused credentials. Accepted ones do not count and pass in any case. */
  readonly refusals: RateLimiter<string>;
  readonly logins: LoginAddressLimiter;
}

/** Most pairs of address and account remembered; the least recently used one is evicted first. */
const MAX_KNOWN_LOGINS = 10_000;

/** No e-mail address is longer. */
const MAX_ACCOUNT_LENGTH = 320;

/**
 * LoginAddressLimiter counts logins by address. An account that logged in from an address before has a
 * budget of its own there, which guesses at other accounts from that address do not use up.
 */
class LoginAddressLimiter {
  private readonly known = lruOfEntries<string, true>(MAX_KNOWN_LOGINS);
  private readonly attempts: RateLimiter<string>;

  /** @param now milliseconds since 1970 */
  constructor(rules: readonly WindowRule[], now: () => number) {
    this.attempts = new RateLimiter(rules, now);
  }

  /**
   * Counts an attempt.
   * @param address key of the address (see {@link addressKey})
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  consume(address: string, account: string): RateLimitBlock {
    const pair = pairOf(address, account);
    return this.attempts.consume(this.known.get(pair) ? pair : address);
  }

  /** Records that the account logged in from this address. */
  succeeded(address: string, account: string): void {
    this.known.set(pairOf(address, account), true);
  }
}

function pairOf(address: string, account: string): string {
  return `${address} ${account.slice(0, MAX_ACCOUNT_LENGTH).trim().toLowerCase()}`;
}

/** Rules other than {@link DEFAULT_LIMITS}. */
interface RequestLimits {
  readonly users?: readonly WindowRule[];
  readonly addresses?: readonly WindowRule[];
}

/** The defaults of requests.md#rate-limits. */
const DEFAULT_LIMITS = {
  users: [{ max: 200, seconds: 60 }],
  addresses: [{ max: 100, seconds: 60 }],
} as const;

/** @param now milliseconds since 1970, by a clock that does not step */
export function createRequestLimiter(
  limits: RequestLimits = {},
  now: () => number = () => steadyClock.now(),
): RequestLimiter {
  const addresses = limits.addresses ?? DEFAULT_LIMITS.addresses;
  return {
    users: new RateLimiter<number>(limits.users ?? DEFAULT_LIMITS.users, now),
    addresses: new RateLimiter<string>(addresses, now),
    refusals: new RateLimiter<string>(addresses, now),
    logins: new LoginAddressLimiter(addresses, now),
  };
}

/** Segments of a window; a call expires when its segment leaves the window. */
const SEGMENTS = 30;

/** At most `max` calls in any `seconds` seconds. */
interface WindowRule {
  readonly max: number;
  readonly seconds: number;
}

/**
 * SlidingWindow counts the calls of one key. Time advances in segments of a thirtieth of the window, so a
 * call counts for at least the window and at most a thirtieth longer: the rule is never exceeded, in
 * constant memory and without a timer.
 */
export class SlidingWindow {
  private readonly counts = new Uint32Array(SEGMENTS + 1);
  private readonly segmentMs: number;
  private total = 0;
  /** Number of the newest segment since 1970. */
  private head = 0;
  /** Number of the newest segment with a call in it. */
  private newest = 0;

  constructor(private readonly rule: WindowRule) {
    this.segmentMs = (rule.seconds * 1000) / SEGMENTS;
  }

  /** Calls left at this time. */
  remaining(now: number): number {
    this.advance(now);
    return this.rule.max - this.total;
  }

  /** Counts a call; only where some remain. */
  take(now: number): void {
    this.advance(now);
    this.counts[this.head % this.counts.length]!++;
    this.newest = this.head;
    this.total++;
  }

  /** Milliseconds until one more call remains than now. */
  msUntilNext(now: number): number {
    this.advance(now);
    for (let segment = this.head - SEGMENTS; segment <= this.head; segment++) {
      if (this.counts[segment % this.counts.length]! > 0) return this.expiry(segment) - now;
    }
    return 0;
  }

  /** The time at which all calls have expired, milliseconds since 1970. */
  replenishedAt(now: number): number {
    this.advance(now);
    return this.total === 0 ? now : this.expiry(this.newest);
  }

  private expiry(segment: number): number {
    return (segment + SEGMENTS + 1) * this.segmentMs;
  }

  private advance(now: number): void {
    const current = Math.floor(now / this.segmentMs);
    // A clock that steps back must not revive expired segments.
    if (current <= this.head) return;
    const steps = Math.min(current - this.head, this.counts.length);
    for (let i = 1; i <= steps; i++) {
      const slot = (this.head + i) % this.counts.length;
      this.total -= this.counts[slot]!;
      this.counts[slot] = 0;
    }
    this.head = current;
  }
}
