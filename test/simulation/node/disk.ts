import { basename, dirname, resolve } from 'node:path';
import type { Pages } from '../lmdb/pages.js';
import type { Random } from '../world/random.js';

/** What a disk has free, and a full one: less than what the product leaves alone. Bytes. */
const FREE_BYTES = 4_096_000_000;
const LEFT_BYTES = 3_000_000;

/** The working directory of each process. */
export const FOLDER = '/srv';

/** A file or folder. What was not synced is lost, whole or in part, when the power goes. */
export class Inode {
  data: Buffer = Buffer.alloc(0);
  /** Content that survives; null for a file that was never synced. */
  durable: Buffer | null = null;
  /** Of a folder: what has a name in it. */
  readonly names = new Map<string, Inode>();
  durableNames = new Map<string, Inode>();
  /** Of a database: what it has, in place of bytes. */
  pages: Pages | null = null;

  constructor(
    readonly number: number,
    readonly isFolder: boolean,
    public mode: number,
    /** Milliseconds since 1970. */
    readonly birth: number,
    public changed: number,
  ) {}

  sync(): void {
    if (this.isFolder) this.durableNames = new Map(this.names);
    else this.durable = this.data;
    this.pages?.sync();
  }
}

/** How calls of files fail that are not the store's: with what, and which of them. */
export interface FailingFiles {
  readonly code: 'EIO' | 'EMFILE';
  /** Whether the next call fails. */
  readonly fails: () => boolean;
}

/** Calls that need a file descriptor of their own. */
const OPENING = /^(open(Sync|dir)?|readdir(Sync)?|readFile(Sync)?|writeFile(Sync)?|copyFile)$/;
/** Calls that ask a disk for nothing, or for what the system has in its memory. */
const ASKING_NOTHING = /^(existsSync|accessSync|realpath(Sync)?|close(Sync)?)$/;
/** Files of no disk, or of the store in its folder, whose failures end a process: all but what was uploaded. */
const NOT_FAILING = /^\/(proc|program)\/|^\/srv(?!\/(files|shared)\/)/;

export function fsError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}

/** The disk of one machine, in memory. */
export class Disk {
  /** It refuses to write over what is there, too, while it is full: a file system that copies what is written. */
  isCopying = false;
  /** What one call takes at most, milliseconds. */
  slowMs = 1;
  /** Null while all files can be read and written. */
  failing: FailingFiles | null = null;
  readonly #root: Inode;
  /** Folders of another machine, which does not lose its power with this one. */
  readonly #mounted = new Set<Inode>();
  #numbers = 1;
  /** Bytes that are left on a full disk; null while there is plenty. */
  #left: number | null = null;

  constructor(private readonly now: () => number) {
    this.#root = this.#node(true, 0o755);
    this.make(FOLDER, true, 0o755);
  }

  /** Nothing new can be written: it is full. Some room is left, which nobody may rely on. */
  get isFull(): boolean {
    return this.#left !== null;
  }

  set isFull(isFull: boolean) {
    this.#left = isFull ? LEFT_BYTES : null;
  }

  get freeBytes(): number {
    return this.#left ?? FREE_BYTES;
  }

  /** Takes some of the room that is left. @returns false where there is too little */
  take(bytes: number): boolean {
    if (this.#left === null) return true;
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** @throws Error with `ENOENT` */
  at(path: string): Inode {
    const found = this.find(path);
    if (!found) throw fsError('ENOENT', path);
    return found;
  }

  find(path: string): Inode | undefined {
    let node: Inode | undefined = this.#root;
    for (const name of resolve(FOLDER, path).split('/')) {
      if (name !== '') node = node?.names.get(name);
    }
    return node;
  }

  /** A new file or folder. @throws Error where the name is taken, the folder missing or the disk full */
  make(path: string, isFolder: boolean, mode: number): Inode {
    const above = this.#above(path);
    const name = basename(path);
    if (above.names.has(name)) throw fsError('EEXIST', path);
    this.assertRoom(path);
    const node = this.#node(isFolder, mode);
    above.names.set(name, node);
    above.changed = this.now();
    return node;
  }

  makeAll(path: string, mode: number): void {
    if (this.find(path)) return;
    this.makeAll(dirname(resolve(FOLDER, path)), mode);
    this.make(path, true, mode);
  }

  /** Shows the whole disk of another machine at a path, as a network file system does. */
  mount(path: string, other: Disk): void {
    this.#above(path).names.set(basename(path), other.#root);
    this.#mounted.add(other.#root);
  }

  link(path: string, node: Inode, replaces: boolean): void {
    const { names } = this.#above(path);
    if (!replaces && names.has(basename(path))) throw fsError('EEXIST', path);
    names.set(basename(path), node);
    node.changed = this.now();
  }

  remove(path: string): void {
    const { names } = this.#above(path);
    if (!names.delete(basename(path))) throw fsError('ENOENT', path);
  }

  write(node: Inode, data: Buffer, path: string): void {
    this.assertRoom(path);
    node.data = data;
    node.changed = this.now();
  }

  /** The power goes: of each file, what was not synced may be there, in part or not at all. */
  cutPower(random: Random): void {
    this.#cut(this.#root, random);
  }

  /** A call of a file begins. @throws Error where it is one that fails */
  assertWorking(call: string, path: string): void {
    const { failing } = this;
    if (failing === null || NOT_FAILING.test(resolve(FOLDER, path))) return;
    const may = failing.code === 'EMFILE' ? OPENING.test(call) : !ASKING_NOTHING.test(call);
    if (may && failing.fails()) throw fsError(failing.code, path);
  }

  assertRoom(path: string): void {
    if (this.isFull) throw fsError('ENOSPC', path);
  }

  #cut(node: Inode, random: Random): void {
    if (this.#mounted.has(node)) return;
    const { names, durableNames, data, durable } = node;
    node.pages?.cut(() => random.chance(0.5));
    if (!node.isFolder) {
      if (data === durable) return;
      const kept = random.pick(['all', 'part', 'none']);
      if (kept === 'part') {
        const written = random.int(0, data.length + 1);
        // What was synced is still there where nothing was written over it yet.
        const rest = (durable ?? Buffer.alloc(0)).subarray(written);
        node.data = Buffer.concat([data.subarray(0, written), rest]);
      }
      if (kept === 'none') node.data = durable ?? Buffer.alloc(0);
      node.durable = node.data;
      return;
    }
    for (const name of new Set([...names.keys(), ...durableNames.keys()])) {
      const [now, then] = [names.get(name), durableNames.get(name)];
      if (now === then || random.chance(0.5)) continue;
      if (then) names.set(name, then);
      else names.delete(name);
    }
    node.durableNames = new Map(names);
    for (const child of names.values()) this.#cut(child, random);
  }

  #above(path: string): Inode {
    const above = this.at(dirname(resolve(FOLDER, path)));
    if (!above.isFolder) throw fsError('ENOTDIR', path);
    return above;
  }

  #node(isFolder: boolean, mode: number): Inode {
    return new Inode(this.#numbers++, isFolder, mode, this.now(), this.now());
  }
}
