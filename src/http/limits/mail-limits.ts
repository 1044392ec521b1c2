import { steadyClock } from '../../platform/clock.js';
import type { MailLimiter } from '../../resources/kernel/limiters.js';
import { RateLimiter } from './rate-limit.js';
import { addressKey } from '../../services/auth/address-key.js';

const HOUR = 3600;
const DAY = 86_400;

/** The rules of requests.md#rate-limits. */
const MAIL_RULES = {
  mails: [{ max: 5, seconds: DAY }],
  // An office or a class joins from one address; each keeps a link for a day.
  joins: [
    { max: 60, seconds: HOUR },
    { max: 200, seconds: DAY },
  ],
  passwordResets: [
    { max: 2, seconds: HOUR },
    { max: 5, seconds: DAY },
  ],
  emailChanges: [
    { max: 2, seconds: HOUR },
    { max: 5, seconds: DAY },
  ],
} as const;

/** Counts mails, and joining without them, in memory. @param now milliseconds since 1970 */
export function createMailLimiter(now: () => number = () => steadyClock.now()): MailLimiter {
  const mails = new RateLimiter<string>(MAIL_RULES.mails, now);
  const joins = new RateLimiter<string>(MAIL_RULES.joins, now);
  const resets = new RateLimiter<string>(MAIL_RULES.passwordResets, now);
  const changes = new RateLimiter<number>(MAIL_RULES.emailChanges, now);
  return {
    mailFrom: (address) => void mails.consume(addressKey(address)),
    joinFrom: (address) => void joins.consume(addressKey(address)),
    passwordReset(email, address) {
      const key = email.trim().toLowerCase().slice(0, 320);
      // A request that one limit refuses does not count for the other.
      resets.check(key);
      mails.consume(addressKey(address));
      resets.consume(key);
    },
    emailChange: (userId) => void changes.consume(userId),
  };
}
