import { entityTooLarge, serviceUnavailable, type ApiError } from '../../errors.js';
import type { Exchange } from '../exchange.js';

/**
 * A body that is too large is still read to its end, and forgotten, up to so many times its limit: most
 * clients send all of a request before they read the reply, and of a connection that closes under them
 * they see a broken pipe and never the reason.
 */
const DRAIN_FACTOR = 4;

/** Larger bodies are put together while they come, not at their end in one go. */
const GATHERED_BYTES = 1024 * 1024;

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
interface BodyReceiver {
  /**
   * The bytes are valid during the call only, or until the promise it returns is settled; so long they
   * count against the budget.
   */
  complete(body: Buffer): void | Promise<void>;
  refused(error: ApiError): void;
}

/**
 * Collects a request body of at most `limit` bytes; what is larger is refused with 413 and the end of
 * the connection (requests.md#bodies-sizes-faults), once the client has sent it all, or at once where it is larger
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
  /** Where a large body of a known length is put together while it comes. */
  let whole: Buffer | null = null;
  let size = 0;
  let seen = 0;
  let tooLarge = exchange.contentLength > limit;
  const release = () => {
    budget.give(size);
    chunks.length = 0;
    whole = null;
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
    if (whole === null && size + bytes > GATHERED_BYTES && size + bytes <= exchange.contentLength) {
      // Not before so much of it has come: whoever only announces a large body gets no memory for it.
      whole = Buffer.allocUnsafeSlow(exchange.contentLength);
      let end = 0;
      for (const part of chunks) end += part.copy(whole, end);
      chunks.length = 0;
    }
    whole?.set(new Uint8Array(chunk), size);
    size += bytes;
    if (!last) {
      if (whole === null) chunks.push(Buffer.from(new Uint8Array(chunk)));
      return;
    }
    const body: Buffer =
      whole?.subarray(0, size) ??
      (chunks.length === 0 && bytes <= LENT_BYTES
        ? Buffer.from(chunk)
        : Buffer.concat([...chunks, Buffer.from(chunk)]));
    exchange.receiving = false;
    chunks.length = 0;
    const decoding = receiver.complete(body);
    if (decoding) void decoding.finally(release);
    else release();
  });
}
