import type { IncomingMessage } from 'node:http';
import { timeoutSignal } from '../../platform/timers.js';
import { boundedBody } from './bounded-body.js';
import { guardedRequest } from './guarded-request.js';
import { ClosedAddressError, type ReachableAddresses } from './reachable-addresses.js';
import { webAddress } from './web-address.js';

/** One file or page, redirects included, milliseconds: nobody looks at a message for longer before it is whole. */
const TIMEOUT_MS = 8000;
/** Shorteners and sign-ins redirect two or three times. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What is asked for. */
export interface Wanted {
  /** The header. */
  readonly accept: string;
  readonly takes: (mediaType: string) => boolean;
  readonly maxBytes: number;
  /** Whether the beginning is enough of what is larger; otherwise that is refused. */
  readonly isPartEnough: boolean;
}

/** What an address answered. */
export interface Fetched {
  /** Where it was in the end. */
  readonly url: URL;
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** Empty where none is named. */
  readonly charset: string;
  readonly body: Buffer;
}

/** Fetches what people linked. @throws Error saying why there is nothing */
export type GuardedGet = (address: string, wanted: Wanted) => Promise<Fetched>;

/** Dependencies of {@link guardedGet}. */
interface GuardedGetOptions {
  readonly addresses: ReachableAddresses;
  /** Origin of this server, which does not ask itself. */
  readonly ownOrigin: string;
  readonly timeoutMs?: number;
}

/**
 * Fetches from reachable addresses only, those of redirects included; without cookies and credentials, nothing
 * compressed, bounded in time and size.
 */
export function guardedGet({
  addresses,
  ownOrigin,
  timeoutMs = TIMEOUT_MS,
}: GuardedGetOptions): GuardedGet {
  return async (address, wanted) => {
    const signal = timeoutSignal(timeoutMs);
    const headers = {
      Accept: wanted.accept,
      // What is small when it comes cannot be large when it is read.
      'Accept-Encoding': 'identity',
      'User-Agent': 'Mozilla/5.0 (compatible; ParleyLinkPreview/1.0)',
    };
    let url = checked(webAddress(address), ownOrigin);
    for (let redirects = 0; ; redirects++) {
      const response = await guardedRequest(addresses, url, { method: 'GET', headers }, signal);
      const { location } = response.headers;
      if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) {
        return { url, ...(await read(response, wanted)) };
      }
      response.destroy();
      if (redirects >= MAX_REDIRECTS) throw new Error('Too many redirects');
      url = checked(webAddress(location, url.href), ownOrigin);
    }
  };
}

/** @throws ClosedAddressError for an address that is not asked */
function checked(url: URL | null, ownOrigin: string): URL {
  if (!url) throw new ClosedAddressError('The address is not one of the web');
  if (url.origin === ownOrigin) throw new ClosedAddressError('The address is of this server');
  return url;
}

async function read(response: IncomingMessage, wanted: Wanted): Promise<Omit<Fetched, 'url'>> {
  try {
    const { headers, statusCode = 0 } = response;
    const [mediaType = '', ...parameters] = (headers['content-type'] ?? '')
      .toLowerCase()
      .split(';');
    if (statusCode !== 200) throw new Error(`The address answered ${statusCode}`);
    if (!wanted.takes(mediaType.trim())) throw new Error('The media type is not one that is shown');
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new Error('The answer is compressed');
    }
    if (!wanted.isPartEnough && Number(headers['content-length'] ?? 0) > wanted.maxBytes) {
      throw new Error('The answer is too long');
    }
    const charset = parameters.map((one) => /^\s*charset="?([\w.:-]{1,40})/.exec(one)?.[1]);
    return {
      mediaType: mediaType.trim(),
      charset: charset.find((one) => one !== undefined) ?? '',
      body: await boundedBody(response, wanted),
    };
  } finally {
    response.destroy();
  }
}
