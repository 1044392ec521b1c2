import { ApiError, damagedDocument, internalError, storeUnavailable } from '../errors.js';
import { DamagedError, isStoreAway } from '../store/port.js';
import { replyError } from './json-reply.js';
import { safePath } from './request-log.js';
import type { Exchange } from './exchange.js';

/** The part of a pino logger that the HTTP layer uses. */
export interface Log {
  error(context: object, message: string): void;
}

/**
 * ErrorHandler answers requests that failed. Refusals go to the client as they are. Any other error is a
 * fault of the server: it is logged under an id, and the client gets a 500 with nothing but this id, in a
 * header.
 */
export class ErrorHandler {
  constructor(
    private readonly log: Log,
    private readonly newId: () => string,
  ) {}

  fail(exchange: Exchange, error: unknown): void {
    const refusal = this.refusal(exchange, error);
    exchange.code = refusal.code;
    replyError(exchange, refusal);
  }

  /** The refusal that the client gets for an error. */
  refusal(exchange: Exchange, error: unknown): ApiError {
    // Not a fault of the server; the committer reports it to the operator once.
    if (error instanceof ApiError) return error;
    if (isStoreAway(error)) return storeUnavailable();
    const id = exchange.reservedId || this.newId();
    const { method, user } = exchange;
    const path = safePath(exchange.path);
    exchange.requestId = id;
    const isDamage = error instanceof DamagedError;
    const what = isDamage ? 'a request met damage in the store' : 'unexpected fault in a request';
    const from = exchange.settled ? undefined : exchange.remoteAddress;
    this.log.error({ err: error, error_id: id, method, path, user, from }, what);
    return isDamage ? damagedDocument(error.subject, id) : internalError(id);
  }
}
