import { notFound, type ApiError } from '../errors/index.js';
import { isForPeople, replyHealth } from './dispatcher.js';
import type { ErrorHandler } from './error-handler.js';
import { showLastPage } from './files/html-pages.js';
import type { ExchangeSite } from './reply/exchange-parts.js';
import type { Exchange } from './reply/exchange.js';
import type { ReplyCounts } from './reply/reply-counts.js';

/** The longest name in a line of the log: as of DNS. */
const MAX_SHOWN = 253;

/**
 * UnknownHost answers requests whose host name no organization has: with 404, whatever they ask for, so that nobody learns
 * which names exist. Only `/health`, which load balancers ask for by an address, is answered for the process.
 */
export class UnknownHost implements ExchangeSite<Exchange> {
  /** For the log: what is in no host name is shown as `?`. */
  readonly asked: string;
  readonly organization = null;
  /** Of no organization: what waits here has turns as one of them. */
  readonly number = -1;
  readonly troubles = null;

  /**
   * @param asked the host name of a request
   * @param otherCounts counts the requests of all such names
   */
  constructor(
    asked: string,
    readonly otherCounts: ReplyCounts,
    private readonly faults: ErrorHandler,
    private readonly isDraining: () => boolean,
  ) {
    this.asked = asked.slice(0, MAX_SHOWN).replaceAll(/[^\w.:[\]-]/g, '?');
  }

  /** @throws ApiError 404 */
  dispatch(exchange: Exchange): void {
    if (exchange.path !== '/health') throw notFound();
    const state = this.isDraining() ? 'draining' : 'ready';
    replyHealth(exchange, state, undefined, this.faults);
  }

  page(exchange: Exchange, refusal: ApiError): boolean {
    if (!isForPeople(exchange)) return false;
    showLastPage(exchange, refusal);
    return true;
  }

  position(): null {
    return null;
  }

  onceDurable(): null {
    return null;
  }

  onceConfirmed(): null {
    return null;
  }
}
