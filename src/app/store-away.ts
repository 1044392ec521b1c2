import { ApiError } from '../errors.js';
import { StoreUnavailableError } from '../store/port.js';
import { MissingOrganizationError } from './first-start.js';

/** Whether an attempt failed because the store is away or without its organization, so that waiting may help. */
export function isAway(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  if (error instanceof StoreUnavailableError || error instanceof MissingOrganizationError)
    return true;
  return error instanceof Error && error.cause instanceof StoreUnavailableError;
}
