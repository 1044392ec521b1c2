import {
  ApiError,
  damagedDocument,
  filesUnavailable,
  internalError,
  noProcess,
  storeUnavailable,
} from '../errors/index.js';
import { DamagedError, isOutage } from '../store/port.js';
import { replyError } from './reply/json-reply.js';
import { safePath } from './request-log.js';
import type { Exchange } from './reply/exchange.js';

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
  /** Answers people who opened an address outside the API with a page; false where a program asks. */
  page: (exchange: Exchange, refusal: ApiError) => boolean = () => false;

  constructor(
    private readonly log: Log,
    private readonly newId: () => string,
  ) {}

  fail(exchange: Exchange, error: unknown): void {
    const refusal = this.refusal(exchange, error);
    exchange.code = refusal.code;
    if (!this.page(exchange, refusal)) replyError(exchange, refusal);
  }

  /** The refusal that the client gets for an error. */
  refusal(exchange: Exchange, error: unknown): ApiError {
    // Not a fault of the server; the committer reports it to the operator once.
    if (error instanceof ApiError) return error;
    if (isOutage(error)) return storeUnavailable();
    const id = exchange.reservedId || this.newId();
    const { method, user } = exchange;
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
    this.log.error({ err: error, error_id: id, method, path, user, from }, what);
    if (isDisk) return filesUnavailable();
    if (isSystem) return noProcess();
    return isDamage ? damagedDocument(error.subject, id) : internalError(id);
  }
}
