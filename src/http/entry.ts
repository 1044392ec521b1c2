import { ambiguousRequest } from '../errors/index.js';
import { inNextRound } from '../turns/next-round.js';
import { countRead, isLongRound } from '../turns/read-rounds.js';
import type { ErrorHandler } from './error-handler.js';
import type { Exchange } from './reply/exchange.js';
import { ticks, ticksSince } from './reply/reply-counts.js';

/** Serves an exchange that is for a site. */
export type Work<Site> = (exchange: Exchange, site: Site) => void;

/**
 * Serves a request within its native callback, as far as the round of the event loop has time for it. A client may send
 * thousands in one segment, of which the native layer passes on the next one whenever one is answered; while one waits, it
 * closes the connection. So what is answered at once counts for the round, and a round that has answered for long answers
 * no more.
 */
export function enterWith<Site>(
  exchange: Exchange,
  site: Site,
  faults: ErrorHandler,
  work: Work<Site>,
): void {
  try {
    if (exchange.isAmbiguous) refuseAmbiguous(exchange, faults);
    else if (!isLongRound(exchange.start)) work(exchange, site);
    else if (exchange.hasBody) enterWithBody(exchange, site, work);
    else beginLater(exchange, site, faults, work);
  } catch (error) {
    if (isLongRound(exchange.start)) failLater(exchange, faults, error);
    else faults.fail(exchange, error);
  } finally {
    exchange.leaveEntry();
    const { start, took, settled } = exchange;
    if (settled) countRead(start, took || ticksSince(start));
  }
}

/**
 * Refuses a request whose end is ambiguous. The answer comes in the next round of the event loop (see
 * {@link inNextRound}): what the native layer takes for the next request of the same segment is then not carried out.
 */
function refuseAmbiguous(exchange: Exchange, faults: ErrorHandler): void {
  exchange.closeAfterReply();
  inNextRound(() => faults.fail(exchange, ambiguousRequest()));
}

/** What has a body begins in its callback, as its bytes would be lost. What only reads is answered there: it closes then. */
function enterWithBody<Site>(exchange: Exchange, site: Site, work: Work<Site>): void {
  if (exchange.isReading) exchange.closeAfterReply();
  work(exchange, site);
}

function beginLater<Site>(
  exchange: Exchange,
  site: Site,
  faults: ErrorHandler,
  work: Work<Site>,
): void {
  exchange.keepHeaders();
  const begin = (): void => {
    if (exchange.settled) return;
    exchange.begun = ticks();
    try {
      work(exchange, site);
    } catch (error) {
      faults.fail(exchange, error);
    }
  };
  inNextRound(begin, exchange.account);
}

function failLater(exchange: Exchange, faults: ErrorHandler, error: unknown): void {
  exchange.keepHeaders();
  inNextRound(() => faults.fail(exchange, error), exchange.account);
}
