import { MAX_FILE_UPLOAD_SIZE_MIB } from '../../../schemas/limits.js';
import { serviceUnavailable } from '../../errors/index.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import type { Exchange } from '../reply/exchange.js';
import type { BodyBudget } from './body.js';
import { BodyFlow } from './body-flow.js';
import { BodyParts } from './body-parts.js';

/**
 * Bytes that may wait to be read; then the client is held back. More may come, up to what the system has received already:
 * the builds of the native layer for Node 22 and 24 read that to its end, some megabytes on a fast network.
 */
const HIGH_WATER_BYTES = 1024 * 1024;

/** Bytes of a refused request that are received in vain, so that its client reads the reason. */
const MOST_DISCARDED = 4 * MAX_FILE_UPLOAD_SIZE_MIB * 1024 * 1024;

/** What may come when the client is held back no more, bytes: what the native layer reads at a time. */
const TURN_BYTES = 512 * 1024;

/**
 * BodyStream reads a body while it arrives, as fast as its reader takes it: a fast client waits in the buffers of the
 * network. Make it while the entry function runs.
 */
export class BodyStream {
  /** The client disconnected: what came before may still be read. */
  isAborted = false;
  private readonly parts = new BodyParts();
  private size = 0;
  private seen = 0;
  private isOver = false;
  private readonly flow: BodyFlow;
  /** Nobody reads the rest. */
  private isDiscarded = false;
  private isRefused = false;
  private wake: (() => void) | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly budget: BodyBudget,
  ) {
    exchange.receiving = true;
    this.flow = new BodyFlow(exchange);
    exchange.onAbort(() => this.end(true));
    exchange.onData((chunk, last) => this.take(chunk, last));
  }

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    return this.isOver && this.size === 0;
  }

  /**
   * The next bytes, at the turn of the account: as many as are wanted, or what is left when the body has ended or the client
   * has gone. Hundreds of readers get what they wait for in one round.
   * @throws ApiError 503 where too much is being received
   */
  async read(wanted: number): Promise<Buffer> {
    while (this.size < wanted && !this.isOver) await this.more();
    if (this.isRefused) throw serviceUnavailable('Too many uploads at once');
    await this.flow.turn(Math.min(wanted, this.size));
    const found: Buffer[] = [];
    for (let rest = Math.min(wanted, this.size); rest > 0;) {
      const part = this.parts.take(rest);
      found.push(part);
      rest -= part.length;
    }
    const bytes = found.length === 1 ? found[0]! : Buffer.concat(found);
    this.forget(bytes.length);
    return bytes;
  }

  /**
   * Nobody reads on: resolves when the rest has come, because most clients send the whole request before they read
   * the reply. One that sends far too much, or waits to be asked for its body, is cut off after the reply.
   * @param most bytes that are received in vain
   */
  async discard(most = MOST_DISCARDED): Promise<void> {
    this.isDiscarded = true;
    this.parts.clear();
    this.forget(this.size);
    const { exchange } = this;
    const isFar = (): boolean => this.seen > most || exchange.contentLength > most;
    while (!this.isOver && !exchange.holdsBody && !isFar()) await this.more();
    if (!this.isOver) exchange.closeAfterReply();
    this.flow.end();
    exchange.receiving = false;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private take(chunk: ArrayBuffer, last: boolean): void {
    if (!last && connectionTurns.isTooMany(chunk.byteLength)) return this.exchange.cutOff();
    this.seen += chunk.byteLength;
    if (!this.isDiscarded && !this.isRefused) {
      if (!connectionTurns.isFlooded && this.budget.take(chunk.byteLength)) {
        this.parts.push(new Uint8Array(chunk));
        this.size += chunk.byteLength;
      } else this.isRefused = true;
    }
    const hasRoom = connectionTurns.arrive(chunk.byteLength);
    if (last) this.end(false);
    else {
      if (!hasRoom) this.flow.wait(TURN_BYTES, () => undefined);
      this.flow.readerIs(this.size >= HIGH_WATER_BYTES);
      this.wake?.();
    }
  }

  private end(isAborted: boolean): void {
    this.isAborted = isAborted;
    this.isOver = true;
    this.flow.end();
    this.exchange.receiving = false;
    this.wake?.();
  }

  private forget(bytes: number): void {
    this.size -= bytes;
    this.budget.give(bytes);
    this.flow.readerIs(this.size >= HIGH_WATER_BYTES);
  }
}
