import { ApiError } from '../errors.js';
import { StoreUnavailableError } from './port.js';

/**
 * Whether an error says no more than that the store does not answer now: nobody's fault, reported once by whoever
 * commits, and waiting may help. A commit that was refused because of an earlier one has that one as its cause.
 */
export function isStoreAway(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  if (error instanceof StoreUnavailableError) return true;
  return error instanceof Error && error.cause instanceof StoreUnavailableError;
}
