import {
  badEventQueueId,
  organizationDeactivated,
  serviceUnavailable,
  unauthorized,
} from '../../errors/index.js';
import type { Consumer, EndReason, EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Exchange } from '../reply/exchange.js';
import { replyError, replyJsonText } from '../reply/json-reply.js';
import { inBackground } from '../../turns/background.js';

/** Beginning of every successful reply; the events and the queue id follow. */
const HEAD = '{"result":"success","msg":"","events":[';

/** The reply to a poll. @param json the events; @param tail as for {@link answerPoll} */
export function pollText(queueId: string, json: string, tail: string): string {
  return `${HEAD}${json}],"queue_id":"${queueId}"${tail}}\n`;
}

function bodyOf(queue: EventQueue, json: string, tail: string): string {
  return pollText(queue.queueId, json, tail);
}

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
  if (queue.length > 0) {
    answerNow(exchange, queues, queue, tail);
    return;
  }
  if (dontBlock) {
    // An empty reply says that nothing has happened.
    queues.fanOut.whenDelivered(() => {
      if (exchange.settled) return;
      if (queue.hasEnded) replyError(exchange, badEventQueueId(queue.queueId));
      else answerNow(exchange, queues, queue, tail);
    });
    return;
  }
  const poll = new PendingPoll(exchange, queues, queue, tail);
  exchange.onAbort(() => poll.leave());
  queues.consumers.attach(queue, poll);
}

function answerNow(exchange: Exchange, queues: Queues, queue: EventQueue, tail: string): void {
  queues.consumers.detachPush(queue, 'superseded');
  reply(exchange, bodyOf(queue, queue.pendingJson(), tail));
}

/** Answers with events, which stay in the queue until the client acknowledges them. */
function reply(exchange: Exchange, body: string): void {
  const failed = (): void => replyError(exchange, serviceUnavailable('The reply failed'));
  inBackground(replyJsonText(exchange, body), failed);
}

/**
 * PendingPoll is a poll that waits. It is the queue's consumer until it is answered or its client
 * disconnects.
 */
class PendingPoll implements Consumer {
  readonly kind = 'poll';
  readonly deliveredAt: number;

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
    if (this.queue.length > 0) this.answer(this.queue.pendingJson());
  }

  heartbeat(json: string): void {
    this.answer(this.queue.length > 0 ? this.queue.pendingJson() : json);
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
      reply(this.exchange, bodyOf(this.queue, this.queue.pendingJson(), this.tail));
    }
  }

  /** The client disconnected; the queue stays. */
  leave(): void {
    this.queues.consumers.release(this.queue, this);
  }

  private answer(json: string): void {
    reply(this.exchange, bodyOf(this.queue, json, this.tail));
    this.queues.consumers.release(this.queue, this);
  }
}
