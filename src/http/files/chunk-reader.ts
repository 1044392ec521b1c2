import { EventLoopYield } from '../../event-loop-yield.js';

/** Bytes given to the network at once: smaller pieces are put together, larger ones divided. */
const PIECE_BYTES = 64 * 1024;

/** Bytes after which others get their turn, however fast the client is. */
const BYTES_PER_ROUND = 1024 * 1024;

/** Reads a body that lies in many pieces, as if it were one. */
export class ChunkReader {
  readonly size: number;
  /** Where the reader is: the piece, and the offset of its first byte in the body. */
  private piece = 0;
  private start = 0;
  private sinceRest = 0;
  private readonly pause = new EventLoopYield();

  constructor(private readonly pieces: readonly Buffer[]) {
    this.size = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  /** Some bytes from `offset` on, which never lies before the one asked for last; none at the end. */
  async read(offset: number): Promise<Buffer> {
    if (this.sinceRest >= BYTES_PER_ROUND) {
      this.sinceRest = 0;
      await this.pause.take();
    }
    const bytes = this.from(offset);
    this.sinceRest += bytes.length;
    return bytes;
  }

  private from(offset: number): Buffer {
    const { pieces } = this;
    while (this.piece < pieces.length && offset >= this.start + pieces[this.piece]!.length) {
      this.start += pieces[this.piece]!.length;
      this.piece += 1;
    }
    const first = pieces[this.piece]?.subarray(offset - this.start) ?? Buffer.alloc(0);
    if (first.length >= PIECE_BYTES / 2) return first.subarray(0, PIECE_BYTES);
    const found = [first];
    let length = first.length;
    for (let i = this.piece + 1; i < pieces.length && length < PIECE_BYTES; i++) {
      const part = pieces[i]!.subarray(0, PIECE_BYTES - length);
      found.push(part);
      length += part.length;
    }
    return found.length === 1 ? first : Buffer.concat(found, length);
  }
}
