import { monotonicTime } from '../platform/time.js';
import { FairQueue, type Account } from './fair-queue.js';
import { round } from './round.js';

/**
 * Bytes that connections cause to be made, copied or handed to the network in one round of the event loop, all together:
 * they take one to three milliseconds, however they are divided. As many may have been moved before the turns of the round.
 */
export const BYTES_PER_ROUND = 1024 * 1024;

/** The least that a piece counts, bytes: a call into the system takes as long as copying so many. */
const LEAST_BYTES = 4 * 1024;

/**
 * Bytes of bodies that are kept of one round: what comes with heads has arrived before anybody can hold it back. The window of
 * a new connection lets 128 KiB through, and the native layer reads half a megabyte at a time: these are the first parts of
 * 256 new connections and those of the 64 that another node has. To copy so many takes 30 ms, where all of the memory is new.
 */
export const MOST_ARRIVED = 64 * 1024 * 1024;

/**
 * The least that a part of a body counts of what arrives, bytes: so 4,000 parts of a byte fill a round, or the first ones of
 * 256 new connections in chunks of 8 KiB, as many clients send them. Each takes five microseconds, one of them in the
 * native layer.
 */
const LEAST_ARRIVED = 16 * 1024;

/** How long the turns of a round go on, milliseconds; one piece at least. */
const TURNS_MS = 8;

/** Until frames of sockets have taken so long together they are not counted by the round, nanoseconds. */
const UNMEASURED_NS = 100_000;
/** How long the frames that sockets send are read at once in one round, nanoseconds. */
const MOST_FRAMES_NS = 8_000_000;

interface Piece {
  readonly bytes: number;
  readonly work: () => void;
}

/** A body that is being received. */
export interface Receiver {
  /** Others have sent as much as the round has room for: its client is held back until the round is over. */
  hold(isHeld: boolean): void;
}

/**
 * ConnectionTurns bounds what the connections of a process cause together in one round. The native layer reports all of a
 * round in one go (requests, parts of bodies, sockets that take data again), so a bound for each of them is none for
 * their sum. Whatever one of them causes beyond some 100 µs is a piece of work with a number of bytes: it is done at once
 * while the round has room and nobody waits, and else in a later round, where accounts take turns.
 *
 * A connection has at most one piece that waits.
 */
export class ConnectionTurns {
  private readonly waiting = new FairQueue<Piece>();
  /** Bytes that this round has room for. */
  private left = BYTES_PER_ROUND;
  /** Bytes of bodies that have arrived in this round. */
  private arrived = 0;
  /** What the frames of sockets in this round, and of earlier ones with few, have taken, nanoseconds. */
  private framed = 0;
  /** Bodies of which more is to come. */
  private readonly receivers = new Set<Receiver>();
  private areHeld = false;
  private isScheduled = false;

  /** Whether so much of bodies, or so many parts of them, has arrived in this round that no more of it is kept. */
  get isFlooded(): boolean {
    return this.arrived > MOST_ARRIVED;
  }

  /**
   * Whether a part of a body, which is not its last one, is one too many: of a client that sends small ones in a round that
   * is flooded. The native layer passes on all that it has read, each in a microsecond, unless the connection is closed.
   */
  isTooMany(bytes: number): boolean {
    return bytes < LEAST_BYTES && this.isFlooded;
  }

  /** More of a body is to come. */
  begin(receiver: Receiver): void {
    this.receivers.add(receiver);
  }

  /** Nothing more of a body is to come. */
  end(receiver: Receiver): void {
    this.receivers.delete(receiver);
  }

  /**
   * Counts a part of a body that has arrived, and is kept. With what the round has room for, all other bodies that are being
   * received are held back at once: what the network has of them is not read in this round.
   * @returns as {@link count}
   */
  arrive(bytes: number): boolean {
    this.arrived += Math.max(LEAST_ARRIVED, bytes);
    if (this.arrived > BYTES_PER_ROUND && !this.areHeld) this.holdAll(true);
    return this.count(bytes);
  }

  /**
   * Counts a frame that a socket has sent.
   * @param ns what it takes, nanoseconds
   * @returns whether the round has room for it; where it has not, what can wait is to {@link wait}
   */
  countFrame(ns: number): boolean {
    this.framed += ns;
    // The end of a round costs a call into the system.
    if (this.framed > UNMEASURED_NS) this.schedule();
    return this.framed <= MOST_FRAMES_NS;
  }

  /**
   * Counts a piece of work that is about to be done, or has been.
   * @returns whether the round had room for it; where it had not, what can wait is to {@link wait}
   */
  count(bytes: number): boolean {
    const hasRoom = this.left > 0 && this.waiting.size === 0;
    if (hasRoom) this.left -= Math.max(LEAST_BYTES, bytes);
    this.schedule();
    return hasRoom;
  }

  /**
   * Does a piece of work in a later round, when it is the account's turn. It must not throw.
   * @param bytes how much it makes, copies or sends
   * @param account whose connection it is
   */
  wait(bytes: number, account: Account, work: () => void): void {
    this.waiting.add({ bytes, work }, account);
    this.schedule();
  }

  /** Does a piece of work: at once where the round has room for it. */
  take(bytes: number, account: Account, work: () => void): void {
    if (this.count(bytes)) work();
    else this.wait(bytes, account, work);
  }

  /**
   * Resolves when it is the account's turn for a piece of work that goes on in reactions to promises: no clock ends the turns
   * of such pieces, only what they count.
   */
  async turn(bytes: number, account: Account): Promise<void> {
    if (this.count(bytes)) return;
    await new Promise<void>((begin) => this.wait(bytes, account, begin));
  }

  private holdAll(areHeld: boolean): void {
    this.areHeld = areHeld;
    for (const receiver of this.receivers) receiver.hold(areHeld);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    round.schedule('connections', this.run);
  }

  private readonly run = (): void => {
    const { waiting } = this;
    this.isScheduled = false;
    this.left = BYTES_PER_ROUND;
    this.arrived = 0;
    this.framed = 0;
    if (this.areHeld) this.holdAll(false);
    if (waiting.size === 0) return;
    const now = monotonicTime();
    const end = now + round.share(TURNS_MS, now);
    do {
      const { bytes, work } = waiting.take()!;
      this.left -= Math.max(LEAST_BYTES, bytes);
      work();
    } while (waiting.size > 0 && this.left > 0 && monotonicTime() < end);
    this.schedule();
  };
}

/** The turns of the connections of this process. */
export const connectionTurns = new ConnectionTurns();
