/** Ids of one part of the index: the messages whose ids agree in all but the last 16 bits. */
export const PART_SIZE = 65_536;

const WORDS = PART_SIZE / 32;

/** A set of the places in one part. */
export class Bits {
  private constructor(private readonly words: Uint32Array) {}

  static none(): Bits {
    return new Bits(new Uint32Array(WORDS));
  }

  /** @param bytes as `bytes` gives them */
  static of(bytes: Uint8Array): Bits {
    return new Bits(new Uint32Array(new Uint8Array(bytes).buffer));
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.words.buffer);
  }

  copy(): Bits {
    return new Bits(this.words.slice());
  }

  has(place: number): boolean {
    return (this.words[place >>> 5]! & (1 << (place & 31))) !== 0;
  }

  add(place: number): void {
    this.words[place >>> 5]! |= 1 << (place & 31);
  }

  clear(): void {
    this.words.fill(0);
  }

  remove(place: number): void {
    this.words[place >>> 5]! &= ~(1 << (place & 31));
  }

  /** Adds all of another set. */
  unite(other: Bits): void {
    for (let i = 0; i < WORDS; i++) this.words[i]! |= other.words[i]!;
  }

  /** Keeps what another set has, too. */
  intersect(other: Bits): void {
    for (let i = 0; i < WORDS; i++) this.words[i]! &= other.words[i]!;
  }

  /** Removes all of another set. */
  subtract(other: Bits): void {
    for (let i = 0; i < WORDS; i++) this.words[i]! &= ~other.words[i]!;
  }

  get isEmpty(): boolean {
    const { words } = this;
    for (let i = 0; i < WORDS; i++) if (words[i] !== 0) return false;
    return true;
  }

  get size(): number {
    let size = 0;
    for (let place = this.next(0); place >= 0; place = this.next(place + 1)) size++;
    return size;
  }

  /** Whether it has no more places than so many; looks no further. */
  hasAtMost(count: number): boolean {
    let left = count;
    for (let place = this.next(0); place >= 0; place = this.next(place + 1)) {
      left -= 1;
      if (left < 0) return false;
    }
    return true;
  }

  /** The smallest place from this one on, or -1. */
  next(place: number): number {
    let i = place >>> 5;
    if (i >= WORDS) return -1;
    let word = this.words[i]! & (-1 << (place & 31));
    while (word === 0) {
      i += 1;
      if (i >= WORDS) return -1;
      word = this.words[i]!;
    }
    return (i << 5) + 31 - Math.clz32(word & -word);
  }

  /** The largest place up to this one, or -1. */
  previous(place: number): number {
    if (place < 0) return -1;
    let i = place >>> 5;
    let word = this.words[i]! & (-1 >>> (31 - (place & 31)));
    while (word === 0) {
      i -= 1;
      if (i < 0) return -1;
      word = this.words[i]!;
    }
    return (i << 5) + 31 - Math.clz32(word);
  }
}
