import type { EventQueue, EventText } from '../../journal/queues/event-queue.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import type { Account } from '../../turns/fair-queue.js';
import { firstAfter, frameEnd, frameOf } from './event-frames.js';

/** Events of this length together are pushed at once, UTF-16 units: some 20 µs. More is pushed by turns. */
export const AT_ONCE = 16 * 1024;

/** Where frames go. */
export interface PushTarget {
  /** Whether it is there, and takes another frame now; one that took none calls `push` when it does. */
  readonly takes: boolean;
  /** How much a byte counts in the turns of connections: 1 for one that is only copied. */
  readonly byteCost: number;
  /** @returns whether the frame was sent; where not, nothing more is */
  send(frame: Buffer): boolean;
}

/**
 * FramePusher pushes the events of a queue that were not pushed yet, frame by frame, while its target takes them. A
 * backlog is pushed frame by frame in turns with those of others ({@link connectionTurns}): hundreds of clients may come
 * back, or take data again, in one round.
 */
export class FramePusher {
  /** Newest id that was sent. */
  private sentId = -1;
  /** Its turn is to come. */
  private isWaiting = false;

  constructor(
    private readonly wire: 'socket' | 'stream',
    private readonly queue: EventQueue,
    private readonly account: Account,
    private readonly target: PushTarget,
  ) {}

  /** Whether events wait that were not sent. */
  get isBehind(): boolean {
    const events = this.queue.pending();
    return events.length > 0 && events[events.length - 1]!.id > this.sentId;
  }

  /** Sends what there is, now or at its turns. */
  push(): void {
    if (this.isWaiting || !this.target.takes) return;
    const events = this.queue.pending();
    const next = firstAfter(events, this.sentId);
    if (next === events.length) return;
    const end = frameEnd(events, next);
    const length = lengthOf(events, next, end) * this.target.byteCost;
    if (length <= AT_ONCE || connectionTurns.count(length)) {
      if (this.send(events, next, end)) this.push();
      return;
    }
    this.isWaiting = true;
    connectionTurns.wait(length, this.account, this.turn);
  }

  private readonly turn = (): void => {
    this.isWaiting = false;
    if (!this.target.takes) return;
    const events = this.queue.pending();
    const next = firstAfter(events, this.sentId);
    if (next < events.length && this.send(events, next, frameEnd(events, next))) this.push();
  };

  private send(events: readonly EventText[], next: number, end: number): boolean {
    this.sentId = events[end - 1]!.id;
    return this.target.send(frameOf(this.wire, events, next, end));
  }
}

function lengthOf(events: readonly EventText[], start: number, end: number): number {
  let length = 0;
  for (let i = start; i < end; i++) length += events[i]!.size;
  return length;
}
