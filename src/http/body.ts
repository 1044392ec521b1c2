import { entityTooLarge, serviceUnavailable, type ApiError } from '../errors.js';
import type { Exchange } from './exchange.js';

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

  give(bytes: number): void {
    this.used -= bytes;
  }
}

/** What becomes of a body; exactly one of the two is called, or none where the client goes away. */
export interface BodyReceiver {
  /** The bytes are valid during the call only. */
  complete(body: Buffer): void;
  refused(error: ApiError): void;
}

/**
 * Collects a request body of at most `limit` bytes: refused at once where the announced length is
 * larger, otherwise as soon as the bytes exceed it, with 413 and the end of the connection (errors.md
 * section 8). When the bodies in flight exceed the common budget: 503. A client that stalls is cut
 * off by the native timeout; nothing is kept after an abort.
 */
export function collectBody(
  exchange: Exchange,
  limit: number,
  budget: BodyBudget,
  receiver: BodyReceiver,
): void {
  if (exchange.contentLength > limit) {
    exchange.closeAfterReply();
    receiver.refused(entityTooLarge());
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const release = () => {
    budget.give(size);
    chunks.length = 0;
    size = 0;
  };
  const refuse = (error: ApiError) => {
    release();
    exchange.closeAfterReply();
    receiver.refused(error);
  };
  exchange.receiving = true;
  exchange.onAbort(release);
  exchange.onData((chunk, last) => {
    if (exchange.settled) return;
    const bytes = chunk.byteLength;
    if (size + bytes > limit) return refuse(entityTooLarge());
    if (!budget.take(bytes)) return refuse(serviceUnavailable('Too many uploads at once'));
    size += bytes;
    if (!last) {
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      return;
    }
    const whole =
      chunks.length === 0 ? Buffer.from(chunk) : Buffer.concat([...chunks, Buffer.from(chunk)]);
    release();
    exchange.receiving = false;
    receiver.complete(whole);
  });
}
