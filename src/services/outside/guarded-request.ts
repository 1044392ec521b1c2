import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { httpRequest, httpsRequest } from '../../platform/network.js';
import { ClosedAddressError, type ReachableAddresses } from './reachable-addresses.js';
import { onceSettled } from '../../turns/background.js';

/** Answers such as 103 before the one that counts; servers send one or two. */
const MAX_PRELIMINARY = 10;

/** Ports below are those of mail, remote shells and the like, whose servers might take a request for something else. */
const FIRST_FREE_PORT = 1024;

/** What is sent beside the address. */
interface Sent {
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/**
 * Sends one request to an address that somebody chose, if it is reachable; follows no redirect.
 * @throws ClosedAddressError, Error
 */
export async function guardedRequest(
  addresses: ReachableAddresses,
  url: URL,
  { method, headers, body }: Sent,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol)) throw new Error('Only http and https addresses are called');
  const port = Number(url.port || 443);
  if (port < FIRST_FREE_PORT && port !== 80 && port !== 443) {
    throw new ClosedAddressError('The port is not one of the web');
  }
  const found = await withSignal(addresses.addressesOf(url.hostname, signal), signal);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers,
        signal,
        agent: false,
        // The name is not resolved again: the connection goes to addresses that were checked.
        lookup: (_host, options, done) => {
          if (options.all) done(null, [...found]);
          else done(null, found[0]!.address, found[0]!.family);
        },
      },
      resolve,
    );
    sent.on('error', reject);
    let preliminary = 0;
    sent.on('information', () => {
      preliminary += 1;
      if (preliminary > MAX_PRELIMINARY) sent.destroy(new Error('Too many preliminary answers'));
    });
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('The address speaks another protocol'));
    });
    // However the connection ended: whoever waits has a place that others need.
    sent.on('close', () => reject(new Error('The connection ended without an answer')));
    sent.end(body);
  });
}

async function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error('The address did not answer in time'));
    signal.addEventListener('abort', late, { once: true });
    onceSettled(work, resolve, reject);
  });
}
