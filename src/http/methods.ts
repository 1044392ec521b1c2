/** What methods may be used with a path. */
import { methodNotAllowed } from '../errors.js';
import type { Exchange } from './exchange.js';
import { POSITION } from './forwarding/internal-headers.js';

/** How long browsers may remember what `OPTIONS` allowed, seconds: the longest that Chromium keeps it. */
const REMEMBERED_SECONDS = 7200;

/** Answers `OPTIONS`: pages of all origins may call, with credentials that their scripts add. */
export function replyOptions(exchange: Exchange, methods: readonly string[]): void {
  const allowed = methods.join(', ');
  exchange.replyEmpty({
    Allow: allowed,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allowed,
    'Access-Control-Allow-Headers': `Authorization, Content-Type, Last-Event-ID, ${POSITION}`,
    'Access-Control-Max-Age': String(REMEMBERED_SECONDS),
    'X-Content-Type-Options': 'nosniff',
  });
}

/** @throws ApiError for a method that changes something */
export function refuseUnlessRead({ method }: Exchange): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
}
