import { notFound, type ApiError } from '../errors/index.js';
import { isForPeople, replyHealth } from './dispatcher.js';
import type { ErrorHandler } from './error-handler.js';
import { showLastPage } from './files/html-pages.js';
import type { ExchangeSite } from './reply/exchange-parts.js';
import type { Exchange } from './reply/exchange.js';
import { ReplyCounts } from './reply/reply-counts.js';

/**
 * UnknownHost answers requests whose host name no organization has: with 404, whatever they ask for, so that nobody learns
 * which names exist. Only `/health`, which load balancers ask for by an address, is answered for the process.
 */
export class UnknownHost implements ExchangeSite<Exchange> {
  readonly organization = null;
  /** Of no organization: what waits here has turns as one of them. */
  readonly number = -1;
  readonly troubles = null;
  readonly otherCounts = new ReplyCounts('unknown host');

  constructor(
    private readonly faults: ErrorHandler,
    private readonly isDraining: () => boolean,
  ) {}

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
