import { LRUCache } from 'lru-cache';
import { steadyClock } from '../../../actors/clock.js';
import { rateLimitHit } from '../../errors.js';
import { lruOfEntries } from '../../services/lru.js';
import { SlidingWindow, type WindowRule } from './sliding-window.js';

/**
 * The `X-RateLimit-*` headers in wire form: the value of `X-RateLimit-Limit`, with the two other
 * header lines behind it, ready for one native call.
 */
type RateLimitBlock = string;

/**
 * Keys tracked per limiter. Beyond it the key unused for longest is forgotten and starts anew: under a
 * flood from very many addresses the limiter errs on letting through, and its memory stays bounded (a
 * key takes about half a kilobyte).
 */
const MAX_KEYS = 50_000;

/** Several windows per key; the tightest decides (requests.md#rate-limits). A refused call does not count. */
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
   * @returns the headers that tell the client where it stands
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
   * Counts nothing; for calls that count only when they fail.
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
 * The limits of all calls: by user once it is known who calls, by address before that. What anybody may
 * spend at an address has a budget of its own, so that guessing keys stops no login there.
 */
export interface RequestLimiter {
  readonly users: RateLimiter<number>;
  /** Calls without credentials, but for logins. */
  readonly addresses: RateLimiter<string>;
  /** Refused credentials; accepted ones count nothing and pass whatever was refused before. */
  readonly refusals: RateLimiter<string>;
  readonly logins: LoginAddressLimiter;
}

/** Pairs of address and account remembered; the one unused for longest is forgotten first. */
const MAX_KNOWN_LOGINS = 10_000;

/** No e-mail address is longer. */
const MAX_ACCOUNT_LENGTH = 320;

/**
 * Logins by address. An account that logged in from an address before has a budget of its own there,
 * which those who guess at other accounts from the same address do not spend.
 */
class LoginAddressLimiter {
  private readonly known = new LRUCache<string, true>({ max: MAX_KNOWN_LOGINS });
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

  /** The account is known at this address from now on. */
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
