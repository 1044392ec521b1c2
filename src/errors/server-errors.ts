import { ApiError, type ErrorFields, type ErrorCode } from './api-error.js';

/** Draining, starting, or the store does not answer: clients retry the same queue (requests.md#bodies-sizes-faults). */
export function serviceUnavailable(message: string, retryAfterSeconds = 1): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new ApiError(503, 'SERVICE_UNAVAILABLE', message, {}, headers);
}

/** The store does not answer, or does not take commits (requests.md#bodies-sizes-faults). @param reason that clients may know */
export function storeUnavailable(reason?: string): ApiError {
  const message = 'The store is not available';
  return serviceUnavailable(reason === undefined ? message : `${message}: ${reason}`);
}

/** The place of uploaded files does not answer, or refuses (limits.md#busy). */
export function filesUnavailable(): ApiError {
  return serviceUnavailable('Uploaded files are not available');
}

/** The system gives no process or thread for the request (limits.md#busy). */
export function noProcess(): ApiError {
  return serviceUnavailable('The server cannot start another process');
}

/** A refusal that another node replied with, as it was there. */
export function refusalOfNode(status: number, body: ErrorFields): ApiError {
  return new ApiError(status, body.code as ErrorCode, String(body.msg), body);
}

/** An unexpected fault; nothing internal reaches the client. */
export function internalError(errorId: string, message = 'Internal server error'): ApiError {
  return new ApiError(500, 'INTERNAL_ERROR', message, {}, { 'X-Error-Id': errorId });
}

/** What the request needs is not in the store as it was written; the operator's log says more. */
export function damagedDocument(subject: string, errorId: string): ApiError {
  return internalError(errorId, `The stored ${subject} is damaged`);
}
