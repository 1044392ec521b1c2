/**
 * How far the journal is durable, as far as one process knows: followers get entries up to there.
 *
 * The leader knows its own commits and reports them to the others (`lease-socket.ts`). Entries that it cannot report,
 * because it ended or is suspended, they make durable themselves: a sync by any process writes everything that the
 * system has of the file to the disk.
 */
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { CommitSignal } from '../follow.js';
import { hearPositions } from './lease/lease-socket.js';
import { inBackground, untold } from '../../turns/background.js';
import { Beat } from '../../turns/beat.js';

/** How often a follower checks who leads: a suspended leader closes no connection. */
const LOOK_MS = 250;
/** The same while nobody leads, or the leader just began to listen. */
const SEEK_MS = 25;

/** What positions are learnt from. */
export interface PositionSource {
  readonly directory: string;
  /** Socket of the leader; null where it is this process, '' where there never was one. */
  leader(): string | null;
  /** Newest position that can be read, durable or not, as of now. */
  newest(): number;
  /** Makes durable what can be read. */
  flush(): Promise<void>;
}

/** How far the journal is durable; followed while anybody follows the journal. */
export class DurablePosition {
  readonly changed = new CommitSignal();
  #position = 0;
  #followers = 0;
  readonly #looks = new Beat(LOOK_MS, () => this.#look());
  /** An early look. */
  #soon: NodeJS.Timeout | undefined;
  /** The leader whose positions are received. */
  #heard: { readonly leader: string; readonly leave: () => void } | null = null;
  /** Whether it sent anything since the last check. */
  #isFresh = false;
  #flushing = false;
  #isClosed = false;

  constructor(private readonly source: PositionSource) {}

  get position(): number {
    return this.#position;
  }

  /** The journal is durable up to here. */
  raise(position: number): void {
    if (position <= this.#position) return;
    this.#position = position;
    if (this.#followers > 0) this.changed.notify();
  }

  /** Keeps the position current until the result is called. */
  follow(): () => void {
    if (this.#followers++ === 0) {
      this.#looks.start();
      this.#look();
    }
    let follows = true;
    return () => {
      if (follows && --this.#followers === 0) this.#stop();
      follows = false;
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    this.#looks.stop();
    clearTimeout(this.#soon);
    this.#leave();
  }

  #leave(): void {
    this.#heard?.leave();
    this.#heard = null;
  }

  #look(): void {
    clearTimeout(this.#soon);
    if (this.#followers === 0 || this.#isClosed) return;
    const leader = this.source.leader();
    if (this.#heard?.leader !== leader) this.#listen(leader);
    // A leader that has sent nothing for so long may be suspended.
    if (leader !== null && !this.#isFresh) inBackground(() => this.#flush(), untold);
    this.#isFresh = false;
    if (leader !== null && this.#heard === null) this.#lookSoon();
  }

  #lookSoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#look(), SEEK_MS);
  }

  #listen(leader: string | null): void {
    this.#leave();
    if (leader === null || leader === '') return;
    const heard = (position: number): void => {
      this.#isFresh = true;
      this.raise(position);
    };
    const gone = (): void => {
      this.#heard = null;
      this.#isFresh = false;
      if (this.#followers === 0 || this.#isClosed) return;
      inBackground(() => this.#flush(), untold);
      this.#lookSoon();
    };
    const leave = hearPositions(this.source.directory, leader, heard, gone);
    this.#heard = { leader, leave };
  }

  /** Makes what can be read durable, so that it may be given to followers. */
  async #flush(): Promise<void> {
    if (this.#flushing) return;
    const newest = this.source.newest();
    if (newest <= this.#position) return;
    this.#flushing = true;
    try {
      await this.source.flush();
      if (!this.#isClosed) this.raise(newest);
    } catch {
      // Tried again at the next look; a disk that fails is the writer's to report.
    } finally {
      this.#flushing = false;
    }
  }
}
