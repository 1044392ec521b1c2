import { steadyClock } from '../../platform/clock.js';
import { RateLimiter } from '../../http/limits/rate-limit.js';
import { IncomingMail, type MailPace } from '../../organization/incoming-mail/incoming-mail.js';
import { MailAddresses } from '../../organization/mail/mail-addresses.js';
import type { Runtime } from '../../organization/state/transaction.js';
import type { NodeParts } from '../nodes/node-parts.js';

/** Mails to channels, all together: whoever has an address may be a program that never stops. */
const CHANNEL_RULES = [
  { max: 50, seconds: 60 },
  { max: 120, seconds: 300 },
  { max: 600, seconds: 3600 },
];
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

/** Counts in memory. */
function paceOf(): MailPace {
  const now = (): number => steadyClock.now();
  const channels = new RateLimiter<number>(CHANNEL_RULES, now);
  const replies = new RateLimiter<number>(REPLY_RULES, now);
  return {
    consume: (target) => {
      if (target.kind === 'channel') channels.consume(ALL_CHANNELS);
      else replies.consume(target.userId);
    },
  };
}
