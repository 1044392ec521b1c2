import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { Bits, PART_SIZE } from './bits.js';
import { ByteWriter } from './bytes.js';
import type { IndexedMessage } from './layer.js';
import {
  BLOCK_MESSAGES,
  BLOCK_WORDS,
  MAGIC,
  TRAILER_BYTES,
  type Footer,
} from './segment-format.js';

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
  private readonly postings: number[][] = [];
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
      const places = this.postings[number]!;
      if (places[places.length - 1] !== place) places.push(place);
      if (this.wordCount === this.words.length) this.grow();
      this.words[this.wordCount++] = number;
    }
    this.ends[place] = this.wordCount;
    this.span = place + 1;
  }

  private numberOf(word: string): number {
    let number = this.numbers.get(word);
    if (number === undefined) {
      number = this.postings.push([]) - 1;
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
    const ranks = new Uint32Array(sorted.length);
    sorted.forEach((word, rank) => (ranks[this.numbers.get(word)!] = rank));
    const postings = new ByteWriter();
    const footer = {
      span,
      words: sorted.length,
      firstWords: [] as string[],
      blocks: [] as number[],
      blockPostings: [] as number[],
    };
    sorted.forEach((word, rank) => {
      if (rank % BLOCK_WORDS === 0) {
        footer.firstWords.push(word);
        footer.blocks.push(body.length);
        footer.blockPostings.push(postings.length);
      }
      const before = postings.length;
      writePostings(postings, this.postings[this.numbers.get(word)!]!);
      body.text(word);
      body.number(postings.length - before);
    });
    footer.blocks.push(body.length);
    const postingsAt = body.length;
    body.bytes(postings.written);
    footer.blockPostings.push(postings.length);
    const messages = this.writeMessages(body, ranks);
    const region = (bytes: Uint8Array): [number, number] => {
      const from = body.length;
      body.bytes(bytes);
      return [from, body.length];
    };
    const column = ({ numbers }: Column) => region(new Uint8Array(numbers.buffer, 0, 2 * span));
    return {
      ...footer,
      blockPostings: footer.blockPostings.map((at) => postingsAt + at),
      messages,
      live: region(this.live.bytes),
      recipientColumn: column(this.recipients),
      senderColumn: column(this.senders),
      recipients: this.recipients.values,
      senders: this.senders.values,
    };
  }

  /** @returns where each block begins, and the end */
  private writeMessages(body: ByteWriter, ranks: Uint32Array): number[] {
    const begins: number[] = [];
    const one = new ByteWriter();
    let at = 0;
    for (let place = 0; place < this.span; place++) {
      if (place % BLOCK_MESSAGES === 0) begins.push(body.length);
      one.clear();
      for (const end = this.ends[place]!; at < end; at++) one.number(ranks[this.words[at]!]!);
      body.number(one.length);
      body.bytes(one.written);
    }
    begins.push(body.length);
    return begins;
  }
}

/** Ascending places, each as its distance to the one before; a zero begins each list. */
function writePostings(into: ByteWriter, places: readonly number[]): void {
  let before = -1;
  into.number(0);
  for (const place of places) {
    into.number(place - before);
    before = place;
  }
}

/** Writes all bytes: one call may write some of them. */
export function writeWhole(file: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done);
}
