import type { NativeResponse } from '../native.js';

/**
 * How often a client that takes nothing is tried again, milliseconds. Each try puts off the timeout of the
 * native layer, which ends a connection 8 to 12 s after the last one.
 */
const RETRY_MS = 5_000;

/** A client that takes no byte for so long is cut off, as by nginx (`send_timeout`). Milliseconds. */
const STALLED_MS = 60_000;

/** Writes the body of one reply in pieces, each when the client has taken the former one. */
export class ChunkWriter {
  private stopped = false;
  private waiting: ((writable: boolean) => void) | undefined;

  /** @param size bytes of the whole body */
  constructor(
    private readonly response: NativeResponse,
    private readonly size: number,
  ) {
    response.onWritable(() => {
      this.waiting?.(true);
      return true;
    });
  }

  /** The client has gone: the native response must not be touched any more. */
  stop(): void {
    this.stopped = true;
    this.waiting?.(false);
  }

  /**
   * Writes a piece, of which the network may take a part only.
   * @returns how much of the body is written now; all of it when the reply is finished, and anything
   * when the client has gone, or was cut off because it took nothing
   */
  async write(piece: Buffer): Promise<number> {
    let rest = piece;
    for (let stalledMs = 0; stalledMs < STALLED_MS; stalledMs += RETRY_MS) {
      const before = this.response.getWriteOffset();
      const [taken, done] = this.tryEnd(rest);
      if (done) return this.size;
      const offset = this.response.getWriteOffset();
      if (taken || (await this.becomesWritable())) return offset;
      if (this.stopped) return 0;
      rest = rest.subarray(offset - before);
      if (offset > before) stalledMs = 0;
    }
    this.response.close();
    return 0;
  }

  /** As the native function of the name. @returns whether all was taken, and whether the reply is finished */
  private tryEnd(piece: Buffer): [boolean, boolean] {
    let result: [boolean, boolean] = [false, false];
    this.response.cork(() => {
      result = this.response.tryEnd(piece, this.size);
    });
    return result;
  }

  /** Whether the client takes something again before the next try is due. */
  private becomesWritable(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.waiting?.(false), RETRY_MS);
      this.waiting = (writable) => {
        clearTimeout(timer);
        this.waiting = undefined;
        resolve(writable);
      };
    });
  }
}
