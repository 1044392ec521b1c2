/**
 * What the log has of requests: each at debug; those refused, failed or slow always. A request that is none of these
 * costs two comparisons: where many ask for the time, it is that of a clock which is read some times a second, and an
 * id is made only for a line.
 */

import { monotonicTime } from '../platform/time.js';
import { Beat } from '../turns/beat.js';
import { getEvents } from '../../schemas/queues/events-poll.js';
import { openStream } from '../../schemas/queues/event-stream.js';
import { openSocket } from '../../schemas/queues/socket.js';

/** The part of a logger that takes lines about requests. */
export interface RequestSink {
  debug(context: object, message: string): void;
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
}

/** A request that is over, as its line has it. */
export interface LoggedRequest {
  /** Null where a process has one alone. */
  readonly organization: string | null;
  /** The host name that nobody has; absent: an organization has it. */
  readonly asked?: string | undefined;
  readonly id: string;
  readonly method: string;
  readonly operation: string;
  readonly path: string;
  readonly status: number;
  /** Code of the refusal; empty where there is none. */
  readonly code: string;
  /** The reply is a health check: whatever its status, nothing failed. */
  readonly isHealthReply: boolean;
  /** Who asked; null where nobody is known. */
  readonly user: number | null;
  /** Address of the client; read only for a line. */
  readonly address: () => string;
  /**
   * Times of the {@link RequestLog.now} clock: the head was there, the handler began, the handler returned; 0: it did
   * not.
   */
  readonly times: readonly [began: number, served: number, handled: number];
}

/** How often the clock is read where many ask for the time, milliseconds: the precision of what is logged as slow. */
const TICK_MS = 100;
/** How often it is looked whether the event loop was blocked where few do, milliseconds: an idle process wakes rarely. */
const IDLE_TICK_MS = 1000;
/** Looks at the time in a second from which on they are many: reading the clock for each costs less than 100 µs then. */
const MANY_LOOKS = 1000;
/** Refusals of one code that are logged in a window, of a client that repeats them without end. */
const LINES_PER_WINDOW = 20;
/** Milliseconds. */
const WINDOW_MS = 10_000;
/** The longest path in a line, UTF-16 units. */
const MAX_PATH = 200;
/** Parts of paths that may be keys: of links by mail, of files, of bots' hooks. */
const KEY_IN_PATH = /[A-Za-z0-9_-]{20,}/g;

/** Waits for events, by design for up to a minute. */
export const WAITING: ReadonlySet<string> = new Set([
  getEvents.operation,
  openSocket.operation,
  openStream.operation,
]);

/** Status in the log of a request whose client has gone, as in that of nginx. */
export const CLIENT_LEFT = 499;

/** Counts what went wrong, for those who look later; the console shows it. */
export interface RequestTroubles {
  refused(request: Pick<LoggedRequest, 'status' | 'code' | 'user' | 'operation' | 'address'>): void;
  /** @param times milliseconds until the handler began, returned, and the reply was sent */
  slowRequest(operation: string, user: number | null, times: readonly number[]): void;
}

/** Logs nothing: of servers that have no log of requests. */
const SILENT: RequestSink = { debug() {}, info() {}, warn() {} };

/** See the head of this file. */
export class RequestLog {
  private refusals = new Map<string, number>();
  private windowEnds = 0;
  private made = 0;
  private time = 0;
  /** Looks at the time since the last tick. */
  private looks = 0;
  /** Reads the clock where many look at the time. */
  private readonly often = new Beat(TICK_MS, (late) => this.tick(late));
  private readonly rarely = new Beat(IDLE_TICK_MS, (late) => this.tick(late));
  /** Which of them beats. */
  private beat: Beat | null = null;
  /** The operation served last: the likely cause when the event loop was blocked. */
  private last = '';

  /**
   * @param isEach whether every request has a line
   * @param slowMs a request that took longer is logged as slow; Infinity: none is
   * @param instance tells the ids of this process from those of others
   */
  constructor(
    private readonly sink: RequestSink,
    readonly isEach: boolean,
    readonly slowMs: number,
    private readonly instance: string,
    private readonly clock: () => number = presentMs,
  ) {}

  /** For servers without a log of requests. */
  static silent(): RequestLog {
    return new RequestLog(SILENT, false, Infinity, '');
  }

  /** Present time, up to 100 ms late where many look at it; whole milliseconds of a steady clock. */
  get now(): number {
    this.looks += 1;
    if (this.beat === this.often) return this.time;
    if (this.looks > MANY_LOOKS && this.beat !== null) this.change(this.often);
    return (this.time = this.clock());
  }

  /** Looks from now on whether the event loop is blocked. */
  start(): void {
    if (this.beat === null) this.change(this.rarely);
  }

  /** Idempotent. */
  stop(): void {
    this.change(null);
    this.summarize();
  }

  /** An id for a request, unlike those of other processes. */
  newId(): string {
    return `${this.instance}-${(this.made++).toString(36)}`;
  }

  /**
   * Takes what is known of a request that is over: each, if `isEach`, else those that were refused, failed or slow.
   * @param troubles of the organization that it was for
   */
  over(request: LoggedRequest, troubles: RequestTroubles | null = null): void {
    const { status, operation, code } = request;
    const [began, served, handled] = request.times;
    const ms = this.now - began;
    const isSlow = ms > this.slowMs && !WAITING.has(operation);
    this.last = operation;
    if (isSlow) {
      const stages = {
        // What never came to a handler was received all the time.
        received_ms: (served || this.now) - began,
        handled_ms: (handled || this.now) - (served || this.now),
        replied_ms: this.now - (handled || this.now),
      };
      this.sink.warn({ ...this.line(request), ms, ...stages }, 'a slow request');
      troubles?.slowRequest(operation, request.user, Object.values(stages));
    }
    const isError = status >= 400 && status !== CLIENT_LEFT && !request.isHealthReply;
    if (isError) troubles?.refused(request);
    if (isError && status >= 500) {
      // A fault has its own line, with its stack (`ErrorHandler`); others are told apart by status.
      if (status !== 500 && this.mayLog(`${status} ${code}`)) {
        this.sink.warn(this.line(request), 'a request failed');
      }
    } else if (isError) {
      // Counted apart: whoever tries names hides no refusal of an organization.
      if (this.mayLog(request.asked === undefined ? code : 'unknown host'))
        this.sink.info(this.line(request), 'a request was refused');
    } else if (this.isEach && !isSlow) {
      this.sink.debug({ ...this.line(request), ms }, 'a request');
    }
  }

  private line(request: LoggedRequest) {
    const { organization, asked, id, method, operation, path, status, code, user, address } =
      request;
    return {
      ...(organization === null ? {} : { organization }),
      ...(asked === undefined ? {} : { host: asked }),
      request: id,
      method,
      operation,
      path: safePath(path),
      status,
      ...(code === '' ? {} : { code }),
      ...(user === null ? {} : { user }),
      from: address(),
    };
  }

  /** Whether one more line of a kind is logged; otherwise it is counted. */
  private mayLog(kind: string): boolean {
    if (this.isEach) return true;
    const count = (this.refusals.get(kind) ?? 0) + 1;
    this.refusals.set(kind, count);
    return count <= LINES_PER_WINDOW;
  }

  /** Reads the clock. @param lateMs by how long the event loop has kept that waiting */
  tick(lateMs: number): void {
    const now = this.clock();
    const ms = Math.round(lateMs);
    if (ms > this.slowMs) this.sink.warn({ ms, after: this.last }, 'the event loop was blocked');
    this.time = now;
    if (this.looks < (MANY_LOOKS * TICK_MS) / IDLE_TICK_MS && this.beat === this.often)
      this.change(this.rarely);
    this.looks = 0;
    if (now < this.windowEnds) return;
    this.windowEnds = now + WINDOW_MS;
    this.summarize();
  }

  private change(beat: Beat | null): void {
    this.beat?.stop();
    this.beat = beat;
    beat?.start();
  }

  /** Says how many lines were left out since the window began. */
  private summarize(): void {
    if (this.refusals.size === 0) return;
    const left = [...this.refusals]
      .filter(([, count]) => count > LINES_PER_WINDOW)
      .map(([kind, count]) => [kind, count - LINES_PER_WINDOW]);
    this.refusals = new Map();
    if (left.length > 0) {
      this.sink.info({ more: Object.fromEntries(left) as object }, 'further requests were refused');
    }
  }
}

/** A whole number: fractions would be objects of their own in every request. */
function presentMs(): number {
  return Math.round(monotonicTime());
}

/** A path without what may be a key. */
export function safePath(path: string): string {
  const text = path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
  return text.replaceAll(KEY_IN_PATH, '…');
}
