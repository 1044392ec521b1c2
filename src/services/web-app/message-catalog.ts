/** The first four bytes of a catalog, in the order of bytes that its tools write on machines of today. */
const MAGIC = 0x950412de;
/** Lengths and offsets of texts are pairs of 32-bit numbers. */
const PAIR = 8;

/**
 * MessageCatalog is a compiled file of translations (`.mo`): texts in English, sorted by their bytes, and those of one
 * language. A look-up is a binary search in the file itself, since a page needs ten of its 3,000 texts.
 */
export class MessageCatalog {
  private readonly count: number;
  private readonly keys: number;
  private readonly values: number;

  private constructor(private readonly file: Buffer) {
    this.count = file.readUInt32LE(8);
    this.keys = file.readUInt32LE(12);
    this.values = file.readUInt32LE(16);
  }

  /** @returns null for what is no catalog, or a damaged one */
  static of(file: Buffer): MessageCatalog | null {
    if (file.length < 20 || file.readUInt32LE(0) !== MAGIC) return null;
    const catalog = new MessageCatalog(file);
    return catalog.isWhole() ? catalog : null;
  }

  /** The text in the language; undefined where nobody translated it. */
  get(text: string): string | undefined {
    const wanted = Buffer.from(text);
    let [from, to] = [0, this.count];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = Buffer.compare(this.at(this.keys, middle), wanted);
      if (order === 0) return this.at(this.values, middle).toString() || undefined;
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }

  private isWhole(): boolean {
    const { length } = this.file;
    if (Math.max(this.keys, this.values) + this.count * PAIR > length) return false;
    for (let index = 0; index < this.count; index++) {
      for (const table of [this.keys, this.values]) {
        const at = table + index * PAIR;
        if (this.file.readUInt32LE(at) + this.file.readUInt32LE(at + 4) > length) return false;
      }
    }
    return true;
  }

  private at(table: number, index: number): Buffer {
    const at = table + index * PAIR;
    const offset = this.file.readUInt32LE(at + 4);
    return this.file.subarray(offset, offset + this.file.readUInt32LE(at));
  }
}
