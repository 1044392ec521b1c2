import { connectionTurns } from '../../turns/connection-turns.js';
import type { Exchange } from '../reply/exchange.js';
import type { BodyBudget } from './body.js';

type Listener = (chunk: ArrayBuffer, last: boolean) => void;

/** What of the exchange it needs. */
type Held = Pick<Exchange, 'holdBody' | 'onAbort' | 'onData' | 'cutOff' | 'aborted' | 'early'>;

/**
 * EarlyBody keeps what comes of a body before it is known who receives it, because the organization of the request is being
 * brought into memory. The client is held back from its first part on: what the system had received by then comes all the
 * same, and counts against the budget of all bodies. One that is too much is cut off, as a client that floods is. Make it while
 * the entry function runs.
 */
export class EarlyBody {
  private parts: ArrayBuffer[] = [];
  private size = 0;
  private isOver = false;
  private isReleased = false;
  private listener: Listener | null = null;

  constructor(
    private readonly exchange: Held,
    private readonly budget: BodyBudget,
  ) {
    exchange.onAbort(() => this.forget());
    exchange.onData((chunk, last) => this.take(chunk, last));
    exchange.early = this;
  }

  private take(chunk: ArrayBuffer, last: boolean): void {
    if (this.listener) this.listener(chunk, last);
    else if (!this.isReleased) this.keep(chunk, last);
  }

  /** Whoever receives the body gets what has come, at once, and then the rest. */
  onData(listener: Listener): void {
    const { parts, isOver } = this;
    this.listener = listener;
    this.forget();
    parts.forEach((part, i) => {
      if (!this.exchange.aborted) listener(part, isOver && i === parts.length - 1);
    });
  }

  /** Receives the rest, while work serves or refuses the request; without a receiver by then, in vain. */
  release(work: () => void): void {
    this.isReleased = true;
    this.exchange.holdBody(false);
    work();
    if (!this.listener) this.forget();
  }

  private keep(chunk: ArrayBuffer, last: boolean): void {
    const bytes = chunk.byteLength;
    connectionTurns.arrive(bytes);
    if (connectionTurns.isFlooded || !this.budget.take(bytes)) {
      this.exchange.cutOff();
      return;
    }
    this.size += bytes;
    this.isOver = last;
    // It is valid during the call alone.
    this.parts.push(chunk.slice(0));
    if (!last) this.exchange.holdBody(true);
  }

  private forget(): void {
    this.budget.give(this.size);
    this.size = 0;
    this.parts = [];
  }
}
