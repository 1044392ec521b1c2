/**
 * Lists of positions, one per word: their count; where they are many a skip table, with the last position and the
 * length in bytes of each block; and the positions, each as its distance to the one before.
 */
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

/** Messages in the order of their places, each with its positions: from one to before another. */
export interface Stretches {
  count: number;
  readonly places: Uint16Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/** Of the search that is under way; as large as the largest part. */
let [shared, formerShared] = [new Uint32Array(0), new Uint32Array(0)];

/** Looks for a phrase in some messages, word by word; one at a time. */
export class PhraseSearch {
  /** Positions of the word that was read last where all words before it precede it, as bits; and of the one before. */
  private ends: Uint32Array;
  private formerEnds: Uint32Array;
  private isFirst = true;

  /** @param positions how many there are; @param messages those without the phrase are taken out */
  constructor(
    positions: number,
    private readonly messages: Stretches,
  ) {
    const size = (positions + 31) >>> 5;
    if (size > shared.length) {
      shared = new Uint32Array(size);
      formerShared = new Uint32Array(size);
    }
    this.ends = shared.subarray(0, size);
    this.formerEnds = formerShared.subarray(0, size);
  }

  /** Goes on with the next word. @param bytes its list, or those of several words of which any will do */
  next(bytes: Buffer): void {
    [this.formerEnds, this.ends] = [this.ends, this.formerEnds];
    this.ends.fill(0);
    const reader = new ByteReader(bytes);
    while (!reader.isAtEnd) this.readList(bytes, reader);
    this.isFirst = false;
    this.keepFound();
  }

  private readList(bytes: Buffer, reader: ByteReader): void {
    const count = reader.number();
    const blocks = tableEntries(count);
    if (blocks === 0) {
      reader.at = this.readPositions(bytes, reader.at, count, -1);
      return;
    }
    const table = new ByteReader(bytes);
    table.at = reader.at;
    for (let i = 0; i < 2 * blocks; i++) reader.number();
    const { count: messages, from, to } = this.messages;
    let last = -1;
    for (let i = 0, message = 0; i < blocks; i++) {
      const before = last;
      last += table.number();
      const length = table.number();
      while (message < messages && to[message]! <= before + 1) message += 1;
      if (message < messages && from[message]! <= last) {
        this.readPositions(
          bytes,
          reader.at,
          Math.min(BLOCK_POSITIONS, count - i * BLOCK_POSITIONS),
          before,
        );
      }
      reader.skip(length);
    }
  }

  /** Reads positions that follow one. @returns where they end in the bytes */
  private readPositions(bytes: Buffer, at: number, count: number, before: number): number {
    const { ends, formerEnds, isFirst } = this;
    let next = at;
    let position = before;
    for (let left = count; left > 0; left--) {
      let byte = bytes[next++]!;
      let distance = byte & 0x7f;
      for (let shift = 7; byte >= 0x80; shift += 7) {
        byte = bytes[next++]!;
        distance |= (byte & 0x7f) << shift;
      }
      const former = position + distance - 1;
      position = former + 1;
      if (isFirst || (formerEnds[former >>> 5]! & (1 << (former & 31))) !== 0) {
        ends[position >>> 5]! |= 1 << (position & 31);
      }
    }
    return next;
  }

  private keepFound(): void {
    const { messages } = this;
    const { places, from, to } = messages;
    let kept = 0;
    for (let i = 0; i < messages.count; i++) {
      if (!this.endsBetween(from[i]!, to[i]!)) continue;
      places[kept] = places[i]!;
      from[kept] = from[i]!;
      to[kept++] = to[i]!;
    }
    messages.count = kept;
  }

  private endsBetween(from: number, to: number): boolean {
    const { ends } = this;
    const last = to - 1;
    let i = from >>> 5;
    let word = ends[i]! & (-1 << (from & 31));
    for (; i < last >>> 5; word = ends[++i]!) if (word !== 0) return true;
    return (word & (-1 >>> (31 - (last & 31)))) !== 0;
  }
}
