import { POSITION } from './forwarding/internal-headers.js';

/** Headers of replies that scripts of other origins may read, besides those that they always may. */
export const EXPOSED = [
  POSITION,
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
].join(', ');

/** Status lines with reason phrases: the native layer takes the whole line. */
export const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  206: '206 Partial Content',
  302: '302 Found',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  413: '413 Payload Too Large',
  415: '415 Unsupported Media Type',
  416: '416 Range Not Satisfiable',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** Statuses whose replies end with their head. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}
