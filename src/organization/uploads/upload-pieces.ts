import { createHash } from 'node:crypto';
import type { BlobParts, BlobStore } from '../../services/blob-store.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';

/**
 * Bytes of a piece. A request holds one in memory; the bytes of a piece that a client sends bit by bit are written
 * again with each bit, which takes a millisecond.
 */
export const PIECE_BYTES = 1024 * 1024;

/** What a piece is of. */
interface Pieces {
  readonly id: string;
  /** Bytes that are stored; pieces may have more, which were not acknowledged. */
  readonly offset: number;
}

interface Announced {
  readonly id: string;
  readonly size: number;
}

/** Storage keys of all pieces that an upload may have. */
export function pieceKeys({ id, size }: Announced): string[] {
  const count = Math.ceil(size / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) => keyOf(id, index * PIECE_BYTES));
}

/** A stored piece is gone, or shorter than was acknowledged: the client has to send the file from there. */
export class LostPieceError extends Error {
  override name = 'LostPieceError';

  constructor(readonly offset: number) {
    super(`A piece at ${offset} is gone`);
  }
}

/** UploadPieces keeps the bytes of uploads that are not complete: files of the blob store of a mebibyte each. */
export class UploadPieces {
  constructor(private readonly blobs: Pick<BlobStore, 'put' | 'get' | 'delete'>) {}

  /** Stores bytes behind those that are there; durable when it resolves. @throws LostPieceError */
  async append(upload: Pieces, bytes: Buffer): Promise<void> {
    let rest = bytes;
    for (let at = upload.offset; rest.length > 0;) {
      const start = at - (at % PIECE_BYTES);
      const part = rest.subarray(0, start + PIECE_BYTES - at);
      const whole = at === start ? part : Buffer.concat([await this.read(upload, start), part]);
      await this.blobs.put(keyOf(upload.id, start), whole);
      at += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /**
   * The whole file.
   * @param last its last bytes, which are stored with it alone
   * @throws LostPieceError
   */
  async joined(upload: Pieces, last: Buffer): Promise<BlobParts> {
    const hash = createHash('sha256');
    const turn = new EventLoopYield();
    for await (const part of this.parts(upload, last)) {
      hash.update(part);
      if (turn.isDue) await turn.take();
    }
    return {
      length: upload.offset + last.length,
      hash: hash.digest('hex'),
      read: () => this.parts(upload, last),
    };
  }

  /** The first piece of a file that {@link joined} has, which tells of what kind a picture is. */
  async head(upload: Pieces, last: Buffer): Promise<Buffer> {
    return upload.offset === 0 ? last : this.read(upload, 0);
  }

  /** Removes all pieces of an upload. @throws Error */
  async remove(upload: Announced): Promise<void> {
    for (const key of pieceKeys(upload)) await this.blobs.delete(key);
  }

  private async *parts(upload: Pieces, last: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < upload.offset; at += PIECE_BYTES) yield await this.read(upload, at);
    if (last.length > 0) yield last;
  }

  /** The acknowledged bytes of a piece. */
  private async read({ id, offset }: Pieces, start: number): Promise<Buffer> {
    const length = Math.min(PIECE_BYTES, offset - start);
    const piece = await this.blobs.get(keyOf(id, start));
    if (piece === undefined || piece.length < length) throw new LostPieceError(start);
    return piece.subarray(0, length);
  }
}

function keyOf(id: string, start: number): string {
  return `tus/${id}/${start / PIECE_BYTES}`;
}
