import { steadyClock } from '../../platform/clock.js';
import { RateLimiter } from '../../http/limits/rate-limit.js';
import { IncomingMail, type MailPace } from '../../organization/incoming-mail/incoming-mail.js';
import { MailAddresses } from '../../organization/mail/mail-addresses.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { NodeParts } from '../node-parts.js';

/** Mails to channels, all together: whoever has an address may be a program that never stops. */
const CHANNEL_RULES = [
  { max: 50, seconds: 60 },
  { max: 120, seconds: 300 },
  { max: 600, seconds: 3600 },
];
/** Of them those to one channel: half, so that who floods one does not refuse mails to the others. */
const CHANNEL_SHARE = CHANNEL_RULES.map(({ max, seconds }) => ({ max: max / 2, seconds }));
/** Answers of one person. */
const REPLY_RULES = [
  { max: 20, seconds: 60 },
  { max: 200, seconds: 3600 },
];

const ALL_CHANNELS = 0;

/** What makes messages of mails; null where no address takes any. */
export function incomingMailOf(runtime: Runtime, parts: NodeParts): IncomingMail | null {
  const { config, blobs, log, linkKeys, markdown, mailReader, mailCounts, troubles } = parts;
  const pattern = config.incomingMailAddress;
  if (pattern === null) return null;
  return new IncomingMail(runtime, {
    addresses: new MailAddresses(pattern, linkKeys),
    reader: mailReader,
    counts: mailCounts,
    markdown,
    blobs,
    removeFiles: (keys) => {
      for (const key of keys) {
        blobs.delete(key).catch((error: unknown) => {
          log.error({ err: error }, 'a file could not be removed');
        });
      }
    },
    pace: config.rateLimit ? paceOf() : { consume: () => undefined },
    log,
    failed: (error) => troubles.failed('incoming mail', error),
  });
}

/** Counts in memory. @param now milliseconds since 1970 */
export function paceOf(now: () => number = () => steadyClock.now()): MailPace {
  const channels = new RateLimiter<number>(CHANNEL_RULES, now);
  const shares = new RateLimiter<number>(CHANNEL_SHARE, now);
  const replies = new RateLimiter<number>(REPLY_RULES, now);
  return {
    consume: (target) => {
      if (target.kind === 'reply') replies.consume(target.userId);
      else {
        // What one limit refuses does not count for the other.
        channels.check(ALL_CHANNELS);
        shares.consume(target.channelId);
        channels.consume(ALL_CHANNELS);
      }
    },
  };
}
