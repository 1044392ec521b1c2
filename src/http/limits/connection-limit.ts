import { openFilesLimit } from '../../platform/figures.js';
import { monotonicTime } from '../../platform/time.js';
import type { Log } from '../error-handler.js';

/** Open files that clients leave to the process: its store, uploads, pipes, calls to other servers. */
const RESERVE = { most: 1024, share: 1 / 4 };
/** How often the log says that connections are refused. */
const LOG_PAUSE_MS = 60_000;

/**
 * Connections that a process may hold with a number of open files. A process that has no file left for the next
 * connection cannot even refuse it, and spins while it waits; nor can it write an upload.
 */
export function connectionsOf(openFiles: number): number {
  return openFiles - Math.min(RESERVE.most, Math.ceil(openFiles * RESERVE.share));
}

/** Decides whether an address may have another connection, and keep one; see `ConnectionShares`. */
interface Shares {
  admits(open: number, address: () => string): boolean;
  keeps(open: number, address: () => string): boolean;
}

const UNSHARED: Shares = { admits: () => true, keeps: () => true };

/** ConnectionLimit bounds the connections of clients, with whatever they hold of heads that are not complete. */
export class ConnectionLimit {
  #open = 0;
  #quietUntil = -Infinity;
  /** Set once it is known where the process listens. */
  shares: Shares = UNSHARED;

  constructor(
    private readonly log: Log,
    readonly most: number = connectionsOf(openFilesLimit() ?? Infinity),
    private readonly now: () => number = () => monotonicTime(),
  ) {}

  get open(): number {
    return this.#open;
  }

  /** A connection was opened. @returns whether it may stay */
  opened(address: () => string): boolean {
    this.#open += 1;
    if (this.#open > this.most) {
      this.tell('connections are closed at once: raise the limit of open files');
      return false;
    }
    if (this.shares.admits(this.#open, address)) return true;
    this.tell(
      'connections of an address that has as many as are left for all are closed at once: a proxy should limit them, or raise the limit of open files',
    );
    return false;
  }

  /** A connection sent a request. @returns whether it may stay after the reply */
  keeps(address: () => string): boolean {
    return this.shares.keeps(this.#open, address);
  }

  private tell(what: string): void {
    const now = this.now();
    if (now < this.#quietUntil) return;
    this.#quietUntil = now + LOG_PAUSE_MS;
    this.log.error({ connections: this.most }, what);
  }

  /** A connection was closed. */
  closed(): void {
    this.#open -= 1;
  }
}
