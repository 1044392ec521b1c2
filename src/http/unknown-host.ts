import { notFound, serviceUnavailable, type ApiError } from '../errors/index.js';
import { isForPeople, replyHealth } from './dispatcher.js';
import type { ErrorHandler } from './error-handler.js';
import { showLastPage } from './files/html-pages.js';
import type { Health } from './health.js';
import type { ExchangeSite } from './reply/exchange-parts.js';
import type { Exchange } from './reply/exchange.js';
import type { ReplyCounts } from './reply/reply-counts.js';

/** The longest name in a line of the log: as of DNS. */
const MAX_SHOWN = 253;

/** What answers where no organization does: `/health`, which load balancers ask for, and a refusal of all else. */
export abstract class NobodyThere implements ExchangeSite<Exchange> {
  readonly organization: string | null = null;
  /** Of no organization: what waits here has turns as one of them. */
  readonly number = -1;
  readonly troubles = null;

  /** @param otherCounts counts the requests of all such names */
  constructor(
    readonly otherCounts: ReplyCounts,
    private readonly faults: ErrorHandler,
    private readonly isDraining: () => boolean,
  ) {}

  protected abstract readonly health: Health;
  protected abstract refusal(): ApiError;

  /** @throws ApiError */
  dispatch(exchange: Exchange): void {
    if (exchange.path !== '/health') throw this.refusal();
    const state = this.isDraining() ? 'draining' : this.health;
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

/**
 * UnknownHost answers requests whose host name no organization has: with 404, whatever they ask for, so that nobody learns
 * which names exist. Only `/health`, which load balancers ask for by an address, is answered for the process.
 */
export class UnknownHost extends NobodyThere {
  /** For the log: what is in no host name is shown as `?`. */
  readonly asked: string;
  protected readonly health = 'ready';

  /** @param asked the host name of a request */
  constructor(asked: string, ...parts: ConstructorParameters<typeof NobodyThere>) {
    super(...parts);
    this.asked = asked.slice(0, MAX_SHOWN).replaceAll(/[^\w.:[\]-]/g, '?');
  }

  protected refusal(): ApiError {
    return notFound();
  }
}

/** AsleepHost answers for an organization that is not in memory: its `/health`, and what must not bring it. */
export class AsleepHost extends NobodyThere {
  protected readonly health = 'asleep';

  /** @param why the organization is not brought; null: it was not asked to be */
  constructor(
    private readonly why: ApiError | null,
    ...parts: ConstructorParameters<typeof NobodyThere>
  ) {
    super(...parts);
  }

  protected refusal(): ApiError {
    return this.why ?? serviceUnavailable('The organization is asleep');
  }
}
