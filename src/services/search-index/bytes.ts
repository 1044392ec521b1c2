/** Numbers of variable length in bytes: seven bits each, the lowest first. */

const FIRST_CAPACITY = 65_536;

/** Bytes that are appended to. */
export class ByteWriter {
  private buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  length = 0;

  /** Appends a number of at most 32 bits. */
  number(value: number): void {
    this.reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  /** Appends a text with its length. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.number(length);
    this.reserve(length);
    this.length += this.buffer.write(value, this.length);
  }

  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.buffer.set(value, this.length);
    this.length += value.length;
  }

  get written(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.buffer.length, this.length + count));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** Reads what a {@link ByteWriter} wrote. */
export class ByteReader {
  at = 0;

  constructor(private readonly buffer: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.buffer.length;
  }

  number(): number {
    const { buffer } = this;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = buffer[this.at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
      if (this.at > buffer.length) throw new RangeError('A number is cut off');
    }
  }

  text(): string {
    const length = this.number();
    this.at += length;
    return this.buffer.toString('utf8', this.at - length, this.at);
  }

  skip(count: number): void {
    this.at += count;
  }
}
