import { serviceUnavailable } from '../../errors/index.js';
import { openFilesLimit } from '../../platform/figures.js';
import { monotonicTime } from '../../platform/time.js';
import { ConnectionShares } from './connection-shares.js';
import { connectionCounts } from './open-connections.js';

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

/** Where refusals are told. */
interface Log {
  error(context: object, message: string): void;
}

/** Decides whether an address may have another connection, and keep one; see `ConnectionShares`. */
interface Shares {
  admits(open: number, address: () => string): boolean;
  keeps(open: number, address: () => string): boolean;
}

const UNSHARED: Shares = { admits: () => true, keeps: () => true };

/**
 * ConnectionLimit bounds what others keep open in a process: their connections to all listeners, with whatever these hold
 * of heads that are not complete, and the files that are sent to them.
 */
export class ConnectionLimit {
  #open = 0;
  readonly #quietUntil = new Map<string, number>();

  constructor(
    private readonly log: Log,
    readonly most: number = connectionsOf(openFilesLimit() ?? Infinity),
    private readonly now: () => number = () => monotonicTime(),
  ) {}

  get open(): number {
    return this.#open;
  }

  /**
   * The gate of a listener.
   * @param listener what the log calls its connections
   * @param most connections of it alone
   */
  gate(listener: string, most = this.most): ConnectionGate {
    return new ConnectionGate(this, listener, Math.min(most, this.most));
  }

  /**
   * A file is to be opened that is sent to somebody.
   * @returns to be called once, when it is closed, or was not opened
   * @throws ApiError 503 where the process has no more
   */
  holdFile(): () => void {
    if (this.#open >= this.most) {
      this.tell('files', this.most, 'files are not sent: raise the limit of open files');
      throw serviceUnavailable('Too many files are being sent');
    }
    this.#open += 1;
    return () => this.count(-1);
  }

  /** A connection was opened, or closed. */
  count(change: 1 | -1): void {
    this.#open += change;
  }

  /** Tells of a refusal, of each kind once in a while. */
  tell(listener: string, connections: number, what: string): void {
    const now = this.now();
    if (now < (this.#quietUntil.get(listener) ?? -Infinity)) return;
    this.#quietUntil.set(listener, now + LOG_PAUSE_MS);
    this.log.error({ listener, connections }, what);
  }
}

/** ConnectionGate decides which connections to a listener stay. */
export class ConnectionGate {
  #own = 0;
  /** Set once it is known where the listener is. */
  shares: Shares = UNSHARED;

  constructor(
    private readonly limit: ConnectionLimit,
    private readonly listener: string,
    readonly most: number,
  ) {}

  /** The listener has a port. @param isExempt whether all clients may share an address, as that of a trusted proxy */
  listensAt(port: number, isExempt: (address: string) => boolean = () => false): void {
    this.shares = new ConnectionShares(this.most, () => connectionCounts(port), isExempt);
  }

  /** A connection was opened. @returns whether it may stay */
  opened(address: () => string): boolean {
    this.#own += 1;
    this.limit.count(1);
    const { taken } = this;
    if (taken > this.most) {
      const mend = this.most < this.limit.most ? '' : ': raise the limit of open files';
      this.tell(`connections are closed at once${mend}`);
      return false;
    }
    if (this.shares.admits(taken, address)) return true;
    this.tell(
      'connections of an address that has as many as are left for all are closed at once: a proxy should limit them, or raise the limit of open files',
    );
    return false;
  }

  /** A connection sent a request. @returns whether it may stay after the reply */
  keeps(address: () => string): boolean {
    return this.shares.keeps(this.taken, address);
  }

  /** A connection was closed, also one that could not stay. */
  closed(): void {
    this.#own -= 1;
    this.limit.count(-1);
  }

  /** Places that are not free: others have taken some of them, where the process has fewer left than the listener. */
  private get taken(): number {
    const { limit, most } = this;
    if (most === limit.most) return limit.open;
    return Math.max(this.#own, most - (limit.most - limit.open));
  }

  private tell(what: string): void {
    this.limit.tell(this.listener, this.most, what);
  }
}
