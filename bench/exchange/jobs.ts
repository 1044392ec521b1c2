/** Messages between the coordinator and its load generators (one process each). */
import type { Pace } from './pace.js';

/** One client of a consumer job. */
export interface Seat {
  /** Value of the Authorization header, or empty. */
  readonly authorization: string;
  readonly queueId: string;
  readonly lastEventId: number;
}

export type Dialect = 'parley' | 'socket.io' | 'faye' | 'nchan' | 'mqtt';
/** Long polls, sockets that are pushed to, or server-sent events. */
export type Transport = 'poll' | 'push' | 'stream';
/** Whether each event goes to every client, or event n to client n modulo their number. */
export type Addressing = 'all' | 'one';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Clients that receive events and check that each comes exactly once and in order. */
export interface ConsumerJob {
  readonly role: 'consume';
  readonly server: Address;
  readonly transport: Transport;
  readonly dialect: Dialect;
  readonly addressing: Addressing;
  readonly seats: readonly Seat[];
  /** Number of the first seat among those of all generators. */
  readonly offset: number;
  /** Seats of all generators. */
  readonly total: number;
  /** Lanes of all publishers: only what one of them published has an order. Absent: one. */
  readonly lanes?: number;
  /** How the clients behave; absent: they read at once, and one that breaks stays away. */
  readonly manner?: Manner;
}

export interface Manner {
  /** A client that breaks comes back after a moment, with its cursor. */
  readonly returns: boolean;
  /** Reads one batch of events a second. */
  readonly isSlow: boolean;
}

/**
 * What to request. In `path` and `body`, `{n}` stands for the request's number (from 0), `{mark}` for
 * its mark (six digits), `{value}` for its setting value, `{captured}` for what the account's last
 * reply said, and other names for fields of the account.
 */
export interface RequestPlan {
  /** Of HTTP; or PUBLISH of MQTT, whose topic is `path`. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUBLISH';
  readonly path: string;
  /** Form or JSON text; null for none. */
  readonly body: string | null;
  readonly contentType?: string;
  readonly accounts: readonly RequestAccount[];
  /**
   * Takes the integer after `after` out of each reply; the account that asked uses it the next time,
   * or every account where it is `shared`.
   */
  readonly capture?: { readonly after: string; readonly initial: number; readonly shared: boolean };
}

export interface RequestAccount {
  readonly authorization: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Requests, on a schedule or as fast as a number of them in flight allows. */
export interface RequesterJob {
  readonly role: 'request';
  readonly server: Address;
  readonly plan: RequestPlan;
  /** Request n uses connection n modulo this, and account n modulo theirs. */
  readonly connections: number;
  /** Of several generators with the same plan, this one sends the requests whose number is `index` modulo `of`. */
  readonly share?: { readonly index: number; readonly of: number };
}

export type Job = ConsumerJob | RequesterJob;

/** Events or requests `first` to `first + count - 1`, intended after `startAt` as the pace says. */
export interface OpenRound {
  readonly kind: 'open';
  readonly first: number;
  readonly count: number;
  /** On the machine's clock. */
  readonly startAt: number;
  readonly pace: Pace;
  /** The round fails when it is not complete this long after its last intended time. */
  readonly graceMs: number;
  /** What befalls those who receive meanwhile. */
  readonly mishaps?: Mishaps;
}

/** Times are milliseconds from the beginning of a round. */
export interface Mishaps {
  /** When all clients lose their connections and come back at once. */
  readonly stormsAt: readonly number[];
  /** Share of the clients that vanish without a word during these milliseconds, and come back by another connection. */
  readonly vanishing: number;
  readonly withinMs: number;
}

/** As many requests as fit, one in flight per connection. */
export interface ClosedRound {
  readonly kind: 'closed';
  readonly first: number;
  readonly startAt: number;
  readonly durationMs: number;
}

export type Round = OpenRound | ClosedRound;

/** What one generator saw in one round. */
export interface RoundReport {
  /** Deliveries received, or replies. */
  readonly operations: number;
  /** Bytes received from the server. */
  readonly bytes: number;
  /** Events never received; requests never answered. */
  readonly lost: number;
  /** Requests on a schedule, and those of them that waited for the server before they could be sent. */
  readonly intended: number;
  readonly missed: number;
  /** Events received again or out of order. */
  readonly repeated: number;
  /** Broken connections, unexpected replies: how many of each kind, and the first of them in words. */
  readonly faults: Readonly<Record<string, number>>;
  readonly firstFault: string | null;
  /** Latencies in microseconds from the intended time: HDR histogram, compressed, base64. */
  readonly latencies: string;
  /** By the second of the round. */
  readonly seconds: readonly SecondReport[];
  readonly elapsedMs: number;
  /** CPU time of the generator's process during the round. */
  readonly cpuMs: number;
  /** How late the generator itself was at sending, 99th percentile; 0 for consumers. */
  readonly lateMs: number;
  /** Longest time from a storm to the first event that a client got after it; 0 without a storm. */
  readonly recoveryMs: number;
}

export interface SecondReport {
  readonly operations: number;
  readonly faults: number;
  /** As those of the round, with fewer digits; empty for none. */
  readonly latencies: string;
}

export type ToGenerator =
  | { readonly type: 'job'; readonly job: Job }
  /** `tallyMs`: how often it tells meanwhile how far it is; absent: never. */
  | { readonly type: 'round'; readonly round: Round; readonly tallyMs?: number }
  | { readonly type: 'stop' };

export type FromGenerator =
  | { readonly type: 'ready' }
  /** Operations since the round began. */
  | { readonly type: 'tally'; readonly operations: number }
  | { readonly type: 'report'; readonly report: RoundReport }
  | { readonly type: 'failed'; readonly message: string };
