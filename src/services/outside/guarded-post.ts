import { timeoutSignal } from '../../platform/timers.js';
import { boundedBody, UnfitAnswerError } from './bounded-body.js';
import { guardedRequest } from './guarded-request.js';
import type { ReachableAddresses } from './reachable-addresses.js';

/** One attempt, redirects included, milliseconds. */
const TIMEOUT_MS = 10_000;
/** A reply says at most a message of 10,000 characters, escaped. */
const BOUNDS = { maxBytes: 128 * 1024, isPartEnough: false };
const MAX_REDIRECTS = 3;
/** Redirects that keep method and body; others would make another request of it. */
const KEEPING_REDIRECTS: ReadonlySet<number> = new Set([307, 308]);

/** What an address of a user answered. */
export interface PostReply {
  readonly status: number;
  readonly text: string;
}

/** Posts to addresses that users chose. @throws Error where there is no whole answer in time */
export type GuardedPost = (url: string, mediaType: string, body: string) => Promise<PostReply>;

/** Posts to reachable addresses only, those of redirects included; bounded in time and size. */
export function guardedPost(addresses: ReachableAddresses, timeoutMs = TIMEOUT_MS): GuardedPost {
  return async (url, mediaType, body) => {
    const signal = timeoutSignal(timeoutMs);
    let target = new URL(url);
    for (let redirects = 0; ; redirects++) {
      const headers = {
        'Content-Type': mediaType,
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'ZulipOutgoingWebhook/2.0',
      };
      const sent = { method: 'POST', headers, body } as const;
      const response = await guardedRequest(addresses, target, sent, signal);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (!KEEPING_REDIRECTS.has(status) || location === undefined) {
        return { status, text: (await boundedBody(response, BOUNDS)).toString('utf8') };
      }
      response.destroy();
      if (redirects >= MAX_REDIRECTS) throw new UnfitAnswerError('Too many redirects');
      target = new URL(location, target);
    }
  };
}
