import { serviceUnavailable, type ApiError } from '../errors/index.js';
import type { ReplicaCount } from '../store/port.js';

/**
 * Whether the process can serve requests: `starting` before the first time, `follower` while another process serves the
 * organization, `unavailable` without the store, `read_only` while the store accepts no writes (full, failing, without
 * its replicas) and reads and polls continue; `leader_unreachable` on a node that follows and can forward nothing,
 * while reads and polls continue and other nodes can do better; `asleep` where an organization is not in memory, and its next
 * request brings it.
 */
export type Health =
  | 'ready'
  | 'read_only'
  | 'leader_unreachable'
  | 'starting'
  | 'follower'
  | 'unavailable'
  | 'draining'
  | 'asleep';

/** What `/health` tells of a node besides its state. */
export interface NodeHealth {
  /** Null while it serves nothing. */
  readonly role: 'leader' | 'follower' | null;
  /** Its id, another one after each start. */
  readonly node: string;
  /** Id of the node that leads; null while that is not known. */
  readonly leader: string | null;
  /** Position of the newest journal entry that it has; null while it serves nothing. */
  readonly position: number | null;
  /** How long ago it had everything that was durable; 0 on the leader, null while it serves nothing. */
  readonly lag_ms: number | null;
  /** How many replicas of the store have the newest change, of those that must; absent: none must, or that is not known. */
  readonly store_replicas?: ReplicaCount;
  /** Damaged documents that it serves the organization without; absent: none. The log names them. */
  readonly set_aside?: number;
  /** How much of the organization is in memory, while it is being loaded. */
  readonly loaded?: { readonly users: number; readonly messages: number };
}

/** Whether requests are served in this state. */
export function isServing(health: Health): boolean {
  return isHealthy(health) || health === 'leader_unreachable';
}

/** Whether no other node could serve better, and one that sleeps is awake at the next request: what `/health` answers to a load balancer. */
export function isHealthy(health: Health): boolean {
  return health === 'ready' || health === 'read_only' || health === 'asleep';
}

const REFUSALS: Readonly<Record<Health, string>> = {
  ready: 'Server is starting',
  read_only: 'The store is not available',
  leader_unreachable: 'This server does not reach the one that makes changes',
  starting: 'Server is starting',
  follower: 'Server is a follower: another process serves this organization',
  unavailable: 'The store is not available',
  draining: 'Server is draining',
  asleep: 'Server is starting',
};

/** The refusal of requests in a state other than ready (requests.md#bodies-sizes-faults). */
export function refusalOf(health: Health): ApiError {
  return serviceUnavailable(REFUSALS[health]);
}

/** The 503 reply of `/health`: the same refusal, with the state. */
export function healthRefusal(status: Health, node?: NodeHealth) {
  const error = refusalOf(status);
  const body = `${JSON.stringify({ ...error.body(), status, ...node })}\n`;
  return { headers: error.headers, body };
}
