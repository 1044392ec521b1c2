/** Parts shorter than this share a block, bytes: each buffer of its own takes some hundred more. */
const SHORT_BYTES = 2048;
const BLOCK_BYTES = 4096;

/**
 * BodyParts keeps copies of what has come of a body, in order. A client chooses how long the parts are: a body of 25 MB in
 * chunks of one byte would take two gigabytes, were each kept as it came.
 */
export class BodyParts {
  private readonly whole: Buffer[] = [];
  /** The block of the short parts that came last, and how much of it is filled. */
  private block: Buffer | null = null;
  private filled = 0;

  get isEmpty(): boolean {
    return this.whole.length === 0 && this.filled === 0;
  }

  /** @param part valid during the call */
  push(part: Uint8Array): void {
    if (part.length >= SHORT_BYTES) {
      this.endBlock();
      this.whole.push(Buffer.from(part));
      return;
    }
    if (this.filled + part.length > BLOCK_BYTES) this.endBlock();
    this.block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.block.set(part, this.filled);
    this.filled += part.length;
  }

  /** Takes the first bytes, at most so many; none where nothing is left. */
  take(most: number): Buffer {
    if (this.whole.length === 0) this.endBlock();
    const first = this.whole[0];
    if (!first) return NOTHING;
    if (first.length <= most) return this.whole.shift()!;
    this.whole[0] = first.subarray(most);
    return first.subarray(0, most);
  }

  clear(): void {
    this.whole.length = 0;
    this.block = null;
    this.filled = 0;
  }

  private endBlock(): void {
    if (this.block && this.filled > 0) this.whole.push(this.block.subarray(0, this.filled));
    this.block = null;
    this.filled = 0;
  }
}

const NOTHING = Buffer.alloc(0);
