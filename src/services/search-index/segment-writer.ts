import { crc32 } from 'node:zlib';
import { closeSync, fsyncSync, openSync, writeSync } from '../../platform/files.js';
import { Bits, PART_SIZE } from './bits.js';
import { ByteWriter } from './bytes.js';
import type { IndexedMessage } from './layer.js';
import { PositionWriter } from './positions.js';
import { writePostings } from './postings.js';
import { BLOCK_WORDS, MAGIC, TRAILER_BYTES, type Footer } from './segment-format.js';
import { WordFilter } from './word-filter.js';

const FIRST_CAPACITY = 65_536;

/** A column of numbers of which few are different. */
class Column {
  readonly values: number[] = [];
  readonly numbers = new Uint16Array(PART_SIZE);
  private readonly known = new Map<number, number>();

  set(place: number, value: number): void {
    let number = this.known.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.known.set(value, number);
    }
    this.numbers[place] = number;
  }
}

/** Collects the messages of one part and writes its file. */
export class SegmentWriter {
  private readonly live = Bits.none();
  private readonly recipients = new Column();
  private readonly senders = new Column();
  private readonly numbers = new Map<string, number>();
  /** How often each word occurs. */
  private readonly counts: number[] = [];
  /** The words of all messages, as numbers in the order of their first appearance. */
  private words = new Uint32Array(FIRST_CAPACITY);
  private wordCount = 0;
  /** Where the words of each message end. */
  private readonly ends = new Uint32Array(PART_SIZE);
  private span = 0;

  get isEmpty(): boolean {
    return this.span === 0;
  }

  /** Adds a message; places ascend. */
  add(place: number, { recipient, sender, words }: IndexedMessage): void {
    this.live.add(place);
    this.recipients.set(place, recipient);
    this.senders.set(place, sender);
    this.ends.fill(this.wordCount, this.span, place);
    for (const word of words) {
      const number = this.numberOf(word);
      this.counts[number]! += 1;
      if (this.wordCount === this.words.length) this.grow();
      this.words[this.wordCount++] = number;
    }
    this.ends[place] = this.wordCount;
    this.span = place + 1;
  }

  private numberOf(word: string): number {
    let number = this.numbers.get(word);
    if (number === undefined) {
      number = this.counts.push(0) - 1;
      this.numbers.set(word, number);
    }
    return number;
  }

  private grow(): void {
    const larger = new Uint32Array(2 * this.words.length);
    larger.set(this.words);
    this.words = larger;
  }

  /** Writes the file, whole and on the disk. */
  write(path: string): void {
    const body = new ByteWriter();
    const footer = Buffer.from(JSON.stringify(this.writeBody(body)));
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(crc32(body.written), 0);
    trailer.writeUInt32LE(crc32(footer), 4);
    trailer.writeUInt32LE(footer.length, 8);
    MAGIC.copy(trailer, 12);
    const file = openSync(path, 'w', 0o600);
    try {
      for (const bytes of [body.written, footer, trailer]) writeWhole(file, bytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  private writeBody(body: ByteWriter): Footer {
    const { span } = this;
    const sorted = [...this.numbers.keys()].sort();
    const occurrences = this.byWord(sorted);
    const postings = new ByteWriter();
    const positions = new PositionWriter();
    const footer = {
      span,
      firstWords: [] as string[],
      blocks: [] as number[],
      blockPostings: [] as number[],
      blockPositions: [] as number[],
    };
    let end = 0;
    sorted.forEach((word, rank) => {
      if (rank % BLOCK_WORDS === 0) {
        footer.firstWords.push(word);
        footer.blocks.push(body.length);
        footer.blockPostings.push(postings.length);
        footer.blockPositions.push(positions.length);
      }
      const before = [postings.length, positions.length] as const;
      const begin = end;
      end += this.counts[this.numbers.get(word)!]!;
      writePostings(postings, occurrences.places, begin, end);
      positions.write(occurrences.positions, begin, end);
      body.text(word);
      body.number(postings.length - before[0]);
      body.number(positions.length - before[1]);
    });
    footer.blocks.push(body.length);
    footer.blockPostings.push(postings.length);
    footer.blockPositions.push(positions.length);
    const region = (bytes: Uint8Array): [number, number] => {
      const from = body.length;
      body.bytes(bytes);
      return [from, body.length];
    };
    const [postingsAt] = region(postings.written);
    const [positionsAt] = region(positions.written);
    const column = ({ numbers }: Column) => region(new Uint8Array(numbers.buffer, 0, 2 * span));
    return {
      ...footer,
      blockPostings: footer.blockPostings.map((at) => postingsAt + at),
      blockPositions: footer.blockPositions.map((at) => positionsAt + at),
      positions: this.wordCount + span,
      filter: region(WordFilter.of(sorted).bytes),
      starts: region(this.starts()),
      live: region(this.live.bytes),
      recipientColumn: column(this.recipients),
      senderColumn: column(this.senders),
      recipients: this.recipients.values,
      senders: this.senders.values,
    };
  }

  /** Where each word occurs, in the order of the words: positions, and the places of their messages. */
  private byWord(sorted: readonly string[]): { positions: Uint32Array; places: Uint16Array } {
    const positions = new Uint32Array(this.wordCount);
    const places = new Uint16Array(this.wordCount);
    const next = new Uint32Array(sorted.length);
    let begin = 0;
    for (const word of sorted) {
      const number = this.numbers.get(word)!;
      next[number] = begin;
      begin += this.counts[number]!;
    }
    let at = 0;
    for (let place = 0; place < this.span; place++) {
      for (const end = this.ends[place]!; at < end; at++) {
        const slot = next[this.words[at]!]!++;
        positions[slot] = at + place;
        places[slot] = place;
      }
    }
    return { positions, places };
  }

  private starts(): Uint8Array {
    const starts = Buffer.alloc(4 * (this.span + 1));
    for (let place = 0; place < this.span; place++) {
      starts.writeUInt32LE(this.ends[place]! + place + 1, 4 * (place + 1));
    }
    return starts;
  }
}

/** Writes all bytes: one call may write some of them. */
export function writeWhole(file: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done);
}
