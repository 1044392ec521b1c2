/** Lengths of beginnings that a filter knows, the longest first; UTF-16 units. Shorter words it does not judge. */
const LENGTHS = [8, 5, 3];
/** With four bits for each of them one of 40 words that no word begins with is taken for one. */
const BITS_PER_BEGINNING = 8;
const BITS_SET = 4;

/**
 * WordFilter is a Bloom filter of the beginnings of words: it tells of most words that no word begins with them,
 * without a look into the dictionary.
 */
export class WordFilter {
  constructor(readonly bytes: Uint8Array) {}

  /** @param words sorted, each once */
  static of(words: readonly string[]): WordFilter {
    const beginnings: string[] = [];
    for (const length of LENGTHS) {
      let last: string | undefined;
      for (const word of words) {
        if (word.length < length) continue;
        const beginning = word.slice(0, length);
        if (beginning !== last) beginnings.push((last = beginning));
      }
    }
    const size = Math.ceil((beginnings.length * BITS_PER_BEGINNING) / 8);
    const filter = new WordFilter(new Uint8Array(Math.max(1, size)));
    for (const beginning of beginnings) {
      filter.forBits(beginning, (byte, bit) => {
        filter.bytes[byte]! |= bit;
        return true;
      });
    }
    return filter;
  }

  /** False where certainly no word is this one or begins with it. */
  mayHave(word: string): boolean {
    const length = LENGTHS.find((one) => word.length >= one);
    if (length === undefined) return true;
    return this.forBits(word.slice(0, length), (byte, bit) => (this.bytes[byte]! & bit) !== 0);
  }

  /** Whether `take` returned true for all of its bits. */
  private forBits(beginning: string, take: (byte: number, bit: number) => boolean): boolean {
    const bits = 8 * this.bytes.length;
    // FNV-1a, and from it a second hash for the distance between the bits.
    let hash = 0x811c9dc5;
    for (let i = 0; i < beginning.length; i++) {
      hash = Math.imul(hash ^ beginning.charCodeAt(i), 0x01000193);
    }
    const step = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1;
    for (let i = 0; i < BITS_SET; i++) {
      const place = ((hash + Math.imul(i, step)) >>> 0) % bits;
      if (!take(place >>> 3, 1 << (place & 7))) return false;
    }
    return true;
  }
}
