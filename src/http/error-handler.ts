import { ApiError, damagedDocument, internalError, storeUnavailable } from '../errors.js';
import { DamagedError, StoreUnavailableError } from '../store/port.js';
import { replyError } from './json-envelope.js';
import type { Exchange } from './exchange.js';

/** The part of a pino logger the HTTP layer uses. */
export interface Log {
  error(context: object, message: string): void;
}

/**
 * Where every error of a request ends. Refusals go to the client as they are. Anything else is a fault
 * of ours: it is logged under an id, and the client gets a 500 that tells only that id, in a header.
 */
export class ErrorHandler {
  constructor(
    private readonly log: Log,
    private readonly newId: () => string,
  ) {}

  fail(exchange: Exchange, error: unknown): void {
    replyError(exchange, this.refusal(exchange, error));
  }

  /** What the client may be told of an error. */
  refusal(exchange: Exchange, error: unknown): ApiError {
    // No fault of ours, and told to the operator once by whoever commits.
    if (error instanceof StoreUnavailableError) return storeUnavailable();
    if (error instanceof ApiError) return error;
    const id = this.newId();
    const { method, path } = exchange;
    const isDamage = error instanceof DamagedError;
    const what = isDamage ? 'a request met damage in the store' : 'unexpected fault in a request';
    this.log.error({ err: error, error_id: id, method, path }, what);
    const { status, code, message } = isDamage ? damagedDocument(error.subject) : internalError();
    return new ApiError(status, code, message, {}, { 'X-Error-Id': id });
  }
}
