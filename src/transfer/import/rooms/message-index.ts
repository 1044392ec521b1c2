/**
 * Where the messages of an archive are in its files, by time and by id: some 40 bytes for each, whatever it says, so
 * that an archive of any size is read in the order of time with little memory.
 */

/** Room for as many at first; doubled when it is full. */
const FIRST = 1024;

/** Where a message is, and when it was sent. */
export interface MessagePlace {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Number of the file. */
  readonly file: number;
  /** First byte, and bytes. */
  readonly from: number;
  readonly length: number;
}

export class MessageIndex {
  private count = 0;
  private times = new Float64Array(FIRST);
  private files = new Uint32Array(FIRST);
  private starts = new Float64Array(FIRST);
  private lengths = new Uint32Array(FIRST);
  private hashes = new Uint32Array(FIRST);
  private byTime: Uint32Array = new Uint32Array(0);
  private byHash: Uint32Array = new Uint32Array(0);

  get size(): number {
    return this.count;
  }

  add(id: string, { time, file, from, length }: MessagePlace): void {
    const at = this.count;
    if (at === this.times.length) this.grow();
    this.times[at] = time;
    this.files[at] = file;
    this.starts[at] = from;
    this.lengths[at] = length;
    this.hashes[at] = hashOf(id);
    this.count += 1;
  }

  /** Puts them in order, once all are there. Those of one time keep the order in which they came. */
  sort(): void {
    const { times, hashes } = this;
    this.byTime = upTo(this.count).sort((a, b) => times[a]! - times[b]! || a - b);
    this.byHash = upTo(this.count).sort((a, b) => hashes[a]! - hashes[b]! || a - b);
  }

  /** The place of a message by its number in the order of time. */
  at(number: number): MessagePlace {
    return this.entry(this.byTime[number]!);
  }

  /** Places of those that may have an id, nearly always one: whoever reads them compares the id. */
  *find(id: string): Generator<MessagePlace> {
    const { byHash, hashes } = this;
    const hash = hashOf(id);
    let [low, high] = [0, byHash.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (hashes[byHash[middle]!]! < hash) low = middle + 1;
      else high = middle;
    }
    for (; low < byHash.length && hashes[byHash[low]!] === hash; low++) {
      yield this.entry(byHash[low]!);
    }
  }

  private entry(i: number): MessagePlace {
    const [time, file] = [this.times[i]!, this.files[i]!];
    return { time, file, from: this.starts[i]!, length: this.lengths[i]! };
  }

  private grow(): void {
    const size = 2 * this.times.length;
    this.times = copied(new Float64Array(size), this.times);
    this.files = copied(new Uint32Array(size), this.files);
    this.starts = copied(new Float64Array(size), this.starts);
    this.lengths = copied(new Uint32Array(size), this.lengths);
    this.hashes = copied(new Uint32Array(size), this.hashes);
  }
}

function copied<T extends Float64Array | Uint32Array>(to: T, from: T): T {
  to.set(from);
  return to;
}

function upTo(count: number): Uint32Array {
  return new Uint32Array(count).map((_zero, i) => i);
}

/** FNV-1a, 32 bits: ids of one archive seldom share it. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
