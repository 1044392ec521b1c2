/**
 * The file of an LMDB environment, read page by page without LMDB: its own code believes what pages say,
 * and a page that says wrong takes the process down. Layout of lmdb 3.5.6 (LMDB 0.9.90, data version 2).
 */
import { closeSync, fstatSync, openSync, readSync } from '../../../platform/files.js';

/** What stands before the contents of a page: number, transaction, two spare bytes, kind, two bounds. */
export const HEADER_BYTES = 24;
/** What stands before the key of a node: size of its value or number of its page, flags, size of its key. */
export const NODE_BYTES = 8;

export const PAGE_KIND = { branch: 1, leaf: 2, overflow: 4, meta: 8 } as const;
export type PageKind = (typeof PAGE_KIND)[keyof typeof PAGE_KIND];
/** Flags of a node: its value has pages of its own; its value is a tree. */
export const NODE_FLAG = { overflow: 1, tree: 2 } as const;

/** Number of the root of an empty tree. */
const NO_PAGE = 2n ** 64n - 1n;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const LEAST_PAGE = 256;
const LARGEST_PAGE = 65_536;
/** Bytes of the two pages' contents that are read: magic number to newest transaction. */
const META_BYTES = 136;

/** What is wrong with the file, and where. */
export class PageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PageError';
  }
}

/** One tree: a table, the list of tables, or the list of free pages. */
export interface Tree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** Page number; null for an empty tree. */
  readonly root: number | null;
}

/** What a commit leaves last: where everything is, as of a transaction. */
export interface Snapshot {
  readonly transaction: number;
  readonly lastPage: number;
  /** The list of free pages. */
  readonly free: Tree;
  /** The list of tables. */
  readonly main: Tree;
}

/** Reads the record of a tree. */
export function treeAt(bytes: Buffer, at: number): Tree {
  const root = bytes.readBigUInt64LE(at + 40);
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: Number(bytes.readBigUInt64LE(at + 8)),
    leafPages: Number(bytes.readBigUInt64LE(at + 16)),
    overflowPages: Number(bytes.readBigUInt64LE(at + 24)),
    entries: Number(bytes.readBigUInt64LE(at + 32)),
    root: root === NO_PAGE ? null : Number(root),
  };
}

/** Bytes of the record of a tree. */
export const TREE_BYTES = 48;

/**
 * Pages read at once where one follows another: most of a tree was written in order, and a call takes longer than to
 * copy its pages.
 */
const AHEAD = 32;

/** The file, open for reading. */
export class PageFile {
  /** Pages that were read ahead. */
  private ahead: Buffer | null = null;
  private aheadFrom = 0;
  /** The first page behind those that were read ahead. */
  private aheadEnd = 0;
  /** The page behind the one that was read last. */
  private next = 0;

  private constructor(
    private readonly descriptor: number,
    /** Bytes of a page. */
    readonly pageSize: number,
    /** The newest commit. */
    readonly snapshot: Snapshot,
    /** Whole pages in the file. */
    readonly pages: number,
  ) {}

  /** @throws PageError when the two pages that begin the file are damaged */
  static open(path: string): PageFile {
    const descriptor = openSync(path, 'r');
    try {
      const start = Buffer.alloc(HEADER_BYTES + META_BYTES);
      readSync(descriptor, start, 0, start.length, 0);
      const pageSize = start.readUInt32LE(HEADER_BYTES + 24);
      const isPower = (pageSize & (pageSize - 1)) === 0;
      if (pageSize < LEAST_PAGE || pageSize > LARGEST_PAGE || !isPower) {
        throw new PageError(`page 0 names a page size of ${pageSize} bytes`);
      }
      const second = Buffer.alloc(HEADER_BYTES + META_BYTES);
      readSync(descriptor, second, 0, second.length, pageSize);
      const snapshots = [snapshotIn(start, 0, pageSize), snapshotIn(second, 1, pageSize)] as const;
      const pages = Math.floor(fstatSync(descriptor).size / pageSize);
      const file = new PageFile(descriptor, pageSize, newer(snapshots), pages);
      for (const snapshot of snapshots) file.assertNamesItsOwnRoot(snapshot);
      return file;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  /** Reads `count` pages into `target`. @throws PageError behind the end of the file */
  read(number: number, target: Buffer, count = 1): void {
    const isNext = count === 1 && (number === this.next || number === this.aheadEnd);
    this.next = number + count;
    if (count === 1 && this.isAhead(number, isNext)) {
      const from = (number - this.aheadFrom) * this.pageSize;
      this.ahead!.copy(target, 0, from, from + this.pageSize);
      return;
    }
    const bytes = count * this.pageSize;
    const got = readSync(this.descriptor, target, 0, bytes, number * this.pageSize);
    if (got < bytes) throw new PageError(`data.mdb is cut short: it has no page ${number}`);
  }

  /** Whether a page was read ahead. @param isNext whether to read ahead from it on where it was not */
  private isAhead(number: number, isNext: boolean): boolean {
    if (number >= this.aheadFrom && number < this.aheadEnd) return true;
    if (!isNext) return false;
    const { descriptor, pageSize } = this;
    this.ahead ??= Buffer.allocUnsafeSlow(AHEAD * pageSize);
    const got = readSync(descriptor, this.ahead, 0, this.ahead.length, number * pageSize);
    this.aheadFrom = number;
    this.aheadEnd = number + Math.floor(got / pageSize);
    return number < this.aheadEnd;
  }

  /**
   * Every commit writes a new root of the list of tables. A page that names another transaction than its
   * root would lead back to an older state, or on to none.
   */
  private assertNamesItsOwnRoot({ transaction, main }: Snapshot): void {
    if (main.root === null || transaction === 0) return;
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(this.descriptor, header, 0, HEADER_BYTES, main.root * this.pageSize);
    if (Number(header.readBigUInt64LE(8)) === transaction) return;
    throw new PageError(
      `page ${transaction & 1} names transaction ${transaction}, and not that of its root`,
    );
  }
}

function snapshotIn(bytes: Buffer, page: number, pageSize: number): Snapshot {
  const at = HEADER_BYTES;
  const isOurs =
    bytes.readUInt16LE(18) === PAGE_KIND.meta &&
    bytes.readUInt32LE(at) === MAGIC &&
    bytes.readUInt32LE(at + 4) === DATA_VERSION &&
    bytes.readUInt32LE(at + 24) === pageSize;
  if (!isOurs) throw new PageError(`page ${page} does not begin an LMDB file of this version`);
  return {
    free: treeAt(bytes, at + 24),
    main: treeAt(bytes, at + 24 + TREE_BYTES),
    lastPage: Number(bytes.readBigUInt64LE(at + 120)),
    transaction: Number(bytes.readBigUInt64LE(at + 128)),
  };
}

/** The newer of two states; commits take turns with the pages. */
function newer([even, odd]: readonly [Snapshot, Snapshot]): Snapshot {
  const [a, b] = [even.transaction, odd.transaction];
  const inTurn = a % 2 === 0 && (b % 2 === 1 || b === 0) && Math.abs(a - b) <= 1;
  if (!inTurn) throw new PageError(`pages 0 and 1 name transactions ${a} and ${b}`);
  return a > b ? even : odd;
}
