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
 * Bytes of bodies that are kept of one round: they have arrived before anybody can hold them back, half a megabyte of each
 * connection and more. To copy so many takes 45 ms, where all of the memory is new.
 */
export const MOST_ARRIVED = 96 * 1024 * 1024;

/** How long the turns of a round go on, milliseconds; one piece at least. */
const TURNS_MS = 8;

interface Piece {
  readonly bytes: number;
  readonly work: () => void;
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
  private isScheduled = false;

  /** Whether so much of bodies has arrived in this round that no more of it is kept. */
  get isFlooded(): boolean {
    return this.arrived > MOST_ARRIVED;
  }

  /** Counts a part of a body that has arrived, and is kept. @returns as {@link count} */
  arrive(bytes: number): boolean {
    this.arrived += bytes;
    return this.count(bytes);
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
