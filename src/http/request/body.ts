import {
  entityTooLarge,
  serviceUnavailable,
  unsupportedContentEncoding,
  type ApiError,
} from '../../errors/index.js';
import type { Exchange } from '../reply/exchange.js';
import { onceSettled } from '../../turns/background.js';

/**
 * A body that is too large is read and discarded up to so many times its limit: most clients send the whole
 * request before they read the reply, and see a broken pipe instead of the reason when the connection
 * closes early.
 */
const DRAIN_FACTOR = 4;

/**
 * Larger bodies are assembled while they arrive, not at their end at once, and so are smaller ones from their half on:
 * five hundred that come together are then copied once.
 */
const GATHERED_BYTES = 1024 * 1024;

/** A body of one chunk up to this size is not copied: see {@link keptBody}. */
const LENT_BYTES = 64 * 1024;

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
  const chunks: Buffer[] = [];
  /** Buffer in which a large body is assembled. */
  let whole: Buffer | null = null;
  /** What it may have to hold. Memory that nothing is written to costs nothing, so it may be more than comes. */
  const room = exchange.contentLength > 0 ? exchange.contentLength : limit;
  let size = 0;
  let seen = 0;
  let refusal: ApiError | null = null;
  if (exchange.contentCoding !== '') refusal = unsupportedContentEncoding(exchange.contentCoding);
  else if (exchange.contentLength > limit) refusal = entityTooLarge();
  if (refusal && exchange.holdsBody) {
    exchange.closeAfterReply();
    receiver.refused(refusal);
    return;
  }
  const release = () => {
    budget.give(size);
    if (chunks.length > 0) chunks.length = 0;
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
    if (seen > limit && !refusal) {
      refusal = entityTooLarge();
      release();
    }
    if (refusal) {
      if (last || seen > drained) refuse(refusal);
      return;
    }
    if (!budget.take(bytes)) return refuse(serviceUnavailable('Too many uploads at once'));
    const arrived = size + bytes;
    const isMuch = arrived > GATHERED_BYTES || 2 * arrived >= room;
    if (whole === null && isMuch && arrived <= room && !(last && size === 0)) {
      // Not before this much has arrived: a client that only announces a large body gets no memory for it.
      whole = Buffer.allocUnsafe(room);
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
    if (chunks.length > 0) chunks.length = 0;
    const decoding = receiver.complete(body);
    if (decoding) onceSettled(decoding, release, release);
    else release();
  });
}
