import { setTimeout, clearTimeout } from '../../platform/timers.js';
import type { NativeResponse } from '../native.js';

/** Bytes handed to the network at once: smaller chunks are joined, larger ones divided. */
const CHUNK_BYTES = 64 * 1024;

/** ChunkReader reads a body that consists of many buffers as if it were one. */
export class ChunkReader {
  readonly size: number;
  /** Position of the reader: the index of the buffer, and the offset of its first byte in the body. */
  private index = 0;
  private start = 0;

  constructor(private readonly buffers: readonly Buffer[]) {
    this.size = buffers.reduce((sum, { length }) => sum + length, 0);
  }

  /** Some bytes from `offset` on, none at the end. Offsets must not decrease. */
  read(offset: number): Buffer {
    const { buffers } = this;
    while (this.index < buffers.length && offset >= this.start + buffers[this.index]!.length) {
      this.start += buffers[this.index]!.length;
      this.index += 1;
    }
    const first = buffers[this.index]?.subarray(offset - this.start) ?? Buffer.alloc(0);
    if (first.length >= CHUNK_BYTES / 2) return first.subarray(0, CHUNK_BYTES);
    const found = [first];
    let length = first.length;
    for (let i = this.index + 1; i < buffers.length && length < CHUNK_BYTES; i++) {
      const part = buffers[i]!.subarray(0, CHUNK_BYTES - length);
      found.push(part);
      length += part.length;
    }
    return found.length === 1 ? first : Buffer.concat(found, length);
  }
}

/**
 * Interval between two attempts to write to a client that accepts nothing, milliseconds. Each attempt
 * postpones the timeout of the native layer, which closes a connection 8 to 12 s after the last one.
 */
const RETRY_MS = 5_000;

/** A client that accepts no byte for so long is disconnected, milliseconds; as nginx does (`send_timeout`). */
const STALLED_MS = 60_000;

/** ChunkWriter writes the body of one reply in chunks, each when the client has accepted the one before. */
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

  /** The client disconnected: the native response must not be touched any more. */
  stop(): void {
    this.stopped = true;
    this.waiting?.(false);
  }

  /**
   * Writes a chunk, of which the network may accept a part only.
   * @returns how much of the body is written; all of it when the reply is complete, and any number when the
   *   client disconnected or was disconnected because it accepted nothing
   */
  async write(chunk: Buffer): Promise<number> {
    let rest = chunk;
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

  /**
   * Like the native function of this name. @returns whether all was accepted, and whether the reply is
   * complete
   */
  private tryEnd(chunk: Buffer): [boolean, boolean] {
    let result: [boolean, boolean] = [false, false];
    this.response.cork(() => {
      result = this.response.tryEnd(chunk, this.size);
    });
    return result;
  }

  /** Whether the client accepts data again before the next attempt is due. */
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
