import type { EventIds } from '../entry.js';
import type { JournalReader } from '../journal.js';
import type { Consumer, EventQueue } from './event-queue.js';
import type { FanOut } from './fan-out.js';
import { onceSettled, untold } from '../../turns/background.js';

/** Dependencies of the heartbeats. */
export interface HeartbeatOptions {
  /** The journal of the role that the node has now. */
  readonly journal: () => Pick<JournalReader, 'durableHead'>;
  readonly ids: EventIds;
  /** Commits an entry with room for {@link HEARTBEATS_PER_ENTRY}: the newest entry has no id left for them. */
  readonly tick: () => Promise<void>;
}

/**
 * Rounds of heartbeats that one empty entry has ids for: where nothing happens, one entry is written each 13 minutes. Were
 * there more, an organization with an event a minute would use up its ids with heartbeats (11 million a year at most).
 */
export const HEARTBEATS_PER_ENTRY = 16;

/** Heartbeats gives heartbeats their ids and sends them to consumers (event-queues.md#heartbeat). */
export class Heartbeats {
  private ticking: Promise<void> | null = null;

  constructor(
    private readonly fanOut: FanOut,
    private readonly options: HeartbeatOptions,
  ) {}

  /** Sends a heartbeat, because no event came during the interval. */
  send(queue: EventQueue, consumer: Consumer): void {
    const { journal, ids } = this.options;
    const { durableHead } = journal();
    const [newest, end] = [ids.newestOf(durableHead), ids.endOf(durableHead)];
    // Its id is after those of all durable events, which a queue must have: it takes no smaller ones afterwards.
    this.fanOut.whenDelivered(() => {
      if (queue.consumer === consumer) this.issue(queue, consumer, newest, end);
    });
  }

  /**
   * Its id is that of the newest event where the queue did not get that one.
   * @param newest id of the events that were delivered; `end`: first one of those that come next
   */
  private issue(queue: EventQueue, consumer: Consumer, newest: number, end: number): void {
    const id = Math.max(queue.newestId + 1, newest);
    if (id < end) {
      consumer.heartbeat(queue.issueHeartbeat(id));
      return;
    }
    // The client's own timeout is far away, so a heartbeat that waits for one commit is in time. Without a
    // store there is no heartbeat; the client's timeout then ends its poll.
    onceSettled(
      this.ticked(),
      () => {
        if (queue.consumer === consumer) this.send(queue, consumer);
      },
      untold,
    );
  }

  /** Commits one empty entry for all queues whose heartbeats wait. */
  private ticked(): Promise<void> {
    this.ticking ??= this.options.tick().finally(() => (this.ticking = null));
    return this.ticking;
  }
}
