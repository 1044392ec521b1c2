import { steadyClock } from '../../platform/clock.js';
import { refusalOfNode, serviceUnavailable, type ApiError } from '../../errors/index.js';
import type { Exchange } from '../reply/exchange.js';
import { refusalOf, type Health } from '../health.js';
import type { Account } from '../../turns/fair-queue.js';
import { inNextRound } from '../../turns/next-round.js';
import type { NodeAddress } from './node-connection.js';
import { NodeConnections } from './node-connections.js';
import { callMessage, forwardedMessage, type NodeMessage } from './node-message.js';
import type { NodeReply } from './node-reply.js';
import { QueuedRequest, RequestQueue } from './request-queue.js';

export type { NodeAddress };

/** Most requests that wait to be sent, some kilobytes each; bodies have their own bound. Beyond it: 503. */
const MAX_WAITING = 10_000;

/**
 * Most time that the leader may take for a reply, milliseconds. Nothing takes so long; a leader that hangs
 * is replaced long before, which ends its connections.
 */
const REPLY_MS = 120_000;

/**
 * When another node leads, the former leader's replies are lost unless they come so soon, milliseconds: one that
 * lives has answered everything it had by refusals, which are on their way.
 */
const LAST_REPLIES_MS = 200;

/** Dependencies of the forwarder. */
export interface ForwarderOptions {
  /**
   * The node that leads, this one included; null while none does or it is not known. Another object than before
   * means another leader, or the same node leading again.
   */
  readonly leader: () => NodeAddress | null;
  /** Calls the listener whenever `leader` returns something else. @returns ends that */
  readonly changed: (listener: () => void) => () => void;
  /** Key of the nodes. */
  readonly key: string;
  /** Path of a call without effect that the leader answers when it commits. */
  readonly probe?: string;
  /** Why no client waits for the leader any more, as where it has long been out of reach; absent, or null: it does. */
  readonly cutOff?: () => Health | null;
  /** How long a request waits where no leader serves any, milliseconds. */
  readonly waitMs: number;
  /** Whether this node's memory reaches a position in time; null where it has. */
  readonly reached: (seq: number) => Promise<boolean> | null;
  /** Told of the position of a reply that is passed on although this node has not reached it in time. */
  readonly stillBehind?: (seq: number) => void;
  /** Milliseconds by a clock that does not step. */
  readonly now?: () => number;
  /** Most requests that wait to be sent. */
  readonly maxWaiting?: number;
}

/** What the forwarder did since the start, for metrics. */
export interface ForwarderFigures {
  readonly waiting: number;
  readonly connections: number;
  readonly replied: number;
  /** Requests of which nobody knows whether they were carried out. */
  readonly lost: number;
}

/**
 * Forwarder sends requests that write to the leader, and its replies to their clients. A request that the leader
 * may have is never sent again. While no node leads, requests wait; they go to the next leader, which may be this
 * node.
 */
export class Forwarder {
  private readonly now: () => number;
  private readonly queue: RequestQueue;
  private readonly unsubscribe: () => void;
  private readonly probe: NodeMessage | null;
  private leader: NodeAddress | null = null;
  private connections: NodeConnections | null = null;
  private isClosed = false;
  private replied = 0;
  private lost = 0;

  constructor(private readonly options: ForwarderOptions) {
    this.now = options.now ?? (() => steadyClock.now());
    const { probe, waitMs } = options;
    const expired = () => serviceUnavailable('No server accepts changes at the moment');
    this.queue = new RequestQueue({ now: this.now, waitMs, expired });
    this.probe = probe === undefined ? null : callMessage(probe, {});
    this.unsubscribe = options.changed(() => this.follow());
    this.follow();
  }

  get figures(): ForwarderFigures {
    const { replied, lost } = this;
    const connections = this.connections?.size ?? 0;
    return { waiting: this.queue.length, connections, replied, lost };
  }

  /** Why nothing reaches the leader; null where something does, or nothing was sent. */
  get problem(): string | null {
    return this.connections?.problem ?? null;
  }

  /**
   * Answers a request with the reply of the leader once this node's memory has what the request changed, or by
   * `refuse`. A client that goes away takes back a request that was not sent. Call it while the client is connected;
   * resolves when that is over.
   * @param body may end with the call
   */
  relay(exchange: Exchange, body: Buffer, refuse: (error: unknown) => void): Promise<void> {
    const message = forwardedMessage(exchange, body);
    const { account } = exchange;
    return new Promise((resolve) => {
      // A request that is pipelined behind this one aborts it before it has any effect (see `inNextRound`).
      inNextRound(() => {
        resolve(exchange.settled ? undefined : this.ask(exchange, message, account).catch(refuse));
      });
    });
  }

  /** Calls the leader beside the API (`HttpServer.internal`). @throws ApiError */
  async call(path: string, body: unknown): Promise<unknown> {
    const reply = (await this.send(callMessage(path, body), null))!;
    const text = await reply.text();
    if (reply.head.status === 200) return JSON.parse(text) as unknown;
    throw refusalOfNode(reply.head.status, JSON.parse(text) as Record<string, unknown>);
  }

  /** Refuses what was not sent, and what comes; what was sent comes to its end. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.unsubscribe();
    this.queue.refuseAll(refusalOf('draining'));
    this.connections?.finish();
  }

  /** Sends to the present leader from now on. */
  private follow(): void {
    const leader = this.options.leader();
    if (leader !== null && leader !== this.leader) {
      this.connections?.finish(LAST_REPLIES_MS);
      this.leader = leader;
      this.connections = new NodeConnections(leader, {
        key: this.options.key,
        queue: this.queue,
        now: this.now,
        replyMs: REPLY_MS,
        lost: () => this.outcomeUnknown(),
        probe: this.probe,
        again: (request) => {
          this.queue.add(request, true);
          this.connections?.send();
        },
      });
    }
    // Without a leader the former one may still reply to what it has.
    if (this.connections) this.connections.isHalted = leader === null;
    this.connections?.send();
  }

  /**
   * The reply of the leader; null where the request was cancelled.
   * @param account whose turn it takes
   * @param cancellable gets what cancels it; a request that was sent goes on
   * @throws ApiError
   */
  private send(
    message: NodeMessage,
    account: Account,
    cancellable?: (cancel: () => void) => void,
  ): Promise<NodeReply | null> {
    if (this.isClosed) throw refusalOf('draining');
    if (this.queue.length >= (this.options.maxWaiting ?? MAX_WAITING)) {
      throw serviceUnavailable('Too many changes wait for the server that makes them');
    }
    return new Promise((resolve, reject) => {
      const request = new QueuedRequest(message, this.now(), account, {
        replied: resolve,
        refused: reject,
      });
      this.queue.add(request);
      cancellable?.(() => {
        if (this.queue.cancel(request)) resolve(null);
      });
      this.connections?.send();
    });
  }

  private outcomeUnknown(): ApiError {
    this.lost += 1;
    return serviceUnavailable('The connection broke: the request may have been carried out');
  }

  private async ask(exchange: Exchange, message: NodeMessage, account: Account): Promise<void> {
    const cutOff = this.options.cutOff?.() ?? null;
    if (cutOff !== null) throw refusalOf(cutOff);
    const reply = await this.send(message, account, (cancel) => exchange.onAbort(cancel));
    if (reply !== null) await this.answer(exchange, reply);
  }

  private async answer(exchange: Exchange, reply: NodeReply): Promise<void> {
    const { head } = reply;
    this.replied += 1;
    const behind = head.position === null ? null : this.options.reached(head.position);
    // The request was carried out, whether or not this node learns of it in time.
    if (behind !== null && !(await behind)) {
      this.options.stillBehind?.(head.position!);
    }
    if (exchange.settled) reply.discard();
    else if (reply.isComplete) exchange.replyForeign(head, reply.whole());
    else {
      try {
        await exchange.replyForeignChunks(head, (offset) => reply.read(offset));
      } finally {
        reply.discard();
      }
    }
  }
}
