import { random } from '../../platform/randomness.js';
import { setInterval, clearInterval } from '../../platform/timers.js';
import type { Consumer, EndReason, EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Exchange } from '../reply/exchange.js';
import { COMPRESSED, takesGzip, VARIES } from '../reply/json-reply.js';
import type { ReplyStream } from '../reply/reply-stream.js';
import { DEFLATED_BYTE_COST, GzipEncoder, PLAIN } from '../reply/stream-encoder.js';
import { frameText, helloOf } from './event-frames.js';
import { FramePusher, type PushTarget } from './frame-pusher.js';

/** The part of a reply's stream that is used. */
export type Stream = Pick<ReplyStream, 'isBlocked' | 'listen' | 'write' | 'end' | 'close'>;

export const EVENT_STREAM = 'text/event-stream';

/** A comment that clients ignore: it keeps connections through proxies open, and shows whether the client reads. */
const COMMENT = ':\n\n';
/** Interval of comments, seconds (socket.md): proxies commonly close what is silent for 30 to 60 s. */
const COMMENT_SECONDS = 15;
/** Comments in a row before which the client had not taken what was sent: a minute, as for files. */
const MOST_BLOCKED = 4;
/**
 * Comments in a row during which nothing was acknowledged, after which the stream ends: 90 to 120 s. Nothing but an
 * acknowledgement, or the request that opens the next stream, shows that the client is there: what is sent to one that
 * vanished stays in the kernel, unseen, for a quarter of an hour. Sockets without a pong end as late (120 s). Streams
 * that were opened together do not end together.
 */
const MOST_UNPROVED = { least: 6, spread: 3 };

/**
 * After how long a browser opens the next stream by itself, drawn for each: all streams of a server that restarts end at
 * once. Milliseconds.
 */
const RETRY_MS = { least: 1000, spread: 4000 };

/** The last event of a stream that must not be opened again with this queue; null where it may. */
const ENDS: Readonly<
  Record<EndReason, readonly [close: number, code: string, msg: string] | null>
> = {
  superseded: [4002, 'QUEUE_SUPERSEDED', 'A newer consumer took the queue'],
  expired: [4001, 'BAD_EVENT_QUEUE_ID', 'The event queue has expired'],
  deleted: [4001, 'BAD_EVENT_QUEUE_ID', 'The event queue was deleted'],
  overflowed: [4001, 'BAD_EVENT_QUEUE_ID', 'Too many events were not acknowledged'],
  revoked: [4003, 'UNAUTHORIZED', 'Credentials are no longer valid'],
  organization_deactivated: [4003, 'UNAUTHORIZED', 'This organization has been deactivated'],
  draining: null,
};

const HEADERS = {
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  // nginx would keep events back until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** Answers with the queue as server-sent events (socket.md#server-sent-events). */
export function answerStream(
  exchange: Exchange,
  queues: Queues,
  queue: EventQueue,
  now: () => number,
): void {
  const isCompressed = takesGzip(exchange);
  const headers = { ...HEADERS, ...(isCompressed ? COMPRESSED : VARIES) };
  const encoder = isCompressed ? new GzipEncoder() : PLAIN;
  const head = { mediaType: EVENT_STREAM, headers };
  const stream = exchange.replyStream({ ...head, probe: COMMENT, encoder });
  const byteCost = isCompressed ? DEFLATED_BYTE_COST : 1;
  if (stream) new EventStreamConsumer(stream, queues, queue, now, byteCost).open();
}

/** Answers `HEAD`: the headers of a stream. */
export function answerStreamHead(exchange: Exchange): void {
  exchange.replyRaw(200, EVENT_STREAM, { ...HEADERS, ...VARIES }, '');
}

/**
 * EventStreamConsumer pushes a queue as server-sent events. Nothing comes back on the stream: the client
 * acknowledges with `POST /events/ack`, and with the cursor with which it opens the next stream.
 */
export class EventStreamConsumer implements Consumer, PushTarget {
  readonly kind = 'stream';
  deliveredAt: number;
  private over = false;
  private blockedFor = 0;
  private provedBy = -1;
  private unprovedFor = 0;
  private readonly mostUnproved = MOST_UNPROVED.least + Math.floor(random() * MOST_UNPROVED.spread);
  private readonly comments: StreamComments;
  private readonly pusher: FramePusher;

  constructor(
    private readonly stream: Stream,
    private readonly queues: Queues,
    private readonly queue: EventQueue,
    private readonly now: () => number,
    /** See {@link PushTarget}. */
    readonly byteCost = 1,
  ) {
    this.deliveredAt = now();
    this.comments = StreamComments.of(queues);
    this.pusher = new FramePusher('stream', queue, queues.accountOf(queue), this);
    stream.listen({ drained: () => this.pusher.push(), gone: () => this.gone() });
  }

  /** Attaches to the queue, sends the greeting and the waiting events. */
  open(): void {
    const { queue } = this;
    const hello = JSON.stringify(helloOf(queue));
    const retry = RETRY_MS.least + Math.floor(random() * RETRY_MS.spread);
    this.stream.write(`event: hello\nretry: ${retry}\ndata: ${hello}\n\n`);
    this.provedBy = queue.acknowledgedId;
    this.comments.add(this);
    this.queues.consumers.attach(queue, this);
    this.pusher.push();
  }

  wake(): void {
    this.pusher.push();
  }

  heartbeat(json: string): void {
    this.pusher.push();
    // Before unsent events a heartbeat would make the client acknowledge events that it never got.
    if (this.over || this.pusher.isBehind || this.stream.isBlocked) return;
    this.send(frameText('stream', json, this.queue.newestId));
  }

  end(reason: EndReason): void {
    if (this.over) return;
    this.finish();
    const end = ENDS[reason];
    if (!end) return this.stream.end();
    const [close_code, code, msg] = end;
    const data = JSON.stringify({ close_code, code, msg, queue_id: this.queue.queueId });
    return this.stream.end(`event: end\ndata: ${data}\n\n`);
  }

  get takes(): boolean {
    return !this.over && this.queue.consumer === this && !this.stream.isBlocked;
  }

  send(frame: string | Buffer): boolean {
    this.stream.write(frame);
    this.deliveredAt = this.now();
    return true;
  }

  /** Called every 15 s. */
  keepOpen(): void {
    if (!this.isProved()) {
      // Not an `end`: the client may open the next one at once.
      this.finish();
      this.queues.consumers.release(this.queue, this);
      this.stream.end();
      return;
    }
    if (!this.stream.isBlocked) {
      this.blockedFor = 0;
      this.stream.write(COMMENT);
      return;
    }
    this.blockedFor += 1;
    if (this.blockedFor >= MOST_BLOCKED) this.stream.close();
  }

  /** Whether the client has shown lately that it receives the stream. */
  private isProved(): boolean {
    const { acknowledgedId } = this.queue;
    this.unprovedFor = acknowledgedId === this.provedBy ? this.unprovedFor + 1 : 0;
    this.provedBy = acknowledgedId;
    return this.unprovedFor < this.mostUnproved;
  }

  /** The client disconnected; the queue stays. */
  private gone(): void {
    if (this.over) return;
    this.finish();
    this.queues.consumers.release(this.queue, this);
  }

  private finish(): void {
    this.over = true;
    this.comments.remove(this);
  }
}

/** The streams of one set of queues. */
const streamsOf = new WeakMap<Queues, StreamComments>();

/**
 * StreamComments calls each stream every 15 s, up to one sooner the first time, by one timer for all: a thousand timers
 * would wake an idle process 67 times a second.
 */
class StreamComments {
  /** By the second of the 15 in which they are called. */
  private readonly places = Array.from(
    { length: COMMENT_SECONDS },
    () => new Set<EventStreamConsumer>(),
  );
  /** The place whose turn it was last. */
  private place = 0;
  private timer: NodeJS.Timeout | undefined;

  static of(queues: Queues): StreamComments {
    const known = streamsOf.get(queues);
    if (known) return known;
    const made = new StreamComments();
    streamsOf.set(queues, made);
    return made;
  }

  add(stream: EventStreamConsumer): void {
    this.places[this.place]!.add(stream);
    this.timer ??= setInterval(() => this.next(), 1000);
  }

  remove(stream: EventStreamConsumer): void {
    for (const streams of this.places) if (streams.delete(stream)) break;
    if (this.places.some(({ size }) => size > 0)) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private next(): void {
    this.place = (this.place + 1) % COMMENT_SECONDS;
    for (const stream of this.places[this.place]!) stream.keepOpen();
  }
}
