import { bound } from './bound.js';
import type { Network } from './platform.js';

/* Connections, listeners and names, as `Platform` says. */

/** A function with all its forms, of the platform that is bound when it is called. */
function bind<K extends keyof Network>(name: K): Network[K] {
  type Call = Record<K, (...args: unknown[]) => unknown>;
  return ((...args: unknown[]) =>
    (bound().network as unknown as Call)[name](...args)) as Network[K];
}

export const connect = bind('connect');
export const createServer = bind('createServer');
export const httpRequest = bind('httpRequest');
export const httpGet = bind('httpGet');
export const httpsRequest = bind('httpsRequest');
export const createHttpServer = bind('createHttpServer');
export const httpAgent = bind('httpAgent');
export const httpsAgent = bind('httpsAgent');
export const connectHttp2 = bind('connectHttp2');
export const lookup = bind('lookup');
export const resolver = bind('resolver');
export const fetch = bind('fetch');
