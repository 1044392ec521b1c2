import {
  ApiError,
  damagedDocument,
  filesUnavailable,
  internalError,
  noProcess,
  restsOnState,
  storeUnavailable,
} from '../errors/index.js';
import { DamagedError, isOutage } from '../store/port.js';
import { replyError } from './reply/json-reply.js';
import { safePath } from './request-log.js';
import { atMostMsSince } from './reply/reply-counts.js';
import type { Exchange } from './reply/exchange.js';
import { onceSettled } from '../turns/background.js';

/** What the operating system says of a disk that is full, fails, or may not be written, and of too many open files. */
const DISK_CODES: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE'],
]);

/** Whether an uploaded file could not be kept or read for a reason that the operator can remove. */
function isOfDisk(error: unknown): boolean {
  return error instanceof Error && DISK_CODES.has((error as NodeJS.ErrnoException).code);
}

/** What the operating system says where it gives no further process, thread or memory. */
const SYSTEM_CODES: ReadonlySet<unknown> = new Set(['EAGAIN', 'ENOMEM', 'ERR_WORKER_INIT_FAILED']);

/** Whether a process or thread that the request needs could not be started. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall?.startsWith('spawn') === true || SYSTEM_CODES.has(code);
}

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
    this.refuse(exchange, this.refusal(exchange, error), (refusal) => {
      exchange.code = refusal.code;
      if (!exchange.site.page(exchange, refusal)) replyError(exchange, refusal);
    });
  }

  /**
   * Sends a refusal once everything that it may rest on is durable, as other replies (architecture.md#durability): at
   * once where nothing is in flight. What was taken back makes it a 503.
   * @param send called in the same step where it need not wait
   */
  refuse(exchange: Exchange, refusal: ApiError, send: (refusal: ApiError) => void): void {
    const waits = restsOnState(refusal) && !exchange.settled;
    const durable = waits ? this.restingOn(exchange) : null;
    if (durable === null) {
      send(refusal);
      return;
    }
    exchange.keepHeaders();
    // Nothing else that happens to the request meanwhile, such as the rest of its body, may go on with it.
    const unclaim = exchange.claim();
    const end = (final: ApiError): void => {
      if (unclaim()) send(final);
    };
    onceSettled(
      durable,
      () => end(refusal),
      (error) => end(this.refusal(exchange, error)),
    );
  }

  /**
   * Null where everything is durable that an answer to a request may rest on, else resolves when it is.
   * @throws ApiError 503 when some of it was taken back meanwhile, or the store fails
   */
  durableFor({ site, start }: Pick<Exchange, 'site' | 'start'>): Promise<void> | null {
    return site.onceDurable(atMostMsSince(start));
  }

  /** What a refusal waits for: of a change that somebody asked for, also until it is known who leads. */
  private restingOn(exchange: Exchange): Promise<void> | null {
    const durable = this.durableFor(exchange);
    if (exchange.isReading || exchange.user === null) return durable;
    if (durable === null) return exchange.site.onceConfirmed();
    return durable.then(() => exchange.site.onceConfirmed() ?? undefined);
  }

  /** The refusal that the client gets for an error. */
  refusal(exchange: Exchange, error: unknown): ApiError {
    // Not a fault of the server; the committer reports it to the operator once.
    if (error instanceof ApiError) return error;
    if (isOutage(error)) return storeUnavailable();
    const id = exchange.reservedId || this.newId();
    const { method, user, site } = exchange;
    const of = site.organization === null ? {} : { organization: site.organization };
    const path = safePath(exchange.path);
    exchange.requestId = id;
    const isDamage = error instanceof DamagedError;
    const isSystem = isOfSystem(error);
    const isDisk = !isSystem && isOfDisk(error);
    let what = 'unexpected fault in a request';
    if (isDamage) what = 'a request met damage in the store';
    if (isDisk) what = 'a file could not be kept or read';
    if (isSystem) what = 'a process or thread could not be started: raise the limit of processes';
    const from = exchange.settled ? undefined : exchange.remoteAddress;
    this.log.error({ ...of, err: error, error_id: id, method, path, user, from }, what);
    if (isDisk) return filesUnavailable();
    if (isSystem) return noProcess();
    return isDamage ? damagedDocument(error.subject, id) : internalError(id);
  }
}
