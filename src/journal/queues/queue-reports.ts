import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { Beat } from '../../turns/beat.js';
import type { EventQueue } from './event-queue.js';
import type { QueueReport, QueueReportReply } from './queue-homes.js';
import type { Queues, QueueSharing } from './queues.js';

/** Delay of a report of queues that came: many come in one round of the event loop. Milliseconds. */
const CLAIM_MS = 5;
/** Interval of reports without news, after which the leader hears that this node lives. Milliseconds. */
const REPORT_MS = 1000;
/** A queue in use is reported this often, or four times within its idle timeout. Milliseconds. */
const KEPT_MS = 30_000;
/** Queues with a shorter idle timeout are reported as soon as that is due, milliseconds. */
const BRIEF_IDLE_MS = 60_000;
/** How often these are looked at: four times within the shortest idle timeout. Milliseconds. */
const LOOK_MS = 250;
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
  readonly followers = 0;
  private readonly served = new Map<EventQueue, Serving>();
  private claimed = new Set<EventQueue>();
  private overflowed = new Set<string>();
  /** Newest ids that clients acknowledged at this node, by queue, of queues that it does not serve. */
  private readonly toPassOn = new Map<string, number>();
  /** Of the queues served, those with a brief idle timeout. */
  private readonly brief = new Set<EventQueue>();
  /** When all queues were looked at. */
  private lookedAt = -Infinity;
  private readonly looks = new Beat(LOOK_MS, () => {
    if (this.brief.size > 0 || this.isDue) this.send();
  });
  private soon: NodeJS.Timeout | undefined;
  private sending: Promise<void> | null = null;
  private stopped = false;

  constructor(private readonly options: QueueReportsOptions) {}

  start(): void {
    this.looks.start();
  }

  stop(): void {
    this.stopped = true;
    this.looks.stop();
    clearTimeout(this.soon);
  }

  /** The leader knows that this node serves a queue: it was registered from here. */
  registered(queue: EventQueue): void {
    const at = this.options.now();
    this.served.set(queue, { reportedAt: at });
  }

  used(queue: EventQueue): void {
    const serving = this.served.get(queue);
    if (!serving) {
      this.served.set(queue, { reportedAt: this.options.now() });
      if (isBrief(queue)) this.brief.add(queue);
      this.claimed.add(queue);
      this.hurry();
      return;
    }
    // Its idle time may be nearly over at the leader.
    if (isBrief(queue) && queue.touchedAt - serving.reportedAt >= keptInterval(queue)) this.hurry();
  }

  /** Another node leads, which knows nothing of this one: all queues in use are reported at the next look. */
  leaderChanged(): void {
    this.lookedAt = -Infinity;
    for (const [queue, serving] of this.served) {
      if (queue.consumer || queue.touchedAt >= serving.reportedAt) serving.reportedAt = -Infinity;
    }
  }

  isElsewhere(queue: EventQueue): boolean {
    return !this.served.has(queue);
  }

  acknowledged({ queueId }: EventQueue, id: number): boolean {
    // What is not passed on is acknowledged by the cursor of the client's next request.
    if (this.toPassOn.size >= MAX_QUEUES && !this.toPassOn.has(queueId)) return true;
    this.toPassOn.set(queueId, Math.max(id, this.toPassOn.get(queueId) ?? id));
    this.hurry();
    return true;
  }

  /** A queue ended on this node, because its client had missed more than it may. */
  overflow(queueId: string): void {
    this.overflowed.add(queueId);
    this.hurry();
  }

  private hurry(delayMs = CLAIM_MS): void {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      this.send();
    }, delayMs);
  }

  private send(): void {
    if (this.stopped || this.sending) return;
    const { now, queues } = this.options;
    const claimed = [...this.claimed].slice(0, MAX_QUEUES);
    const overflowed = [...this.overflowed].slice(0, MAX_QUEUES);
    const kept = this.kept(this.isDue ? this.served.keys() : this.brief);
    if (this.isDue) this.lookedAt = now();
    for (const queue of claimed) this.claimed.delete(queue);
    for (const id of overflowed) this.overflowed.delete(id);
    const report: QueueReport = {
      node: this.options.node,
      claimed: claimed.map(({ queueId }) => queueId),
      kept: kept.map(({ text }) => text),
      overflowed,
      ...(this.toPassOn.size > 0 ? { acknowledged: [...this.toPassOn] } : {}),
    };
    this.toPassOn.clear();
    let hasArrived = true;
    this.sending = this.options
      .send(report)
      .then(
        ({ moved, moved_ages: ages = [], acknowledged = [] }) => {
          moved.forEach((id, i) => this.moved(id, ages[i] ?? 0));
          for (const [id, eventId] of acknowledged) queues.acknowledgedElsewhere(id, eventId);
        },
        (error: unknown) => {
          hasArrived = false;
          for (const queue of claimed) if (this.served.has(queue)) this.claimed.add(queue);
          for (const id of overflowed) this.overflowed.add(id);
          for (const { serving, reportedAt } of kept) serving.reportedAt = reportedAt;
          if (!this.stopped) this.options.failed(error);
        },
      )
      .finally(() => {
        this.sending = null;
        const hasMore = this.claimed.size > 0 || this.overflowed.size > 0;
        // A leader that is not there refuses at once, and all followers would ask again and again.
        if (hasMore && !this.stopped) this.hurry(hasArrived ? CLAIM_MS : LOOK_MS);
      });
  }

  /** Whether all queues are to be looked at. */
  private get isDue(): boolean {
    return this.options.now() - this.lookedAt >= REPORT_MS;
  }

  /** Queues in use whose last report is old; those that ended or moved away are forgotten. */
  private kept(among: Iterable<EventQueue>): Kept[] {
    const { queues, now, head } = this.options;
    const at = now();
    const kept: Kept[] = [];
    for (const queue of among) {
      const serving = this.served.get(queue)!;
      const { reportedAt } = serving;
      if (queue.hasEnded) this.letGo(queue);
      else if (kept.length < MAX_QUEUES && at - reportedAt >= keptInterval(queue)) {
        const isHeld = queue.consumer !== null;
        if (!isHeld && queue.touchedAt < reportedAt) continue;
        serving.reportedAt = at;
        const text = [queue.queueId, queues.oldestNeededBy(queue, head()), isHeld] as const;
        kept.push({ serving, reportedAt, text });
      }
    }
    return kept;
  }

  /** The leader says that a client took a queue to another node, so many milliseconds ago. */
  private moved(id: string, ageMs: number): void {
    const { queues, now } = this.options;
    const queue = queues.get(id);
    if (!queue || this.claimed.has(queue)) return;
    if (this.served.has(queue) && queue.usedAt > now() - ageMs) {
      // It came back since, which the leader does not know: the queue counted as served here all the time.
      this.claimed.add(queue);
      return;
    }
    this.letGo(queue);
    queues.moveAway(id);
  }

  private letGo(queue: EventQueue): void {
    this.served.delete(queue);
    this.brief.delete(queue);
  }
}

/** What is known of a queue that this node serves. */
interface Serving {
  /** Time of the last report. */
  reportedAt: number;
}

/** A queue in a report, with the time of the one before. */
interface Kept {
  readonly serving: Serving;
  readonly reportedAt: number;
  readonly text: QueueReport['kept'][number];
}

function isBrief({ idleTimeoutMs }: EventQueue): boolean {
  return idleTimeoutMs < BRIEF_IDLE_MS;
}

function keptInterval({ idleTimeoutMs }: EventQueue): number {
  return Math.min(KEPT_MS, idleTimeoutMs / 4);
}
