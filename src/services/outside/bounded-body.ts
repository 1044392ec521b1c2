import type { IncomingMessage } from 'node:http';

/**
 * Pieces in which an answer may come. Each costs some microseconds however small it is; servers send kilobytes, and
 * five megabytes in so many pieces are 500 bytes each.
 */
const MAX_PIECES = 10_000;

/** What is read of an answer. */
interface Bounds {
  readonly maxBytes: number;
  /** Whether the beginning is enough of what is longer; otherwise that is refused. */
  readonly isPartEnough: boolean;
}

/** An answer that asking again would not better: its form is wrong, not the moment. */
export class UnfitAnswerError extends Error {}

/** Reads the body of an answer, and ends its connection. @throws Error for one that is too long, or is cut off */
export function boundedBody(
  response: IncomingMessage,
  { maxBytes, isPartEnough }: Bounds,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const whole = (): void => resolve(Buffer.concat(pieces, Math.min(size, maxBytes)));
    // Not by `for await`, which takes pieces together and so cannot count them.
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      pieces.push(piece);
      if (size > maxBytes && !isPartEnough) reject(new UnfitAnswerError('The answer is too long'));
      else if (size >= maxBytes && isPartEnough) whole();
      else if (pieces.length <= MAX_PIECES) return;
      else reject(new UnfitAnswerError('The answer comes in too small pieces'));
      response.destroy();
    });
    response.once('end', whole);
    response.on('error', reject);
    const cutOff = (): void => reject(new Error('The answer was cut off'));
    response.once('close', cutOff);
    if (response.destroyed) cutOff();
  }).finally(() => response.destroy());
}
