import { monotonicTime } from '../platform/time.js';
import { setImmediate, queueMicrotask } from '../platform/timers.js';

/**
 * How long the work of one round of the event loop goes on, milliseconds. Whoever waits for the next round waits for
 * what of this one is left and for one piece of work of each kind: together less than the 50 ms that anybody may be
 * kept waiting by others (architecture.md#bounded-work).
 */
export const ROUND_MS = 32;

/** What a kind of work has of each round at least, milliseconds: none is starved by the others. */
const LEAST_MS = 4;

/**
 * Where less than this is left, a single piece of work has overrun the round: shares leave more. What is still to come
 * waits for the next round, because it may be such a piece, too: a write of 25 milliseconds and a part of a long change
 * of as many are two rounds. Milliseconds.
 */
const OVERRUN_MS = LEAST_MS / 2;

/**
 * Kinds of work in the order of a round: requests that change something, and the commit of what they changed;
 * deliveries of events; what connections send and receive (connection-turns.ts); stretches of long work.
 */
const KINDS = ['writes', 'delivery', 'connections', 'stretches'] as const;
type Kind = (typeof KINDS)[number];

/** For each kind, what is to do. */
type Waiting = Record<Kind, (() => void)[]>;

const nothing = (): Waiting => ({ writes: [], delivery: [], connections: [], stretches: [] });

/**
 * Round is one turn of the event loop: what arrived is read, and then the waiting work runs, each kind within its
 * share. A round that a single piece of work has overrun ends there, and the next one goes on with the kind it did not
 * come to. Everybody who divides work among rounds draws from this object, so that the bound holds for all of them
 * together.
 */
export class Round {
  /** How many rounds have ended in which the clock was read or work waited. */
  number = 0;
  /** When this round began, by the clock, as far as anybody asked; null while nobody has. */
  private began: number | null = null;
  private isScheduled = false;
  private waiting = nothing();
  /** Kinds with work that come after the present one. */
  private later = 0;
  /** The kind that a round did not come to, with which the next one begins. */
  private owed: Kind | null = null;

  /** @param clock milliseconds, monotonic */
  constructor(private readonly clock = (): number => monotonicTime()) {}

  /** Runs work once, when its kind comes in the next round. The work must not throw. */
  schedule(kind: Kind, work: () => void): void {
    this.waiting[kind].push(work);
    this.wake();
  }

  /**
   * When this round began. It counts from the first call on, and ends when the waiting work has had its shares.
   * @param agoMs by how much it began before a first call
   * @param now by the clock
   */
  beginning(agoMs = 0, now = this.clock()): number {
    if (this.began === null) {
      this.began = now - agoMs;
      this.wake();
    }
    return this.began;
  }

  /** Whether anybody has asked for the beginning of this round. */
  get hasBegun(): boolean {
    return this.began !== null;
  }

  /**
   * How long work of the present kind may go on from now, milliseconds.
   * @param mostMs where nobody else works
   * @param now by the clock
   */
  share(mostMs: number, now = this.clock()): number {
    const left = this.beginning(0, now) + ROUND_MS - now - this.later * LEAST_MS;
    return Math.max(LEAST_MS, Math.min(mostMs, left));
  }

  private get isOverrun(): boolean {
    return this.began !== null && this.clock() > this.began + ROUND_MS - OVERRUN_MS;
  }

  private wake(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.run);
  }

  private readonly run = (): void => {
    const { waiting } = this;
    this.isScheduled = false;
    this.waiting = nothing();
    const { owed } = this;
    this.owed = null;
    const turns = owed === null ? KINDS : KINDS.slice(KINDS.indexOf(owed));
    const kinds = turns.filter((kind) => waiting[kind].length > 0);
    this.later = kinds.length;
    if (kinds.length > 1) this.began ??= this.clock();
    try {
      for (const kind of kinds) {
        if (kind !== owed && this.isOverrun) {
          this.owed = kind;
          break;
        }
        this.later -= 1;
        for (let work = waiting[kind].shift(); work; work = waiting[kind].shift()) work();
      }
    } finally {
      for (const kind of KINDS) this.putBack(kind, waiting[kind]);
      // Stretches go on in the reactions to promises, of which this is the last.
      queueMicrotask(this.end);
    }
  };

  private putBack(kind: Kind, works: (() => void)[]): void {
    if (works.length === 0) return;
    this.waiting[kind] = works.concat(this.waiting[kind]);
    this.wake();
  }

  private readonly end = (): void => {
    this.began = null;
    this.number += 1;
  };
}

/** The round of this process. */
export const round = new Round();
