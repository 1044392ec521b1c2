import { serviceUnavailable, type ApiError } from '../errors.js';

/**
 * Whether the rest of the program can serve requests: `starting` before it can for the first time,
 * `follower` while another process serves the organization, `unavailable` while the store is away,
 * `read_only` while it takes no writes (full, failing, without its replicas) and reads and polls go on.
 */
export type Health = 'ready' | 'read_only' | 'starting' | 'follower' | 'unavailable' | 'draining';

/** Whether requests are served in such a state. */
export function isServing(health: Health): boolean {
  return health === 'ready' || health === 'read_only';
}

const REFUSALS: Readonly<Record<Health, string>> = {
  ready: 'Server is starting',
  read_only: 'Server is starting',
  starting: 'Server is starting',
  follower: 'Server is a follower: another process serves this organization',
  unavailable: 'The store is not available',
  draining: 'Server is draining',
};

/** The refusal of requests in a state other than ready (requests.md#bodies-sizes-faults). */
export function refusalOf(health: Health): ApiError {
  return serviceUnavailable(REFUSALS[health]);
}

/** What `/health` answers in such a state, with status 503: the same refusal, which names the state. */
export function healthRefusal(status: Health) {
  const error = refusalOf(status);
  return { headers: error.headers, body: JSON.stringify({ ...error.body(), status }) + '\n' };
}
