import {
  entityTooLarge,
  serviceUnavailable,
  unsupportedContentEncoding,
  type ApiError,
} from '../../errors/index.js';
import type { Exchange } from '../reply/exchange.js';
import { onceSettled } from '../../turns/background.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import { BodyFlow } from './body-flow.js';
import { BodyParts } from './body-parts.js';

/**
 * A body that is too large is read and discarded up to so many times its limit: most clients send the whole
 * request before they read the reply, and see a broken pipe instead of the reason when the connection
 * closes early.
 */
const DRAIN_FACTOR = 4;

/** A body of one chunk up to this size is not copied: see {@link keptBody}. */
const LENT_BYTES = 64 * 1024;

/** Bytes that are put together in one turn: a millisecond, where the memory is new. */
const STEP_BYTES = 512 * 1024;

/** The body where it is read after the call that gave it. */
export function keptBody(body: Buffer): Buffer {
  return body.length <= LENT_BYTES ? Buffer.from(body) : body;
}

/** BodyBudget bounds the bytes of all bodies that are being received, over all requests. */
export class BodyBudget {
  private used = 0;

  constructor(private readonly max: number) {}

  /** Reserves bytes; false where the budget does not have them. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.max) return false;
    this.used += bytes;
    return true;
  }

  /** Returns reserved bytes. */
  give(bytes: number): void {
    this.used -= bytes;
  }
}

/** Receives a body. Exactly one of the two methods is called; none where the client disconnects. */
interface BodyReceiver {
  /**
   * The bytes are valid during the call, or until the returned promise settles, and count against the
   * budget so long.
   */
  complete(body: Buffer): void | Promise<void>;
  refused(error: ApiError): void;
}

/**
 * Receives a request body of at most `limit` bytes. A larger one is refused with 413 and the end of the connection
 * (requests.md#bodies-sizes-faults), once the client has sent it all, or at once where it is far too large; a
 * compressed one with 415. A client that holds the body back is refused before it. When the bodies in progress exceed
 * the common budget: 503. The native timeout disconnects a client that stalls; nothing is kept after an abort.
 */
export function collectBody(
  exchange: Exchange,
  limit: number,
  budget: BodyBudget,
  receiver: BodyReceiver,
): void {
  const drained = limit * DRAIN_FACTOR;
  if (exchange.contentLength > drained) {
    exchange.closeAfterReply();
    receiver.refused(entityTooLarge());
    return;
  }
  let seen = 0;
  let refusal: ApiError | null = null;
  if (exchange.contentCoding !== '') refusal = unsupportedContentEncoding(exchange.contentCoding);
  else if (exchange.contentLength > limit) refusal = entityTooLarge();
  if (refusal && exchange.holdsBody) {
    exchange.closeAfterReply();
    receiver.refused(refusal);
    return;
  }
  let gathered: GatheredBody | null = null;
  let taken = 0;
  const release = (): void => {
    budget.give(taken);
    taken = 0;
    gathered?.drop();
    gathered = null;
  };
  const refuse = (error: ApiError): void => {
    release();
    exchange.receiving = false;
    exchange.closeAfterReply();
    receiver.refused(error);
  };
  const complete = (body: Buffer): void => {
    exchange.receiving = false;
    const decoding = receiver.complete(body);
    if (decoding) onceSettled(decoding, release, release);
    else release();
  };
  exchange.receiving = true;
  exchange.onAbort(release);
  exchange.onData((chunk, last) => {
    if (exchange.settled) return;
    const bytes = chunk.byteLength;
    if (!last && connectionTurns.isTooMany(bytes)) return exchange.cutOff();
    seen += bytes;
    if (seen > limit && !refusal) {
      refusal = entityTooLarge();
      release();
    }
    if (refusal) {
      connectionTurns.arrive(bytes);
      if (last || seen > drained) refuse(refusal);
      return;
    }
    if (connectionTurns.isFlooded || !budget.take(bytes)) {
      return refuse(serviceUnavailable('Too many uploads at once'));
    }
    taken += bytes;
    if (last && gathered === null && bytes <= LENT_BYTES) return complete(Buffer.from(chunk));
    gathered ??= new GatheredBody(exchange, limit, complete);
    gathered.add(chunk, last);
  });
}

/**
 * GatheredBody assembles a body that comes in several parts. What a part costs counts for the round, and what has no room
 * in it waits for its turn, while the client is held back ({@link connectionTurns}): the parts of hundreds of bodies
 * arrive in one round, each of half a megabyte and more.
 */
class GatheredBody {
  /** Parts that are not in `whole` yet. */
  private readonly parts = new BodyParts();
  private size = 0;
  /** Where the body is put together; what of it is filled. */
  private whole: Buffer | null = null;
  private filled = 0;
  private isOver = false;
  private readonly flow: BodyFlow;
  /** What may have to be held, bytes. */
  private readonly room: number;

  constructor(
    exchange: Exchange,
    limit: number,
    private readonly complete: (body: Buffer) => void,
  ) {
    this.room = exchange.contentLength > 0 ? exchange.contentLength : limit;
    this.flow = new BodyFlow(exchange);
  }

  /** @param chunk valid during the call */
  add(chunk: ArrayBuffer, last: boolean): void {
    const bytes = new Uint8Array(chunk);
    this.isOver = last;
    this.size += bytes.length;
    const hasRoom = connectionTurns.arrive(bytes.length);
    if (this.parts.isEmpty && this.isDue) {
      this.whole ??= this.allocated();
      this.whole.set(bytes, this.filled);
      this.filled += bytes.length;
    } else this.parts.push(bytes);
    if (this.flow.isWaiting) return;
    if (!hasRoom || (this.isDue && this.size - this.filled > STEP_BYTES)) this.wait();
    else this.proceed();
  }

  /** The client has gone, or its body is refused: nothing more is done, and the rest is received in vain. */
  drop(): void {
    this.flow.end();
    this.parts.clear();
    this.whole = null;
  }

  private wait(): void {
    this.flow.wait(STEP_BYTES, () => this.proceed());
  }

  /**
   * Whether the body is put together: not before half of it has arrived. A client that only announces a large body gets no
   * memory for it, and what all have together is bounded by what was received.
   */
  private get isDue(): boolean {
    return this.isOver || 2 * this.size >= this.room;
  }

  private allocated(): Buffer {
    return Buffer.allocUnsafeSlow(this.isOver ? this.size : this.room);
  }

  /** Puts a piece of the body in its place; waits for a further turn where there is more. */
  private proceed(): void {
    if (!this.isDue) return;
    const whole = (this.whole ??= this.allocated());
    const until = this.filled + STEP_BYTES;
    while (!this.parts.isEmpty && this.filled < until) {
      this.filled += this.parts.take(STEP_BYTES).copy(whole, this.filled);
    }
    if (!this.parts.isEmpty) this.wait();
    else if (this.isOver) {
      this.flow.end();
      this.complete(whole.subarray(0, this.size));
    }
  }
}
