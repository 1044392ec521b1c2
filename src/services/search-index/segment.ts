import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Term } from '../search/terms.js';
import { Bits } from './bits.js';
import { ByteReader } from './bytes.js';
import type { IndexedMessage, Layer } from './layer.js';
import {
  BLOCK_MESSAGES,
  BLOCK_WORDS,
  MAGIC,
  TRAILER_BYTES,
  type Footer,
  type Region,
} from './segment-format.js';

/** Words of the dictionary that follow one another, by number, and where their postings are. */
interface WordRange {
  readonly from: number;
  readonly to: number;
  readonly postings: Region;
}

/** A place in the dictionary: the number of the first word from there on, and where its postings begin. */
interface WordPlace {
  readonly number: number;
  readonly postings: number;
}

/** Words whose place in the dictionary is remembered; some hundred bytes each. */
const MAX_RANGES = 256;

/** The file of the index is not what was written. */
export class DamagedSegmentError extends Error {
  constructor(path: string, problem: string) {
    super(`${path} is damaged: ${problem}`);
    this.name = 'DamagedSegmentError';
  }
}

/** One part of the index in its file, of which memory has the footer. */
export class Segment implements Layer {
  readonly live: Bits;
  /** Of words that were asked for of late. */
  private readonly ranges = new Map<string, WordRange>();

  private constructor(
    private readonly file: number,
    private readonly footer: Footer,
  ) {
    this.live = Bits.of(this.read(footer.live));
  }

  /** Reads all of the file once, for its checksum. @throws DamagedSegmentError */
  static open(path: string): Segment {
    const file = openSync(path, 'r');
    try {
      return new Segment(file, checkedFooter(file, path));
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  get owned(): Bits {
    return this.live;
  }

  close(): void {
    closeSync(this.file);
  }

  recipients(): (place: number) => number {
    const { recipientColumn, recipients } = this.footer;
    return this.column(recipientColumn, recipients);
  }

  senders(): (place: number) => number {
    const { senderColumn, senders } = this.footer;
    return this.column(senderColumn, senders);
  }

  addMatches(word: string, isPrefix: boolean, found: Bits): void {
    const { postings } = this.range(word, isPrefix);
    if (postings[1] === postings[0]) return;
    const bytes = this.read(postings);
    let place = -1;
    let value = 0;
    let shift = 0;
    for (const byte of bytes) {
      value |= (byte & 0x7f) << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      // A zero begins the list of the next word.
      if (value === 0) place = -1;
      else found.add((place += value));
      value = 0;
      shift = 0;
    }
  }

  keepPhrases(found: Bits, term: Term): void {
    const last = term.words.length - 1;
    const ranges = term.words.map((word, i) => this.range(word, term.isPrefix && i === last));
    this.forWords(found, (place, numbers, count) => {
      if (!hasPhrase(numbers, count, ranges)) found.remove(place);
    });
  }

  /** All messages except some, in order of their places. */
  *messages(except: Bits): Generator<[place: number, message: IndexedMessage]> {
    const kept = this.live.copy();
    kept.subtract(except);
    const dictionary = this.dictionary();
    const recipients = this.recipients();
    const senders = this.senders();
    const found: [number, string[]][] = [];
    let block = -1;
    for (let place = kept.next(0); place >= 0; place = kept.next(place + 1)) {
      if (block === Math.floor(place / BLOCK_MESSAGES)) continue;
      block = Math.floor(place / BLOCK_MESSAGES);
      const own = Bits.none();
      own.addRange(block * BLOCK_MESSAGES, (block + 1) * BLOCK_MESSAGES - 1);
      own.intersect(kept);
      this.forWords(own, (at, numbers, count) => {
        const words = Array.from({ length: count }, (_, i) => dictionary[numbers[i]!]!);
        found.push([at, words]);
      });
      for (const [at, words] of found.splice(0)) {
        yield [at, { recipient: recipients(at), sender: senders(at), words }];
      }
    }
  }

  private column(region: Region, values: readonly number[]): (place: number) => number {
    const bytes = this.read(region);
    return (place) => values[bytes.readUInt16LE(2 * place)]!;
  }

  /** Calls `take` with the words of messages, as numbers, of which only so many count. */
  private forWords(
    wanted: Bits,
    take: (place: number, numbers: Uint32Array, count: number) => void,
  ): void {
    const { messages } = this.footer;
    let numbers = new Uint32Array(1024);
    let place = wanted.next(0);
    while (place >= 0) {
      const block = Math.floor(place / BLOCK_MESSAGES);
      const reader = new ByteReader(this.read([messages[block]!, messages[block + 1]!]));
      for (let at = block * BLOCK_MESSAGES; !reader.isAtEnd; at++) {
        const length = reader.number();
        if (at !== place) {
          reader.skip(length);
          continue;
        }
        if (length > numbers.length) numbers = new Uint32Array(2 * length);
        let count = 0;
        for (const end = reader.at + length; reader.at < end;) numbers[count++] = reader.number();
        place = wanted.next(place + 1);
        take(at, numbers, count);
      }
    }
  }

  /** The words that are equal to one, or begin with it. */
  private range(word: string, isPrefix: boolean): WordRange {
    const key = `${isPrefix} ${word}`;
    let range = this.ranges.get(key);
    if (!range) {
      range = this.lookUp(word, isPrefix);
      if (this.ranges.size >= MAX_RANGES) this.ranges.clear();
      this.ranges.set(key, range);
    }
    return range;
  }

  private lookUp(word: string, isPrefix: boolean): WordRange {
    const from = this.firstWhere((known) => known >= word);
    const to = this.firstWhere(
      isPrefix ? (known) => known > word && !known.startsWith(word) : (known) => known > word,
    );
    return { from: from.number, to: to.number, postings: [from.postings, to.postings] };
  }

  /** The first word for which something holds that then holds for all later ones. */
  private firstWhere(holds: (word: string) => boolean): WordPlace {
    const { firstWords, blocks, blockPostings, words } = this.footer;
    let low = 0;
    let high = firstWords.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(firstWords[middle]!)) high = middle;
      else low = middle + 1;
    }
    if (low === 0) return { number: 0, postings: blockPostings[0]! };
    const block = low - 1;
    let postings = blockPostings[block]!;
    let number = block * BLOCK_WORDS;
    const reader = new ByteReader(this.read([blocks[block]!, blocks[block + 1]!]));
    for (; !reader.isAtEnd; number++) {
      if (holds(reader.text())) return { number, postings };
      postings += reader.number();
    }
    return { number: Math.min(number, words), postings };
  }

  /** All words in their order. */
  private dictionary(): string[] {
    const { blocks } = this.footer;
    const reader = new ByteReader(this.read([blocks[0]!, blocks[blocks.length - 1]!]));
    const words: string[] = [];
    while (!reader.isAtEnd) {
      words.push(reader.text());
      reader.number();
    }
    return words;
  }

  private read([from, to]: Region): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.file, bytes, done, bytes.length - done, from + done);
      if (count === 0) throw new DamagedSegmentError('the search index', 'it ends too early');
      done += count;
    }
    return bytes;
  }
}

/** @throws DamagedSegmentError unless the whole file is as it was written */
function checkedFooter(file: number, path: string): Footer {
  const { size } = fstatSync(file);
  const bytes = Buffer.allocUnsafe(size);
  if (size < TRAILER_BYTES || readSync(file, bytes, 0, size, 0) !== size) {
    throw new DamagedSegmentError(path, 'it is cut off');
  }
  const trailer = bytes.subarray(size - TRAILER_BYTES);
  const footerAt = size - TRAILER_BYTES - trailer.readUInt32LE(8);
  if (!trailer.subarray(12).equals(MAGIC) || footerAt < 0) {
    throw new DamagedSegmentError(path, 'it is cut off');
  }
  const footer = bytes.subarray(footerAt, size - TRAILER_BYTES);
  const sums = [crc32(bytes.subarray(0, footerAt)), crc32(footer)];
  if (sums[0] !== trailer.readUInt32LE(0) || sums[1] !== trailer.readUInt32LE(4)) {
    throw new DamagedSegmentError(path, 'the checksum differs');
  }
  return JSON.parse(footer.toString()) as Footer;
}

/** Whether the first so many numbers have one of each range, one after another. */
function hasPhrase(numbers: Uint32Array, count: number, ranges: readonly WordRange[]): boolean {
  for (let i = 0; i + ranges.length <= count; i++) {
    let same = 0;
    while (same < ranges.length && isIn(numbers[i + same]!, ranges[same]!)) same++;
    if (same === ranges.length) return true;
  }
  return false;
}

function isIn(number: number, { from, to }: WordRange): boolean {
  return number >= from && number < to;
}
