import type { EventQueue } from './event-queue.js';
import type { Queues, QueueSharing } from './queues.js';

/** What a follower tells the leader of the queues that it serves. */
export interface QueueReport {
  /** Id of the follower's process. */
  readonly node: string;
  /** Queues whose clients came to the follower. */
  readonly claimed: readonly string[];
  /** Queues in use there: the oldest journal position that each needs, and whether a consumer waits for it. */
  readonly kept: readonly (readonly [queueId: string, needed: number, held: boolean])[];
  /** Queues that ended there, because their clients had missed more than they may. */
  readonly overflowed: readonly string[];
  /** What clients said at the follower that they have received, of queues that it does not serve; absent: nothing. */
  readonly acknowledged?: readonly (readonly [queueId: string, id: number])[];
}

/** The leader's reply. */
export interface QueueReportReply {
  /** Queues whose clients have left the follower for another node. */
  readonly moved: readonly string[];
  /** How long ago each of these left, milliseconds; absent from an older leader: just now. */
  readonly moved_ages?: readonly number[];
  /** What clients have received of queues that the follower serves, and said elsewhere; absent: nothing. */
  readonly acknowledged?: readonly (readonly [queueId: string, id: number])[];
}

/**
 * A follower that sends no report for this long has died or cannot be reached: its queues count as unused
 * from its last report on. Milliseconds; a multiple of the interval of reports.
 */
const NODE_LOST_MS = 10_000;

/** How long a new leader waits for the first reports of the queues in use, milliseconds: they come once a second. */
export const REPORT_GRACE_MS = 3000;

/** Most nodes; more would be a mistake of an operator or forged reports. */
const MAX_NODES = 256;

/** The follower at which the client of a queue reads. */
interface Home {
  readonly node: string;
  /** When its client came there, as far as this leader knows. */
  readonly since: number;
}

interface Node {
  readonly queues: Set<string>;
  /** Queues it is to hear of that they moved away, with the time. */
  moved: Map<string, number>;
  /** Newest ids that clients acknowledged elsewhere, by queue, of which it is to hear. */
  acknowledged: Map<string, number>;
  reportedAt: number;
}

/**
 * QueueHomes is the leader's table of the nodes that serve queues: a queue belongs to the node that its
 * client used last. The leader alone ends queues that nobody uses.
 */
export class QueueHomes implements QueueSharing {
  private readonly nodes = new Map<string, Node>();
  private readonly homes = new Map<string, Home>();
  private readonly leadsSince: number;
  /** Until then other nodes may serve queues that have not reported to this leader yet. */
  private readonly settledAt: number;

  /** @param hasServed whether the process has followed or led before: other nodes may be there that it has not heard of yet */
  constructor(
    private readonly queues: Queues,
    private readonly now: () => number,
    hasServed = false,
  ) {
    this.leadsSince = now();
    this.settledAt = hasServed ? this.leadsSince + NODE_LOST_MS : -Infinity;
  }

  get hasOthers(): boolean {
    return this.nodes.size > 0 || this.now() < this.settledAt;
  }

  get followers(): number {
    return this.nodes.size;
  }

  /** The client of a queue uses the leader itself. */
  used(queue: EventQueue): void {
    if (this.homes.size > 0) this.settle(queue.queueId, null);
  }

  isElsewhere({ queueId }: EventQueue): boolean {
    return this.homes.has(queueId);
  }

  acknowledged({ queueId }: EventQueue, id: number): boolean {
    const node = this.nodes.get(this.homes.get(queueId)?.node ?? '');
    if (!node) return false;
    node.acknowledged.set(queueId, Math.max(id, node.acknowledged.get(queueId) ?? id));
    return true;
  }

  /**
   * A follower registered a queue for a client of its own. Its report would come later, and perhaps after that of
   * another node at which the client uses the queue.
   */
  registered({ queueId }: EventQueue, node: string): void {
    this.node(node).reportedAt = this.now();
    this.settle(queueId, node);
    this.queues.moveAway(queueId);
  }

  /** Takes the report of a follower. */
  report({
    node: name,
    claimed,
    kept,
    overflowed,
    acknowledged = [],
  }: QueueReport): QueueReportReply {
    const now = this.now();
    const node = this.node(name);
    node.reportedAt = now;
    for (const id of claimed) {
      this.settle(id, name);
      this.queues.moveAway(id);
    }
    for (const id of claimed) this.touch(id, now);
    for (const [id, needed, held] of kept) {
      const left = this.leftAt(id, name);
      if (left !== null) {
        node.moved.set(id, left);
        continue;
      }
      this.settle(id, name);
      const queue = this.touch(id, now);
      if (!queue) continue;
      queue.neededElsewhere = Math.max(queue.neededElsewhere, needed);
      queue.heldElsewhere = held;
    }
    for (const id of overflowed) {
      const queue = this.queues.get(id);
      // A new leader may not know the home yet.
      const home = this.homes.get(id)?.node ?? name;
      if (queue && home === name) this.queues.end(queue, 'overflow');
    }
    for (const [id, eventId] of acknowledged) {
      const queue = this.queues.get(id);
      if (queue && !this.acknowledged(queue, eventId)) {
        this.queues.acknowledgedElsewhere(id, eventId);
      }
    }
    // The journal tells of a queue that ended here, and why; its client has not gone elsewhere.
    const moved = [...node.moved].filter(([id]) => this.queues.get(id) !== undefined);
    const reply = {
      moved: moved.map(([id]) => id),
      ...(moved.length > 0 ? { moved_ages: moved.map(([, at]) => now - at) } : {}),
      ...(node.acknowledged.size > 0 ? { acknowledged: [...node.acknowledged] } : {}),
    };
    node.moved = new Map();
    node.acknowledged = new Map();
    return reply;
  }

  /** Forgets nodes that send no reports any more; called every few seconds. */
  forgetLost(): void {
    const before = this.now() - NODE_LOST_MS;
    for (const [name, node] of this.nodes) {
      if (node.reportedAt >= before) continue;
      for (const id of [...node.queues]) {
        this.release(id);
        this.touch(id, node.reportedAt);
      }
      this.nodes.delete(name);
    }
  }

  private touch(id: string, at: number): EventQueue | undefined {
    const queue = this.queues.get(id);
    if (queue) queue.touchedAt = Math.max(queue.touchedAt, at);
    else this.release(id);
    return queue;
  }

  /**
   * When the client of a queue left the follower that says that it serves it: it came to another one, or to this node. The
   * follower has not heard of it, or its client has come back, which it knows by the time. Null where it serves the queue.
   */
  private leftAt(id: string, name: string): number | null {
    const home = this.homes.get(id);
    if (home) return home.node === name ? null : home.since;
    const queue = this.queues.get(id);
    const isHere = queue && (!queue.needsReplay || queue.usedAt > this.leadsSince);
    return isHere ? queue.usedAt : null;
  }

  /** Records the home of a queue, null for the leader, and tells the former one. */
  private settle(id: string, name: string | null): void {
    const former = this.homes.get(id)?.node;
    if (former === (name ?? undefined)) return;
    if (former !== undefined) this.nodes.get(former)?.moved.set(id, this.now());
    this.release(id);
    if (name === null) return;
    this.homes.set(id, { node: name, since: this.now() });
    const node = this.node(name);
    node.queues.add(id);
    // It came back before the node heard that it had left.
    node.moved.delete(id);
  }

  private release(id: string): void {
    const former = this.homes.get(id)?.node;
    if (former === undefined) return;
    this.homes.delete(id);
    this.nodes.get(former)?.queues.delete(id);
    const queue = this.queues.get(id);
    if (queue) queue.heldElsewhere = false;
  }

  private node(name: string): Node {
    let node = this.nodes.get(name);
    if (!node) {
      if (this.nodes.size >= MAX_NODES) throw new Error('Too many nodes send reports');
      node = {
        queues: new Set(),
        moved: new Map(),
        acknowledged: new Map(),
        reportedAt: this.now(),
      };
      this.nodes.set(name, node);
    }
    return node;
  }
}
