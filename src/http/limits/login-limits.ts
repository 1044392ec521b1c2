import { steadyClock } from '../../platform/clock.js';
import { lruOfEntries } from '../../platform/lru.js';
import { rateLimitHit } from '../../errors/index.js';
import type { LoginLimiter } from '../../resources/kernel/limiters.js';

/** Most user names tracked; beyond this number the least recently used one starts anew. */
const MAX_NAMES = 10_000;

/**
 * Longest name compared, the maximum of e-mail addresses; longer names with the same beginning share a
 * count.
 */
const MAX_NAME_LENGTH = 320;

/** The rule of requests.md#rate-limits. */
const LOGIN_RULE = { max: 5, seconds: 1800 } as const;

/** Attempts with one name from the first one on. */
interface Attempts {
  count: number;
  /** When they are forgotten, all at once, milliseconds since 1970. */
  readonly endMs: number;
}

/**
 * Counts login attempts by user name, in memory. Names compare without case, as in the login itself. The window begins
 * with the first attempt: whoever mistyped a password five times has all five attempts again half an hour later, where
 * a sliding window (`RateLimiter`) would give them back one by one.
 * @param now milliseconds since 1970, by a clock that does not step
 */
export function createLoginLimiter(
  rule: { readonly max: number; readonly seconds: number } = LOGIN_RULE,
  now: () => number = () => steadyClock.now(),
): LoginLimiter {
  const names = lruOfEntries<string, Attempts>(MAX_NAMES);
  const attemptsOf = (name: string, time: number): Attempts => {
    const known = names.get(name);
    if (known && known.endMs > time) return known;
    const attempts = { count: 0, endMs: time + rule.seconds * 1000 };
    names.set(name, attempts);
    return attempts;
  };
  return {
    async attempt(userName) {
      const time = now();
      const attempts = attemptsOf(keyOf(userName), time);
      if (attempts.count >= rule.max) throw tooManyAttempts(rule.max, attempts.endMs, time);
      attempts.count++;
    },
    async succeeded(userName) {
      names.delete(keyOf(userName));
    },
  };
}

function tooManyAttempts(max: number, endMs: number, time: number) {
  return rateLimitHit(Math.ceil(endMs - time) / 1000, {
    'X-RateLimit-Limit': String(max),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil(endMs / 1000)),
  });
}

function keyOf(userName: string): string {
  return userName.trim().toLowerCase().slice(0, MAX_NAME_LENGTH);
}
