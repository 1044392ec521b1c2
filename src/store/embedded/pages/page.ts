/** One page of a tree: its header, its nodes, their keys. */
import {
  HEADER_BYTES,
  NODE_BYTES,
  NODE_FLAG,
  PageError,
  type PageKind,
  type Snapshot,
} from './page-file.js';

/** What a node keeps of a large value: first page, its transaction, how many pages. */
const OVERFLOW_BYTES = 24;
/** Where a page's numbers of two bytes are, counted in such. */
const KIND_AT = 9;
const LOWER_AT = 10;
const UPPER_AT = 11;
const FIRST_NODE_AT = HEADER_BYTES / 2;
const FREE_KEY_BYTES = 8;
const FOUR_BYTES = 2 ** 32;

/** A key, where it stands. */
export interface Bound {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Negative where the first key comes before the second, 0 where they are equal. */
export type Compare = (
  a: Buffer,
  aFrom: number,
  aTo: number,
  b: Buffer,
  bFrom: number,
  bTo: number,
) => number;

/** Memory for a page, and what it says once it was read. Numbers are those of a little-endian machine. */
export class DataPage {
  readonly bytes: Buffer;
  private readonly shorts: Uint16Array;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.shorts = new Uint16Array(this.bytes.buffer);
  }

  /** How many nodes it has. */
  get nodes(): number {
    return this.shorts[LOWER_AT]! >> 1;
  }

  /** Where a node begins, by its rank. */
  nodeAt(index: number): number {
    return HEADER_BYTES + this.shorts[FIRST_NODE_AT + index]!;
  }

  /** Of the node that begins there: the size of its value. */
  sizeAt(at: number): number {
    return this.shorts[at >> 1]! + this.shorts[(at >> 1) + 1]! * 65_536;
  }

  flagsAt(at: number): number {
    return this.shorts[(at >> 1) + 2]!;
  }

  keySizeAt(at: number): number {
    return this.shorts[(at >> 1) + 3]!;
  }

  /** Number of the page a branch's node leads to. */
  childOf(index: number): number {
    const at = this.nodeAt(index);
    return this.sizeAt(at) + this.flagsAt(at) * FOUR_BYTES;
  }

  keyOf(index: number): Bound {
    const from = this.nodeAt(index) + NODE_BYTES;
    return { bytes: this.bytes, from, to: from + this.keySizeAt(from - NODE_BYTES) };
  }

  /** Whether the header is that of this page, as of the snapshot or before. */
  isWhole(number: number, kind: PageKind, { transaction }: Snapshot): boolean {
    const { bytes, shorts } = this;
    const lower = shorts[LOWER_AT]!;
    const upper = shorts[UPPER_AT]!;
    return (
      bytes.readUInt32LE(0) + bytes.readUInt32LE(4) * FOUR_BYTES === number &&
      bytes.readUInt32LE(8) + bytes.readUInt32LE(12) * FOUR_BYTES <= transaction &&
      shorts[KIND_AT] === kind &&
      lower % 2 === 0 &&
      lower > 0 &&
      lower <= upper &&
      upper <= bytes.length - HEADER_BYTES
    );
  }

  /** Whether the nodes lie behind each other at the end of the page, and fill it from its upper bound on. */
  areNodesWhole(isLeaf: boolean, holdsTables: boolean): boolean {
    const start = this.shorts[UPPER_AT]! + HEADER_BYTES;
    const end = this.bytes.length;
    const { nodes } = this;
    let filled = 0;
    for (let i = 0; i < nodes; i++) {
      const at = this.nodeAt(i);
      if (at < start || at % 2 === 1 || at + NODE_BYTES > end) return false;
      let size = NODE_BYTES + this.keySizeAt(at);
      if (isLeaf) {
        const flags = this.flagsAt(at);
        if (flags === 0) size += this.sizeAt(at);
        else if (flags === NODE_FLAG.overflow) size += OVERFLOW_BYTES;
        else if (flags === NODE_FLAG.tree && holdsTables) size += this.sizeAt(at);
        else return false;
      }
      if (at + size > end) return false;
      filled += size + (size & 1);
    }
    return filled === end - start;
  }

  /** Whether the keys ascend, from `low` on and below `high`. */
  isOrdered(isLeaf: boolean, low: Bound | null, high: Bound | null, compare: Compare): boolean {
    const { bytes, nodes } = this;
    let from = -1;
    let to = -1;
    // The first key of a branch page is not looked at: it stands for all that are lower.
    for (let i = isLeaf ? 0 : 1; i < nodes; i++) {
      const nextFrom = this.nodeAt(i) + NODE_BYTES;
      const nextTo = nextFrom + this.keySizeAt(nextFrom - NODE_BYTES);
      if (from >= 0) {
        if (compare(bytes, from, to, bytes, nextFrom, nextTo) >= 0) return false;
      } else if (low !== null) {
        const order = compare(low.bytes, low.from, low.to, bytes, nextFrom, nextTo);
        if (order > 0 || (order === 0 && !isLeaf)) return false;
      }
      from = nextFrom;
      to = nextTo;
    }
    if (high === null || from < 0) return true;
    return compare(bytes, from, to, high.bytes, high.from, high.to) < 0;
  }
}

/** The order of keys in tables: by bytes, shorter first. */
export const compareBytes: Compare = (a, aFrom, aTo, b, bFrom, bTo) => {
  const length = Math.min(aTo - aFrom, bTo - bFrom);
  for (let i = 0; i < length; i++) {
    const difference = a[aFrom + i]! - b[bFrom + i]!;
    if (difference !== 0) return difference;
  }
  return aTo - aFrom - (bTo - bFrom);
};

/** The order of keys in the list of free pages. */
export const compareIntegers: Compare = (a, aFrom, aTo, b, bFrom, bTo) => {
  if (aTo - aFrom !== FREE_KEY_BYTES || bTo - bFrom !== FREE_KEY_BYTES) {
    throw new PageError('a list is damaged');
  }
  return Number(a.readBigUInt64LE(aFrom)) - Number(b.readBigUInt64LE(bFrom));
};
