import type { NativeResponse } from './native.js';

/** Writes the body of one reply in pieces, each when the client has taken the former one. */
export class PieceWriter {
  private stopped = false;
  private waiting: (() => void) | undefined;

  /** @param size bytes of the whole body */
  constructor(
    private readonly response: NativeResponse,
    private readonly size: number,
  ) {
    response.onWritable(() => {
      this.wake();
      return true;
    });
  }

  /** The client has gone: the native response must not be touched any more. */
  stop(): void {
    this.stopped = true;
    this.wake();
  }

  /**
   * Writes a piece, of which the network may take a part only.
   * @returns how much of the body is written now; all of it when the reply is finished, and anything
   * when the client has gone
   */
  async write(piece: Buffer): Promise<number> {
    let taken = false;
    let done = false;
    this.response.cork(() => {
      [taken, done] = this.response.tryEnd(piece, this.size);
    });
    if (done) return this.size;
    if (!taken && !this.stopped) await new Promise<void>((resolve) => (this.waiting = resolve));
    return this.stopped ? 0 : this.response.getWriteOffset();
  }

  private wake(): void {
    const wake = this.waiting;
    this.waiting = undefined;
    wake?.();
  }
}
