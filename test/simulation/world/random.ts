/** Numbers that follow from a seed alone: the same on every machine and every Node. */
export class Random {
  #state: [number, number, number, number];

  /** @param seed any text; another text gives other numbers */
  constructor(private readonly seed: string) {
    // FNV-1a with four offsets: short seeds that differ in one character give states that differ everywhere.
    const hash = (offset: number): number => {
      let value = (2_166_136_261 ^ offset) >>> 0;
      for (let i = 0; i < seed.length; i++) {
        value = Math.imul(value ^ seed.charCodeAt(i), 16_777_619) >>> 0;
      }
      return value;
    };
    this.#state = [hash(1), hash(2), hash(3), hash(4)];
    for (let i = 0; i < 12; i++) this.#word();
  }

  /** Another source, which takes nothing from this one. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${name}`);
  }

  /** From 0 to below 1. */
  next(): number {
    return this.#word() / 2 ** 32;
  }

  /** From `least` to below `end`. */
  int(least: number, end: number): number {
    return least + Math.floor(this.next() * (end - least));
  }

  /** From `least` to below `most`, with fractions. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length)]!;
  }

  bytes(size: number): Buffer {
    const bytes = Buffer.alloc(size);
    for (let i = 0; i < size; i++) bytes[i] = this.#word() & 0xff;
    return bytes;
  }

  /** The generator sfc32. */
  #word(): number {
    const [a, b, c, count] = this.#state;
    const sum = (a + b + count) >>> 0;
    this.#state = [
      (b ^ (b >>> 9)) >>> 0,
      (c + (c << 3)) >>> 0,
      (((c << 21) | (c >>> 11)) + sum) >>> 0,
      (count + 1) >>> 0,
    ];
    return sum;
  }
}
