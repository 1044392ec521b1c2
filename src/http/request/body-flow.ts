import { connectionTurns, type Receiver } from '../../turns/connection-turns.js';
import type { Exchange } from '../reply/exchange.js';

/** What of the exchange a flow needs. */
type Held = Pick<Exchange, 'account' | 'holdBody'>;

/**
 * BodyFlow holds the client of a body back while the body waits for its turn, while its reader is behind, and while other
 * bodies have sent as much as the round has room for ({@link connectionTurns}). Make it while the entry function, or the call
 * that gives a part, runs, and end it.
 */
export class BodyFlow implements Receiver {
  /** Work on what has come waits for its turn. */
  private isWaiting_ = false;
  /** Its reader has enough. */
  private isBehind = false;
  /** The round has no room for more. */
  private isFlooded = false;
  private isOver = false;
  private isHeld = false;
  private readonly account: Held['account'];

  constructor(private readonly exchange: Held) {
    this.account = exchange.account;
    connectionTurns.begin(this);
  }

  get isWaiting(): boolean {
    return this.isWaiting_;
  }

  /** Does work at the turn of its account, unless the body is over by then; its client is held back until then. */
  wait(bytes: number, work: () => void): void {
    if (this.isWaiting_ || this.isOver) return;
    this.isWaiting_ = true;
    this.adjust();
    connectionTurns.wait(bytes, this.account, () => {
      this.isWaiting_ = false;
      if (this.isOver) return;
      work();
      this.adjust();
    });
  }

  /** Resolves at a turn of its account. */
  turn(bytes: number): Promise<void> {
    return connectionTurns.turn(bytes, this.account);
  }

  /** @param isBehind whether the reader has enough */
  readerIs(isBehind: boolean): void {
    this.isBehind = isBehind;
    this.adjust();
  }

  hold(isFlooded: boolean): void {
    this.isFlooded = isFlooded;
    this.adjust();
  }

  /** Nothing more is kept of the body: what comes by the connection is received. Idempotent. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    connectionTurns.end(this);
    this.adjust();
  }

  private adjust(): void {
    const { isOver, isWaiting_, isBehind, isFlooded } = this;
    const isHeld = !isOver && (isWaiting_ || isBehind || isFlooded);
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.exchange.holdBody(isHeld);
  }
}
