/** What methods may be used with a path. */
import { methodNotAllowed } from '../errors.js';
import type { Exchange } from './exchange.js';

/** @throws ApiError for a method that changes something */
export function refuseUnlessRead({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
}
