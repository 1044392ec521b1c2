import { wallTime } from '../../platform/time.js';
import { lruOfEntries } from '../../platform/lru.js';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitHit } from '../../errors/index.js';
import type { LoginLimiter } from '../../resources/kernel/limiters.js';

/**
 * Most user names tracked. The library keeps a record and a timer for each name until its window ends;
 * beyond this number the least recently used name is evicted together with both.
 */
const MAX_NAMES = 10_000;

/**
 * Longest name compared, the maximum of e-mail addresses; longer names with the same beginning share a
 * count.
 */
const MAX_NAME_LENGTH = 320;

/** The rule of requests.md#rate-limits. */
const LOGIN_RULE = { max: 5, seconds: 1800 } as const;

/** Counts login attempts by user name, in memory. Names compare without case, as in the login itself. */
export function createLoginLimiter(
  rule: { readonly max: number; readonly seconds: number } = LOGIN_RULE,
): LoginLimiter {
  const attempts = new RateLimiterMemory({ points: rule.max, duration: rule.seconds });
  const names = lruOfEntries<string, true>(MAX_NAMES, {
    dispose: (_value, name) => void attempts.delete(name),
  });
  return {
    async attempt(userName) {
      const name = keyOf(userName);
      if (!names.get(name)) names.set(name, true);
      try {
        await attempts.consume(name);
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused;
        throw tooManyAttempts(rule.max, refused.msBeforeNext);
      }
    },
    async succeeded(userName) {
      names.delete(keyOf(userName));
    },
  };
}

function tooManyAttempts(max: number, msBeforeNext: number) {
  return rateLimitHit(Math.ceil(msBeforeNext) / 1000, {
    'X-RateLimit-Limit': String(max),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(Math.ceil((wallTime() + msBeforeNext) / 1000)),
  });
}

function keyOf(userName: string): string {
  return userName.trim().toLowerCase().slice(0, MAX_NAME_LENGTH);
}
