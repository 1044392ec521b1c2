import { setTimeout, clearTimeout, setInterval, clearInterval } from '../../platform/timers.js';
import type { ApiError } from '../../errors/index.js';
import { NodeConnection, type NodeAddress } from './node-connection.js';
import type { NodeMessage } from './node-message.js';
import type { NodeReply } from './node-reply.js';
import { QueuedRequest, type RequestQueue } from './request-queue.js';

/**
 * Most connections to a node. The leader groups what comes within one commit, which takes some milliseconds, so
 * this is some ten thousand requests a second.
 */
const MAX_CONNECTIONS = 64;

/** A connection to a node that does not stand by then is given up, milliseconds; nodes are near one another. */
const CONNECT_MS = 1000;

/**
 * A connection that was idle for longer is closed, milliseconds: the other node closes it after 8 s, and a request
 * that is sent meanwhile would be lost.
 */
const IDLE_MS = 4000;

/** After a node did not accept a request, it gets none for so long, milliseconds. */
const PAUSE_MS = 100;

/**
 * A node that owes replies and has given none for so long may have stopped, milliseconds: some dozen commits, or a
 * pause that is long for one. It gets nothing more until it has shown that it still commits, because what a dead
 * leader has is lost.
 */
const SILENT_MS = 100;

/** Interval of the checks of what takes too long, milliseconds. */
const SWEEP_MS = 500;

/** Dependencies of the connections. */
interface NodeConnectionsParts {
  /** Key of the nodes. */
  readonly key: string;
  readonly queue: RequestQueue;
  readonly now: () => number;
  /** Most time that a reply may take, milliseconds. */
  readonly replyMs: number;
  /** The refusal of a request that may have been carried out. */
  readonly lost: () => ApiError;
  /** Puts a request back that the node did not accept. */
  readonly again: (request: QueuedRequest) => void;
  /** A request without effect that is answered when the node commits; a silent node gets it instead of others. */
  readonly probe: NodeMessage | null;
}

/**
 * NodeConnections sends the requests of a queue to one node, over a bounded number of connections. A request is
 * sent once: where its reply does not come, it is refused with the outcome unknown. What the node refuses without
 * effect, and what finds no connection, stays in the queue.
 */
export class NodeConnections {
  private readonly all = new Set<NodeConnection>();
  /** The one used last stands last and is used first, so that connections that are not needed become idle and end. */
  private readonly idle: NodeConnection[] = [];
  private readonly timer: NodeJS.Timeout;
  private pause: NodeJS.Timeout | undefined;
  /** Requests whose replies have not come. */
  private owed = 0;
  /** Since when replies are owed and none has come. */
  private silentSince = 0;
  private probe: QueuedRequest | null = null;
  /** Why nothing reaches the node; null as soon as something does. */
  problem: string | null = null;
  /** Sends nothing more for now. */
  isHalted = false;
  private ended = false;

  constructor(
    private readonly address: NodeAddress,
    private readonly parts: NodeConnectionsParts,
  ) {
    this.timer = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  get size(): number {
    return this.all.size;
  }

  /** Sends what waits, as far as connections are free. */
  send(): void {
    const { queue, now } = this.parts;
    while (!this.ended && !this.isHalted && this.pause === undefined && queue.length > 0) {
      const isSilent = this.owed > 0 && now() - this.silentSince > SILENT_MS;
      const needsProbe = isSilent && this.parts.probe !== null;
      if (needsProbe && this.probe) return;
      const connection = this.takeIdle();
      if (!connection) return this.open(needsProbe ? 1 : queue.length);
      this.sendBy(connection, needsProbe ? this.newProbe() : queue.take()!);
    }
  }

  /** The connection used last, unless it is too old: a process that was not running has closed none. */
  private takeIdle(): NodeConnection | undefined {
    for (;;) {
      const connection = this.idle.pop();
      if (!connection || this.parts.now() - connection.since <= IDLE_MS) return connection;
      connection.destroy();
    }
  }

  private sendBy(connection: NodeConnection, request: QueuedRequest): void {
    connection.since = this.parts.now();
    if (this.owed === 0) this.silentSince = connection.since;
    this.owed += 1;
    request.state = 'sent';
    connection.send(request);
  }

  private newProbe(): QueuedRequest {
    const over = (): void => {
      this.probe = null;
    };
    const { probe, now } = this.parts;
    this.probe = new QueuedRequest(probe!, now(), null, { replied: over, refused: over });
    return this.probe;
  }

  /** One reply less is owed. */
  private settled(): void {
    this.owed -= 1;
    this.silentSince = this.parts.now();
  }

  /**
   * Sends nothing more, and ends when the last reply has come.
   * @param withinMs replies that have not come by then are lost
   */
  finish(withinMs?: number): void {
    this.ended = true;
    clearTimeout(this.pause);
    for (const connection of this.all) {
      if (connection.state !== 'waiting' && connection.state !== 'replying') connection.destroy();
    }
    if (this.all.size === 0) clearInterval(this.timer);
    else if (withinMs !== undefined) setTimeout(() => this.destroy(), withinMs).unref();
  }

  private destroy(): void {
    for (const connection of this.all) connection.destroy();
  }

  /** Opens as many connections as requests wait for one; one at first, to find out whether the node is there. */
  private open(needed: number): void {
    const { key, now } = this.parts;
    const connections = [...this.all];
    const connecting = connections.filter(({ state }) => state === 'connecting').length;
    const isThere = connecting < connections.length;
    const wanted = isThere ? needed : 1;
    const count = Math.min(wanted - connecting, MAX_CONNECTIONS - connections.length);
    for (let i = 0; i < count; i++) {
      const connection = new NodeConnection(this.address, key, this);
      connection.since = now();
      this.all.add(connection);
    }
  }

  free(connection: NodeConnection): void {
    if (this.ended) {
      connection.destroy();
      return;
    }
    connection.since = this.parts.now();
    this.idle.push(connection);
    this.send();
  }

  closed(connection: NodeConnection): void {
    this.all.delete(connection);
    if (this.ended && this.all.size === 0) clearInterval(this.timer);
    const place = this.idle.indexOf(connection);
    if (place !== -1) this.idle.splice(place, 1);
    if (!connection.isConnected && this.all.size === 0) {
      this.problem = connection.failure?.message ?? `no connection within ${CONNECT_MS} ms`;
      this.pauseShortly();
    } else this.send();
  }

  replied(request: QueuedRequest, reply: NodeReply): void {
    this.settled();
    if (!reply.head.isUnprocessed || request === this.probe) {
      this.problem = null;
      if (!reply.head.isUnprocessed) this.parts.queue.served();
      request.replied(reply);
      return;
    }
    this.problem = `it refuses what other nodes send (${reply.head.status}): is it another server?`;
    reply.discard();
    this.pauseShortly();
    this.parts.again(request);
  }

  lost(request: QueuedRequest): void {
    this.owed -= 1;
    request.refuse(this.parts.lost());
  }

  private pauseShortly(): void {
    if (this.ended) return;
    this.pause ??= setTimeout(() => {
      this.pause = undefined;
      this.send();
    }, PAUSE_MS);
  }

  private sweep(): void {
    const now = this.parts.now();
    const most = {
      connecting: CONNECT_MS,
      idle: IDLE_MS,
      waiting: this.parts.replyMs,
      replying: Infinity,
    };
    for (const connection of [...this.all]) {
      if (now - connection.since > most[connection.state]) connection.destroy();
    }
  }
}
