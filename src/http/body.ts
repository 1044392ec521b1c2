import { entityTooLarge, serviceUnavailable, type ApiError } from '../errors.js';
import type { Exchange } from './exchange.js';

/**
 * A body that is too large is still read to its end, and forgotten, up to so many times its limit: most
 * clients send all of a request before they read the reply, and of a connection that closes under them
 * they see a broken pipe and never the reason.
 */
const DRAIN_FACTOR = 4;

/** A body of one chunk up to this size is not copied; larger ones may be decoded later than at once. */
const LENT_BYTES = 64 * 1024;

/** Bytes of all bodies being collected at this moment, over all requests. */
export class BodyBudget {
  private used = 0;

  constructor(private readonly max: number) {}

  /** False where the bytes are not to be had. */
  take(bytes: number): boolean {
    if (this.used + bytes > this.max) return false;
    this.used += bytes;
    return true;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    this.used -= bytes;
  }
}

/** What becomes of a body; exactly one of the two is called, or none where the client goes away. */
export interface BodyReceiver {
  /**
   * The bytes are valid during the call only, or until the promise it returns is settled; so long they
   * count against the budget.
   */
  complete(body: Buffer): void | Promise<void>;
  refused(error: ApiError): void;
}

/**
 * Collects a request body of at most `limit` bytes; what is larger is refused with 413 and the end of
 * the connection (errors.md section 8), once the client has sent it all, or at once where it is larger
 * than anybody would wait for. When the bodies in flight exceed the common budget: 503. A client that
 * stalls is cut off by the native timeout; nothing is kept after an abort.
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
  const chunks: Buffer[] = [];
  let size = 0;
  let seen = 0;
  let tooLarge = exchange.contentLength > limit;
  const release = () => {
    budget.give(size);
    chunks.length = 0;
    size = 0;
  };
  const refuse = (error: ApiError) => {
    release();
    exchange.receiving = false;
    exchange.closeAfterReply();
    receiver.refused(error);
  };
  exchange.receiving = true;
  exchange.onAbort(release);
  exchange.onData((chunk, last) => {
    if (exchange.settled) return;
    const bytes = chunk.byteLength;
    seen += bytes;
    if (seen > limit && !tooLarge) {
      tooLarge = true;
      release();
    }
    if (tooLarge) {
      if (last || seen > drained) refuse(entityTooLarge());
      return;
    }
    if (!budget.take(bytes)) return refuse(serviceUnavailable('Too many uploads at once'));
    size += bytes;
    if (!last) {
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      return;
    }
    const whole =
      chunks.length === 0 && bytes <= LENT_BYTES
        ? Buffer.from(chunk)
        : Buffer.concat([...chunks, Buffer.from(chunk)]);
    exchange.receiving = false;
    chunks.length = 0;
    const decoding = receiver.complete(whole);
    if (decoding) void decoding.finally(release);
    else release();
  });
}
