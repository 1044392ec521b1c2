import {
  badEventQueueId,
  organizationDeactivated,
  serviceUnavailable,
  unauthorized,
} from '../../errors/index.js';
import {
  MAX_POLL_LENGTH,
  type Consumer,
  type EndReason,
  type EventQueue,
} from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Exchange } from '../reply/exchange.js';
import { COMPRESS_FROM_BYTES } from '../reply/compression.js';
import { gzipStream, type GzipPart } from '../reply/gzip-parts.js';
import {
  COMPRESSED,
  replyError,
  replyJsonNow,
  replyJsonText,
  takesGzip,
} from '../reply/json-reply.js';
import { DEFLATED_BYTE_COST, eventsPart } from '../reply/stream-encoder.js';
import { pollText, sharedPollBody, sharedPollParts } from './event-frames.js';
import { AT_ONCE } from './frame-pusher.js';
import { inBackground } from '../../turns/background.js';
import { connectionTurns } from '../../turns/connection-turns.js';

/**
 * Answers a poll: at once where events wait or the client does not block, else when the queue gets an event
 * (event-queues.md#get-events).
 *
 * @param tail JSON text of further fields, starting with a comma, or empty
 */
export function answerPoll(
  exchange: Exchange,
  queues: Queues,
  queue: EventQueue,
  dontBlock: boolean,
  tail: string,
): void {
  if (exchange.settled) return;
  const { length } = queue;
  const reply = replyCost(exchange, queue);
  if (length > 0 && reply <= AT_ONCE) {
    answerNow(exchange, queues, queue, tail);
    return;
  }
  if (length > 0 || dontBlock) {
    const answer = (): void => {
      if (exchange.settled) return;
      if (queue.hasEnded) replyError(exchange, badEventQueueId(queue.queueId));
      else answerNow(exchange, queues, queue, tail);
    };
    if (length > 0) connectionTurns.take(reply, queues.accountOf(queue), answer);
    // An empty reply says that nothing has happened.
    else queues.fanOut.whenDelivered(answer);
    return;
  }
  const poll = new PendingPoll(exchange, queues, queue, tail);
  exchange.onAbort(() => poll.leave());
  queues.consumers.attach(queue, poll);
}

/**
 * Replies from this length on are compressed where the client takes that, UTF-16 units: below it most fit into one packet.
 * From {@link COMPRESS_FROM_BYTES} on threads do it.
 */
const COMPRESS_FROM = 1024;

/** Whether a reply with events of this length is compressed at once. */
function isDeflatedNow(exchange: Exchange, length: number): boolean {
  return length >= COMPRESS_FROM && length < COMPRESS_FROM_BYTES && takesGzip(exchange);
}

/**
 * What a reply with the waiting events costs, as bytes that are moved: it is made at once where that is little, else at its
 * turn.
 */
function replyCost(exchange: Exchange, { bufferedBytes }: EventQueue): number {
  const length = Math.min(bufferedBytes, MAX_POLL_LENGTH);
  return isDeflatedNow(exchange, length) ? length * DEFLATED_BYTE_COST : length;
}

function answerNow(exchange: Exchange, queues: Queues, queue: EventQueue, tail: string): void {
  queues.consumers.detachPush(queue, 'superseded');
  replyPending(exchange, queue, tail);
}

/** Answers with the waiting events, which stay in the queue until the client acknowledges them. */
function replyPending(exchange: Exchange, queue: EventQueue, tail: string): void {
  const shared = tail === '' ? sharedPollBody(queue) : null;
  if (isDeflatedNow(exchange, queue.bufferedBytes)) {
    const parts = shared ? sharedPollParts(shared) : [ownPart(queue, tail)];
    exchange.reply(200, COMPRESSED, Buffer.concat(gzipStream(parts)));
    return;
  }
  if (shared && replyJsonNow(exchange, shared)) return;
  reply(exchange, pollText(queue.queueId, queue.pendingJson(), tail));
}

function ownPart(queue: EventQueue, tail: string): GzipPart {
  return eventsPart(Buffer.from(pollText(queue.queueId, queue.pendingJson(), tail)));
}

function reply(exchange: Exchange, body: string): void {
  const failed = (): void => replyError(exchange, serviceUnavailable('The reply failed'));
  inBackground(() => replyJsonText(exchange, body), failed);
}

/**
 * PendingPoll is a poll that waits. It is the queue's consumer until it is answered or its client
 * disconnects.
 */
class PendingPoll implements Consumer {
  readonly kind = 'poll';
  readonly deliveredAt: number;
  /** Its turn to answer is to come. */
  private isWaiting = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly queues: Queues,
    private readonly queue: EventQueue,
    private readonly tail: string,
  ) {
    // Its own request has just touched the queue.
    this.deliveredAt = queue.touchedAt;
  }

  wake(): void {
    // Another client of the queue may have acknowledged the event that woke this poll.
    if (this.queue.length === 0 || this.isWaiting) return;
    const length = replyCost(this.exchange, this.queue);
    if (length <= AT_ONCE || connectionTurns.count(length)) this.answer();
    else {
      this.isWaiting = true;
      connectionTurns.wait(length, this.queues.accountOf(this.queue), this.turn);
    }
  }

  private readonly turn = (): void => {
    this.isWaiting = false;
    if (this.queue.consumer === this && this.queue.length > 0) this.answer();
  };

  heartbeat(json: string): void {
    this.answer(json);
  }

  end(reason: EndReason): void {
    if (reason === 'overflowed') {
      replyError(this.exchange, badEventQueueId(this.queue.queueId));
    } else if (reason === 'revoked') {
      // A queue outlives a change of its user's key, so deactivation is the only reason.
      replyError(this.exchange, unauthorized('Account is deactivated'));
    } else if (reason === 'organization_deactivated') {
      replyError(this.exchange, organizationDeactivated());
    } else {
      // A newer consumer, deletion or shutdown: the reply has the waiting events, normally none.
      replyPending(this.exchange, this.queue, this.tail);
    }
  }

  /** The client disconnected; the queue stays. */
  leave(): void {
    this.queues.consumers.release(this.queue, this);
  }

  /** @param json what it answers where no event waits */
  private answer(json = ''): void {
    const { exchange, queue, tail } = this;
    if (queue.length > 0) replyPending(exchange, queue, tail);
    else reply(exchange, pollText(queue.queueId, json, tail));
    this.queues.consumers.release(this.queue, this);
  }
}
