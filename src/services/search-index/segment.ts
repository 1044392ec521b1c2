import { crc32 } from 'node:zlib';
import { closeSync, fstatSync, openSync, readSync } from '../../platform/files.js';
import type { Term } from '../search/terms.js';
import { Bits } from './bits.js';
import { Dictionary } from './dictionary.js';
import type { IndexedMessage, Layer } from './layer.js';
import { listOfEach, PhraseSearch } from './positions.js';
import { addPostings } from './postings.js';
import { MAGIC, TRAILER_BYTES, type Footer, type Region } from './segment-format.js';
import { WordFilter } from './word-filter.js';

const FIRST_SHARED = 65_536;
/** Phrases are looked for in no others than these messages: the blocks of most words are skipped then. */
const FEW = 1000;

/** The file of the index is not what was written. */
export class DamagedSegmentError extends Error {
  constructor(path: string, problem: string) {
    super(`${path} is damaged: ${problem}`);
    this.name = 'DamagedSegmentError';
  }
}

/** For lists that are read and done with; as large as twice the largest one. */
let shared = Buffer.allocUnsafeSlow(FIRST_SHARED);

/** One part of the index in its file, of which memory has the footer and the filter. */
export class Segment implements Layer {
  readonly findsPhrases = true;
  readonly live: Bits;
  private readonly dictionary: Dictionary;

  private constructor(
    private readonly file: number,
    private readonly footer: Footer,
  ) {
    this.live = Bits.of(this.read(footer.live));
    const filter = new WordFilter(this.read(footer.filter));
    this.dictionary = new Dictionary(footer, filter, (region) => this.read(region));
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

  weight(word: string, isPrefix: boolean): number {
    const { postings } = this.dictionary.range(word, isPrefix);
    return postings[1] - postings[0];
  }

  addMatches(word: string, isPrefix: boolean, found: Bits): void {
    addPostings(this.readNow(this.dictionary.range(word, isPrefix).postings), found);
  }

  keepPhrases(found: Bits, { words, isPrefix }: Term): void {
    const search = new PhraseSearch(this.footer.positions, words.length);
    const lists = words.map((word, place) => {
      const isBeginning = isPrefix && place === words.length - 1;
      return { place, region: this.dictionary.range(word, isBeginning).positions };
    });
    const bytesOf = ([from, to]: Region): number => to - from;
    lists.sort((a, b) => bytesOf(a.region) - bytesOf(b.region));
    if (found.hasAtMost(FEW)) search.restrictTo(found, this.readNow(this.footer.starts));
    const having = Bits.none();
    if (lists.every(({ region, place }) => search.next(this.readNow(region), place))) {
      search.addMessages(() => this.readNow(this.footer.starts), having);
    }
    found.intersect(having);
  }

  /** All messages except some, in order of their places. */
  *messages(except: Bits): Generator<[place: number, message: IndexedMessage]> {
    const kept = this.live.copy();
    kept.subtract(except);
    const words = this.dictionary.words();
    const recipients = this.recipients();
    const senders = this.senders();
    const { numbers, starts } = this.positions();
    for (let place = kept.next(0); place >= 0; place = kept.next(place + 1)) {
      const own: string[] = [];
      const [begin, end] = stretchOf(place, starts, numbers.length);
      for (let at = begin; at < end; at++) own.push(words[numbers[at]!]!);
      yield [place, { recipient: recipients(place), sender: senders(place), words: own }];
    }
  }

  /** The messages that are not found by all words that they have, or by others. */
  misfound(): Bits {
    const wrong = Bits.none();
    const { placesOf, words } = this.placesByWord();
    const [expected, found] = [Bits.none(), Bits.none()];
    for (const [number, word] of words.entries()) {
      expected.clear();
      found.clear();
      for (const place of placesOf(number)) expected.add(place);
      this.addMatches(word, false, found);
      const both = expected.copy();
      both.intersect(found);
      expected.unite(found);
      expected.subtract(both);
      wrong.unite(expected);
    }
    wrong.intersect(this.live);
    return wrong;
  }

  /** The messages that have each word of the dictionary, some more than once, by the positions of their words. */
  private placesByWord(): {
    readonly words: readonly string[];
    readonly placesOf: (word: number) => Uint16Array;
  } {
    const words = this.dictionary.words();
    const { numbers, starts } = this.positions();
    const ends = new Uint32Array(words.length + 1);
    const each = (take: (word: number, place: number) => void): void => {
      for (let place = this.live.next(0); place >= 0; place = this.live.next(place + 1)) {
        const [begin, end] = stretchOf(place, starts, numbers.length);
        for (let at = begin; at < end; at++) take(numbers[at]!, place);
      }
    };
    each((word) => (ends[word + 1]! += 1));
    for (let word = 0; word < words.length; word++) ends[word + 1]! += ends[word]!;
    const places = new Uint16Array(ends[words.length]!);
    const next = ends.slice();
    each((word, place) => (places[next[word]!++] = place));
    return { words, placesOf: (word) => places.subarray(ends[word], ends[word + 1]) };
  }

  /** The number of the word at each position, and where the positions of each message begin. */
  private positions(): { readonly numbers: Uint32Array; readonly starts: Buffer } {
    const { blockPositions, positions } = this.footer;
    const all: Region = [blockPositions[0]!, blockPositions[blockPositions.length - 1]!];
    return {
      numbers: listOfEach(this.read(all), positions),
      starts: this.read(this.footer.starts),
    };
  }

  private column(region: Region, values: readonly number[]): (place: number) => number {
    const bytes = this.read(region);
    return (place) => values[bytes.readUInt16LE(2 * place)]!;
  }

  private read(region: Region): Buffer {
    return this.readInto(Buffer.allocUnsafe(region[1] - region[0]), region);
  }

  /** Reads what is done with before anything else is read, without new memory. */
  private readNow(region: Region): Buffer {
    const length = region[1] - region[0];
    if (length > shared.length) shared = Buffer.allocUnsafeSlow(2 * length);
    return this.readInto(shared.subarray(0, length), region);
  }

  private readInto(bytes: Buffer, [from]: Region): Buffer {
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(this.file, bytes, done, bytes.length - done, from + done);
      if (count === 0) throw new DamagedSegmentError('the search index', 'it ends too early');
      done += count;
    }
    return bytes;
  }
}

/** Where the words of a message are among so many positions. @throws DamagedSegmentError where they are not there */
function stretchOf(place: number, starts: Buffer, positions: number): [begin: number, end: number] {
  const begin = starts.readUInt32LE(4 * place);
  // The last position of each message is no word's.
  const end = starts.readUInt32LE(4 * (place + 1)) - 1;
  if (end > positions) throw new DamagedSegmentError('the search index', 'it contradicts itself');
  return [begin, end];
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
