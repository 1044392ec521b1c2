import type { Exchange } from '../exchange.js';
import { CLIENT, NODE_KEY } from './internal-headers.js';

/**
 * The head of a request as the leader gets it: with the headers that `RequestHead` and handlers of writing
 * requests read, so that it is decided there as if the client had sent it there.
 * @param key of the nodes
 * @param bytes length of the body
 */
export function forwardedHead(exchange: Exchange, key: string, bytes: number): string {
  const { method, path, query, browser } = exchange;
  const lines = [
    `${method} ${query === '' ? path : `${path}?${query}`} HTTP/1.1`,
    `Host: ${browser?.host || 'parley'}`,
    `${NODE_KEY}: ${key}`,
    `${CLIENT}: ${exchange.remoteAddress} ${exchange.protocol ?? '-'}`,
  ];
  const add = (name: string, value: string): void => {
    if (value !== '') lines.push(`${name}: ${value}`);
  };
  add('Authorization', exchange.authorization);
  add('User-Agent', exchange.userAgent);
  add('Accept', exchange.accept);
  add('Accept-Encoding', exchange.acceptEncoding);
  add('Origin', browser?.origin ?? '');
  add('Sec-Fetch-Site', browser?.fetchSite ?? '');
  add('Content-Type', exchange.contentType);
  // A body of no bytes is another request than none.
  const isEmpty = exchange.hasBody && bytes === 0;
  lines.push(isEmpty ? 'Transfer-Encoding: chunked\r\n\r\n0' : `Content-Length: ${bytes}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
