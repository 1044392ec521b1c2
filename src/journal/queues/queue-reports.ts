import type { EventQueue } from './event-queue.js';
import type { QueueReport, QueueReportReply } from './queue-homes.js';
import type { Queues, QueueSharing } from './queues.js';

/** Delay of a report of queues that came: many come in one round of the event loop. Milliseconds. */
const CLAIM_MS = 5;
/** Interval of reports without news, after which the leader hears that this node lives. Milliseconds. */
const REPORT_MS = 1000;
/** A queue in use is reported this often, or four times within its idle timeout. Milliseconds. */
const KEPT_MS = 30_000;
/** Queues in one report: about half a megabyte. */
const MAX_QUEUES = 8000;

/** Dependencies of {@link QueueReports}. */
interface QueueReportsOptions {
  /** Id of this process. */
  readonly node: string;
  readonly queues: Queues;
  readonly now: () => number;
  /** Position of this node. */
  readonly head: () => number;
  /** Sends a report to the leader. */
  readonly send: (report: QueueReport) => Promise<QueueReportReply>;
  /** Called when a report did not arrive; what it said is sent again. */
  readonly failed: (error: unknown) => void;
}

/**
 * QueueReports tells the leader which queues a follower serves, so that the leader keeps them and the node
 * that served them before lets go.
 */
export class QueueReports implements QueueSharing {
  readonly hasOthers = true;
  /** Queues that this node serves, with the time of their last report. */
  private readonly served = new Map<EventQueue, number>();
  private claimed = new Set<EventQueue>();
  private overflowed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private soon: NodeJS.Timeout | undefined;
  private sending: Promise<void> | null = null;
  private stopped = false;

  constructor(private readonly options: QueueReportsOptions) {}

  start(): void {
    this.timer = setInterval(() => this.send(), REPORT_MS);
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
    clearTimeout(this.soon);
  }

  used(queue: EventQueue): void {
    if (this.served.has(queue)) return;
    this.served.set(queue, this.options.now());
    this.claimed.add(queue);
    this.hurry();
  }

  /** A queue exceeded its bounds on this node. */
  overflow(queueId: string): void {
    this.overflowed.add(queueId);
    this.hurry();
  }

  private hurry(): void {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.send();
    }, CLAIM_MS);
  }

  private send(): void {
    if (this.stopped || this.sending) return;
    const claimed = [...this.claimed].slice(0, MAX_QUEUES);
    const overflowed = [...this.overflowed].slice(0, MAX_QUEUES);
    const kept = this.kept();
    for (const queue of claimed) this.claimed.delete(queue);
    for (const id of overflowed) this.overflowed.delete(id);
    const report: QueueReport = {
      node: this.options.node,
      claimed: claimed.map(({ queueId }) => queueId),
      kept,
      overflowed,
    };
    this.sending = this.options
      .send(report)
      .then(
        ({ moved }) => this.moved(moved),
        (error: unknown) => {
          for (const queue of claimed) if (this.served.has(queue)) this.claimed.add(queue);
          for (const id of overflowed) this.overflowed.add(id);
          if (!this.stopped) this.options.failed(error);
        },
      )
      .finally(() => {
        this.sending = null;
        const hasMore = this.claimed.size > 0 || this.overflowed.size > 0;
        if (hasMore && !this.stopped) this.hurry();
      });
  }

  /** Queues in use whose last report is old; those that ended or moved away are forgotten. */
  private kept(): [string, number][] {
    const { queues, now, head } = this.options;
    const at = now();
    const kept: [string, number][] = [];
    for (const [queue, reportedAt] of this.served) {
      if (!queues.has(queue)) this.served.delete(queue);
      else if (kept.length < MAX_QUEUES && at - reportedAt >= keptInterval(queue)) {
        if (!queue.consumer && queue.touchedAt < reportedAt) continue;
        this.served.set(queue, at);
        kept.push([queue.queueId, queue.oldestNeeded ?? head()]);
      }
    }
    return kept;
  }

  private moved(ids: readonly string[]): void {
    const { queues } = this.options;
    for (const id of ids) {
      const queue = queues.get(id);
      // It came back meanwhile.
      if (!queue || this.claimed.has(queue)) continue;
      this.served.delete(queue);
      queues.moveAway(id);
    }
  }
}

function keptInterval({ idleTimeoutMs }: EventQueue): number {
  return Math.min(KEPT_MS, idleTimeoutMs / 4);
}
