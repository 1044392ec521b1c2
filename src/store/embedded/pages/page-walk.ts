/** Walks all trees of an LMDB file and checks that each page is what it says, once, and in order. */
import { compareBytes, compareIntegers, DataPage, type Bound } from './page.js';
import {
  HEADER_BYTES,
  NODE_BYTES,
  NODE_FLAG,
  PAGE_KIND,
  PageError,
  TREE_BYTES,
  treeAt,
  type PageFile,
  type Tree,
} from './page-file.js';

/** Name of the list of tables, in problems. */
const MAIN = 'tables';
const FREE = 'free pages';
/** The first pages say where everything else is. */
const FIRST_PAGE = 2;
/** Pages that a transaction may take at the end of the file and give back, unwritten: 64 GiB of 4 KiB. */
const MOST_UNWRITTEN = 2 ** 24;

/** What was counted below a tree's root. */
interface Count {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

/**
 * Checks every page that is in use or said to be free.
 * @param problem called once per damaged page or tree; what hangs below it is not looked at
 */
export function walkPages(file: PageFile, problem: (text: string) => void): void {
  new Walk(file, problem).run();
}

class Walk {
  /** One bit per page that is taken. */
  private readonly taken: Uint8Array;
  /** A page per level, so that nothing is allocated on the way. */
  private readonly buffers: DataPage[] = [];
  private readonly tables: { readonly name: string; readonly tree: Tree }[] = [];
  private count: Count = nothing();
  /** Pages taken that are behind the end of the file. */
  private unwritten = 0;

  constructor(
    private readonly file: PageFile,
    private readonly problem: (text: string) => void,
  ) {
    const { lastPage } = file.snapshot;
    const isPossible = lastPage < file.pages + MOST_UNWRITTEN;
    this.taken = new Uint8Array(isPossible ? Math.floor(lastPage / 8) + 1 : 0);
  }

  run(): void {
    const { main, free, lastPage } = this.file.snapshot;
    if (this.taken.length === 0) return this.problem(`there is no page ${lastPage}`);
    this.tree(MAIN, main);
    for (const { name, tree } of this.tables) this.tree(name, tree);
    // Last: nothing that is in use may be free.
    this.tree(FREE, free);
    // LMDB does not write pages that a transaction took and gave back: those are free.
    if (this.unwritten === Math.max(0, lastPage + 1 - this.file.pages)) return;
    this.problem(`data.mdb is cut short: it has no page ${lastPage}`);
  }

  private tree(table: string, tree: Tree): void {
    this.count = nothing();
    const { count } = this;
    try {
      if (tree.root !== null) this.page(table, tree.root, 1, tree.depth, null, null);
      const counted =
        count.entries === tree.entries &&
        count.branchPages === tree.branchPages &&
        count.leafPages === tree.leafPages &&
        count.overflowPages === tree.overflowPages;
      if (counted) return;
      throw new PageError(`${count.entries} entries are there, ${tree.entries} were written`);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      this.problem(`${table}: ${error.message}`);
    }
  }

  private page(
    table: string,
    number: number,
    level: number,
    depth: number,
    low: Bound | null,
    high: Bound | null,
  ): void {
    this.take(number, 1);
    const page = (this.buffers[level] ??= new DataPage(this.file.pageSize));
    this.file.read(number, page.bytes);
    const isLeaf = level === depth;
    if (isLeaf) this.count.leafPages += 1;
    else this.count.branchPages += 1;
    const isIntact =
      page.isWhole(number, isLeaf ? PAGE_KIND.leaf : PAGE_KIND.branch, this.file.snapshot) &&
      page.areNodesWhole(isLeaf, table === MAIN);
    if (!isIntact) throw new PageError(`page ${number} is damaged`);
    const compare = table === FREE ? compareIntegers : compareBytes;
    if (!page.isOrdered(isLeaf, low, high, compare)) {
      throw new PageError(`page ${number} is not in order`);
    }
    const { nodes } = page;
    if (isLeaf) {
      this.count.entries += nodes;
      const isWanted = table === MAIN || table === FREE;
      for (let i = 0; i < nodes; i++) this.leafNode(table, page, page.nodeAt(i), isWanted);
      return;
    }
    for (let i = 0; i < nodes; i++) {
      const below = i === 0 ? low : page.keyOf(i);
      const above = i === nodes - 1 ? high : page.keyOf(i + 1);
      this.page(table, page.childOf(i), level + 1, depth, below, above);
    }
  }

  private leafNode(table: string, page: DataPage, at: number, isWanted: boolean): void {
    const { bytes } = page;
    const isLarge = page.flagsAt(at) === NODE_FLAG.overflow;
    if (!isWanted && !isLarge) return;
    const keyEnd = at + NODE_BYTES + page.keySizeAt(at);
    const value = isLarge
      ? this.largeValue(page, at, keyEnd, isWanted)
      : bytes.subarray(keyEnd, keyEnd + page.sizeAt(at));
    if (table === MAIN) this.listTable(page, at, keyEnd);
    else if (table === FREE) this.freePages(value!);
  }

  /** A value with pages of its own; null where it is not wanted. */
  private largeValue(page: DataPage, at: number, keyEnd: number, isWanted: boolean): Buffer | null {
    const { pageSize } = this.file;
    const size = page.sizeAt(at);
    const first = Number(page.bytes.readBigUInt64LE(keyEnd));
    const transaction = Number(page.bytes.readBigUInt64LE(keyEnd + 8));
    const count = Number(page.bytes.readBigUInt64LE(keyEnd + 16));
    if (count !== Math.floor((HEADER_BYTES - 1 + size) / pageSize) + 1) {
      throw new PageError(`page ${first} does not hold the ${size} bytes it should`);
    }
    this.take(first, count);
    this.count.overflowPages += count;
    const bytes = Buffer.allocUnsafe(isWanted ? count * pageSize : pageSize);
    this.file.read(first, bytes, isWanted ? count : 1);
    const isIntact =
      Number(bytes.readBigUInt64LE(0)) === first &&
      Number(bytes.readBigUInt64LE(8)) === transaction &&
      bytes.readUInt16LE(18) === PAGE_KIND.overflow &&
      bytes.readUInt32LE(20) === count;
    if (!isIntact) throw new PageError(`page ${first} is damaged`);
    return isWanted ? bytes.subarray(HEADER_BYTES, HEADER_BYTES + size) : null;
  }

  private listTable(page: DataPage, at: number, keyEnd: number): void {
    const isTable = page.flagsAt(at) === NODE_FLAG.tree && page.sizeAt(at) === TREE_BYTES;
    if (!isTable) throw new PageError('a table is damaged');
    const name = page.bytes.toString('latin1', at + NODE_BYTES, keyEnd).replace(/\0$/, '');
    this.tables.push({ name, tree: treeAt(page.bytes, keyEnd) });
  }

  /** A list of page numbers; a negative one says how many pages follow the next. */
  private freePages(value: Buffer): void {
    const count = value.length < 8 ? -1 : Number(value.readBigInt64LE(0));
    if (!(count >= 0) || 8 * (count + 1) > value.length) throw new PageError('a list is damaged');
    for (let i = 1; i <= count; i++) {
      const number = Number(value.readBigInt64LE(8 * i));
      if (number > 0) this.take(number, 1);
      if (number >= 0) continue;
      i += 1;
      if (i > count) throw new PageError('a list is damaged');
      this.take(Number(value.readBigInt64LE(8 * i)), -number);
    }
  }

  /** @throws PageError for pages that do not exist, or have another use already */
  private take(first: number, count: number): void {
    const { lastPage } = this.file.snapshot;
    if (first < FIRST_PAGE || first + count - 1 > lastPage) {
      throw new PageError(`there is no page ${first}`);
    }
    for (let number = first; number < first + count; number++) {
      const bit = 1 << (number & 7);
      if (this.taken[number >> 3]! & bit) throw new PageError(`page ${number} has two uses`);
      this.taken[number >> 3]! |= bit;
    }
    const { pages } = this.file;
    this.unwritten += Math.max(0, first + count - Math.max(first, pages));
  }
}

function nothing(): Count {
  return { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
}
