/**
 * Lists of positions, one per word: their count; where they are many a skip table, with the last position and the
 * length in bytes of each block; and the positions, each as its distance to the one before.
 */
import type { Bits } from './bits.js';
import { ByteReader, ByteWriter } from './bytes.js';

/** Positions of a block, which is read or skipped as a whole: its entry in the table takes 3 bytes. */
const BLOCK_POSITIONS = 128;

/** Writes lists of positions. */
export class PositionWriter {
  private readonly into = new ByteWriter();
  private readonly table = new ByteWriter();
  private readonly list = new ByteWriter();

  get length(): number {
    return this.into.length;
  }

  get written(): Buffer {
    return this.into.written;
  }

  /** Writes the positions from `begin` to before `end`, which ascend. */
  write(positions: Uint32Array, begin: number, end: number): void {
    const { into, table, list } = this;
    table.clear();
    list.clear();
    let before = -1;
    let former = { last: -1, length: 0 };
    for (let i = begin; i < end; i++) {
      list.number(positions[i]! - before);
      before = positions[i]!;
      if (i < end - 1 && (i + 1 - begin) % BLOCK_POSITIONS !== 0) continue;
      table.number(before - former.last);
      table.number(list.length - former.length);
      former = { last: before, length: list.length };
    }
    into.number(end - begin);
    if (tableEntries(end - begin) > 0) into.bytes(table.written);
    into.bytes(list.written);
  }
}

/** The number of the list that each position is in, counted from 0; positions of no list have 0. */
export function listOfEach(bytes: Buffer, positions: number): Uint32Array {
  const lists = new Uint32Array(positions);
  const reader = new ByteReader(bytes);
  for (let list = 0; !reader.isAtEnd; list++) {
    const count = reader.number();
    for (let i = 0; i < 2 * tableEntries(count); i++) reader.number();
    let position = -1;
    for (let i = 0; i < count; i++) lists[(position += reader.number())] = list;
  }
  return lists;
}

/** Entries in the skip table of so many positions. */
function tableEntries(count: number): number {
  return count <= BLOCK_POSITIONS ? 0 : Math.ceil(count / BLOCK_POSITIONS);
}

/** A message and its first and last position. */
interface Stretch {
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** Of the search that is under way; as large as the largest part. */
let [shared, formerShared] = [new Uint32Array(0), new Uint32Array(0)];

/**
 * Looks for a phrase, word by word, one search at a time. Remembers where the phrase would end by the words that it
 * knows, so any word may come first: the rarest, and of the others only the blocks are read in which it may be.
 */
export class PhraseSearch {
  /** Where the phrase ends by the words so far, as bits; and by those before the last one. */
  private ends: Uint32Array;
  private formerEnds: Uint32Array;
  private isFirst = true;
  /** The messages that are looked in, where they are few. */
  private few: readonly Stretch[] | null = null;

  /** @param positions how many there are; @param words how many the phrase has */
  constructor(
    positions: number,
    private readonly words: number,
  ) {
    const size = (positions + words + 31) >>> 5;
    if (size > shared.length) {
      shared = new Uint32Array(size);
      formerShared = new Uint32Array(size);
    }
    this.ends = shared.subarray(0, size);
    this.formerEnds = formerShared.subarray(0, size);
  }

  /** Looks only in some messages, few; before the first word. @param starts as `addMessages` has them */
  restrictTo(messages: Bits, starts: Buffer): void {
    const { ends } = this;
    ends.fill(0);
    const few: Stretch[] = [];
    for (let place = messages.next(0); place >= 0; place = messages.next(place + 1)) {
      const from = starts.readUInt32LE(4 * place);
      const to = starts.readUInt32LE(4 * (place + 1)) - 1;
      for (let at = from; at <= to; at++) ends[at >>> 5]! |= 1 << (at & 31);
      few.push({ place, from, to });
    }
    this.few = few;
    this.isFirst = false;
  }

  /**
   * Goes on with another word.
   * @param bytes its list, or those of several words of which any will do
   * @param place of the word in the phrase, from 0
   * @returns whether the phrase may be anywhere still
   */
  next(bytes: Buffer, place: number): boolean {
    [this.formerEnds, this.ends] = [this.ends, this.formerEnds];
    this.ends.fill(0);
    const toEnd = this.words - 1 - place;
    const reader = new ByteReader(bytes);
    while (!reader.isAtEnd) this.readList(bytes, reader, toEnd);
    this.isFirst = false;
    const { ends, few } = this;
    if (few === null) return isAnyBetween(ends, 0, 32 * ends.length - 1);
    this.few = few.filter(({ from, to }) => isAnyBetween(ends, from, to));
    return this.few.length > 0;
  }

  /**
   * Adds the messages that have the phrase.
   * @param readStarts reads where the positions of each message begin, 32 bits each
   */
  addMessages(readStarts: () => Buffer, having: Bits): void {
    const { ends, few } = this;
    if (few !== null) {
      for (const { place } of few) having.add(place);
      return;
    }
    const starts = readStarts();
    const view = new DataView(starts.buffer, starts.byteOffset, starts.length);
    const last = starts.length / 4 - 1;
    const begins = (place: number, by: number): boolean =>
      place <= last && view.getUint32(4 * place, true) <= by;
    let place = 0;
    for (let i = 0; i < ends.length; i++) {
      for (let bits = ends[i]!; bits !== 0; bits &= bits - 1) {
        const end = (i << 5) + 31 - Math.clz32(bits & -bits);
        // Forward in steps that double, then on in steps that halve.
        let step = 1;
        for (; begins(place + step, end); step *= 2) place += step;
        for (; step > 0; step >>>= 1) if (begins(place + step, end)) place += step;
        having.add(place);
      }
    }
  }

  private readList(bytes: Buffer, reader: ByteReader, toEnd: number): void {
    const count = reader.number();
    const blocks = tableEntries(count);
    if (blocks === 0) {
      reader.at = this.readPositions(bytes, reader.at, count, -1, toEnd);
      return;
    }
    const table = new ByteReader(bytes);
    table.at = reader.at;
    for (let i = 0; i < 2 * blocks; i++) reader.number();
    const { few, isFirst, formerEnds } = this;
    let last = -1;
    for (let i = 0, message = 0; i < blocks; i++) {
      const before = last;
      last += table.number();
      const length = table.number();
      let isWanted = isFirst;
      if (few) {
        while (message < few.length && few[message]!.to <= before) message += 1;
        isWanted = message < few.length && few[message]!.from <= last;
      } else if (!isFirst) isWanted = isAnyBetween(formerEnds, before + 1 + toEnd, last + toEnd);
      if (isWanted) {
        const own = Math.min(BLOCK_POSITIONS, count - i * BLOCK_POSITIONS);
        this.readPositions(bytes, reader.at, own, before, toEnd);
      }
      reader.skip(length);
    }
  }

  /** Reads positions that follow one. @returns where they end in the bytes */
  private readPositions(
    bytes: Buffer,
    at: number,
    count: number,
    before: number,
    toEnd: number,
  ): number {
    const { ends, formerEnds, isFirst } = this;
    let next = at;
    let end = before + toEnd;
    for (let left = count; left > 0; left--) {
      let byte = bytes[next++]!;
      let distance = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[next++]!;
        distance |= (byte & 0x7f) << shift;
      }
      end += distance;
      const bit = 1 << (end & 31);
      if (isFirst || (formerEnds[end >>> 5]! & bit) !== 0) ends[end >>> 5]! |= bit;
    }
    return next;
  }
}

/** Whether any bit is set from one to another, inclusive. */
function isAnyBetween(bits: Uint32Array, from: number, to: number): boolean {
  let i = from >>> 5;
  let own = bits[i]! & (-1 << (from & 31));
  for (; i < to >>> 5; own = bits[++i]!) if (own !== 0) return true;
  return (own & (-1 >>> (31 - (to & 31)))) !== 0;
}
