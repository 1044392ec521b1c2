import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fsError, type Disk, type Inode } from './disk.js';
import type { SimProcess } from './process.js';

const require = createRequire(import.meta.url);

type Path = string | URL;
type Encoding = string | { readonly encoding?: string } | null | undefined;
interface StatOptions {
  readonly bigint?: boolean;
  readonly throwIfNoEntry?: boolean;
}

/** Where programs of the simulation are installed, and where that is in the repository. */
export const PROGRAM = '/program';
const INSTALLED = 'src/store/redis';

/** The functions of `node:fs` and `node:fs/promises` that the product calls as it serves. */
export function filesOn(disk: Disk, process: SimProcess): object {
  const sync = syncFiles(disk, process);
  const checked = Object.entries(sync).map(([name, act]) => [
    name,
    (...args: unknown[]): unknown => {
      if (isPath(args[0])) disk.assertWorking(name, named(args[0]));
      return (act as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  const later = Object.entries(promised(disk, process, sync)).map(([name, act]) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      await process.io(process.machine.random.between(0.05, disk.slowMs));
      if (isPath(args[0])) disk.assertWorking(name, named(args[0]));
      return (act as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { ...(Object.fromEntries(checked) as object), ...(Object.fromEntries(later) as object) };
}

/** Calls by a descriptor are of files of the store, but for those of an {@link OpenFile}. */
function isPath(value: unknown): value is Path {
  return typeof value === 'string' || value instanceof URL;
}

function syncFiles(disk: Disk, process: SimProcess) {
  /** What changes the disk; a process that died in this step changes nothing more. */
  const change = <T>(act: () => T): T => process.output(act);
  const descriptors = new Map<number, Inode>();
  let next = 10;
  const opened = (descriptor: number): Inode => {
    const node = descriptors.get(descriptor);
    if (!node) throw fsError('EBADF', String(descriptor));
    return node;
  };
  const files = {
    existsSync: (path: Path) => disk.find(named(path)) !== undefined,
    accessSync: (path: Path) => void disk.at(named(path)),
    readFileSync: (path: Path, encoding?: Encoding) => {
      const told = statusOf(process, named(path));
      return inForm(told ?? contentOf(disk, path), encoding);
    },
    readlinkSync: (path: Path) => {
      if (path !== '/proc/self/ns/pid') throw fsError('EINVAL', named(path));
      return `pid:[${process.machine.host.name}]`;
    },
    statSync: (path: Path, options?: StatOptions) => statOf(disk, named(path), options),
    lstatSync: (path: Path, options?: StatOptions) => statOf(disk, named(path), options),
    readdirSync: (path: Path) => [...disk.at(named(path)).names.keys()].sort(),
    realpathSync: (path: Path) => named(path),
    openSync: (path: Path, flags = 'r', mode = 0o666) => {
      descriptors.set(next, openedAt(disk, process, named(path), flags, mode));
      return next++;
    },
    closeSync: (descriptor: number) => void descriptors.delete(descriptor),
    readSync: (
      descriptor: number,
      buffer: Uint8Array,
      offset: number,
      length: number,
      position: number,
    ) => {
      const found = opened(descriptor).data.subarray(position, position + length);
      buffer.set(found, offset);
      return found.length;
    },
    /** Bytes with their part and its place, or a text and its place. */
    writeSync: (descriptor: number, data: string | Uint8Array, ...at: number[]) => {
      const isText = typeof data === 'string';
      const [offset, length] = isText ? [0, undefined] : at;
      const position = (isText ? at[0] : at[2])!;
      const bytes = isText ? Buffer.from(data) : data.subarray(offset, offset + length!);
      const node = opened(descriptor);
      const isWithin = position + bytes.length <= node.data.length;
      const whole = placed(node.data, bytes, position);
      change(() => {
        // What is written over takes no room, on most file systems.
        if (isWithin && !disk.isCopying) node.data = whole;
        else disk.write(node, whole, '');
      });
      return bytes.length;
    },
    fsyncSync: (descriptor: number) => change(() => opened(descriptor).sync()),
    chmodSync: (path: Path, mode: number) =>
      change(() => {
        const node = disk.at(named(path));
        node.mode = mode;
        node.changed = process.wall;
      }),
    mkdirSync: (path: Path, options: { recursive?: boolean; mode?: number } = {}) =>
      change(() => {
        if (options.recursive) disk.makeAll(named(path), options.mode ?? 0o777);
        else disk.make(named(path), true, options.mode ?? 0o777);
      }),
    renameSync: (from: Path, to: Path) =>
      change(() => {
        const node = disk.at(named(from));
        disk.link(named(to), node, true);
        disk.remove(named(from));
      }),
    linkSync: (from: Path, to: Path) =>
      change(() => disk.link(named(to), disk.at(named(from)), false)),
    rmSync: (path: Path, options: { force?: boolean } = {}) =>
      change(() => {
        if (disk.find(named(path)) || !options.force) disk.remove(named(path));
      }),
    unlinkSync: (path: Path) => change(() => disk.remove(named(path))),
    writeFileSync: (path: Path, data: Data, options?: { mode?: number } | string) =>
      change(() => {
        const mode = typeof options === 'object' ? (options.mode ?? 0o666) : 0o666;
        const node = disk.find(named(path)) ?? disk.make(named(path), false, mode);
        disk.write(node, bytesOf(data), named(path));
      }),
  };
  return files;
}

function promised(disk: Disk, process: SimProcess, sync: ReturnType<typeof syncFiles>): object {
  return {
    chmod: sync.chmodSync,
    copyFile: (from: Path, to: Path) => sync.writeFileSync(to, contentOf(disk, from)),
    link: sync.linkSync,
    mkdir: sync.mkdirSync,
    open: (path: Path, flags = 'r', mode = 0o666) => {
      const name = named(path);
      const node = openedAt(disk, process, name, flags, mode);
      return new OpenFile(disk, process, name, node, flags.startsWith('a'));
    },
    opendir: (path: Path) => {
      const folder = disk.at(named(path));
      return [...folder.names].sort().map(([name, node]) => entryOf(name, node));
    },
    readFile: sync.readFileSync,
    readdir: (path: Path, options?: { withFileTypes?: boolean }) => {
      const names = sync.readdirSync(path);
      if (!options?.withFileTypes) return names;
      return names.map((name) => entryOf(name, disk.at(join(named(path), name))));
    },
    realpath: sync.realpathSync,
    rename: sync.renameSync,
    rm: sync.rmSync,
    stat: sync.statSync,
    unlink: sync.unlinkSync,
    writeFile: sync.writeFileSync,
  };
}

type Data = string | Uint8Array | readonly Uint8Array[];

/** An open file; each call takes as long as those of the disk. */
class OpenFile {
  /** Where the next byte is read or written that names no place. */
  private place = 0;

  constructor(
    private readonly disk: Disk,
    private readonly process: SimProcess,
    private readonly path: string,
    private readonly node: Inode,
    private readonly appends: boolean,
  ) {}

  async write(
    data: string | Uint8Array,
    offset = 0,
    length = data.length - offset,
    position: number | null = null,
  ): Promise<object> {
    const bytes =
      typeof data === 'string' ? Buffer.from(data) : data.subarray(offset, offset + length);
    this.put(bytes, position);
    return { bytesWritten: bytes.length, buffer: data };
  }

  /** Behind what was written before. */
  async writeFile(data: Data): Promise<void> {
    this.put(bytesOf(data), null);
  }

  async read(
    buffer: Uint8Array,
    offset = 0,
    length = buffer.length - offset,
    position: number | null = null,
  ): Promise<object> {
    this.disk.assertWorking('read', this.path);
    const from = position ?? this.place;
    const found = this.node.data.subarray(from, from + length);
    buffer.set(found, offset);
    if (position === null) this.place += found.length;
    return { bytesRead: found.length, buffer };
  }

  async readFile(encoding?: Encoding): Promise<unknown> {
    this.disk.assertWorking('read', this.path);
    const found = this.node.data.subarray(this.place);
    this.place = this.node.data.length;
    return inForm(found, encoding);
  }

  async truncate(size = 0): Promise<void> {
    this.disk.assertWorking('write', this.path);
    const bytes = Buffer.alloc(size);
    this.node.data.copy(bytes);
    this.change(() => this.disk.write(this.node, bytes, this.path));
  }

  async sync(): Promise<void> {
    this.disk.assertWorking('sync', this.path);
    this.disk.assertRoom(this.path);
    this.node.sync();
  }

  datasync(): Promise<void> {
    return this.sync();
  }

  async stat(options?: StatOptions): Promise<unknown> {
    return statsOf(this.node, options);
  }

  async chmod(mode: number): Promise<void> {
    this.change(() => {
      this.node.mode = mode;
      this.node.changed = this.process.wall;
    });
  }

  async close(): Promise<void> {
    // Nothing is kept of it.
  }

  /** A process that died in this step changes nothing more. */
  private change(act: () => void): void {
    this.process.output(act);
  }

  /** Never in place: what was synced keeps its bytes until the next sync. */
  private put(bytes: Uint8Array, position: number | null): void {
    this.disk.assertWorking('write', this.path);
    const { data } = this.node;
    const from = this.appends ? data.length : (position ?? this.place);
    const whole = placed(data, bytes, from);
    this.change(() => this.disk.write(this.node, whole, this.path));
    if (position === null) this.place = from + bytes.length;
  }
}

/** The file that a program opens, which is made or emptied where the flags say so. */
function openedAt(
  disk: Disk,
  process: SimProcess,
  name: string,
  flags: string,
  mode: number,
): Inode {
  const isMade = !flags.startsWith('r') && (flags.includes('x') || !disk.find(name));
  if (isMade) return process.output(() => disk.make(name, false, mode));
  const node = disk.at(name);
  if (flags.startsWith('w')) process.output(() => disk.write(node, Buffer.alloc(0), name));
  return node;
}

/** Bytes with others in a place. */
function placed(data: Buffer, bytes: Uint8Array, position: number): Buffer {
  const whole = Buffer.alloc(Math.max(data.length, position + bytes.length));
  data.copy(whole);
  whole.set(bytes, position);
  return whole;
}

/** What the system tells of a process: its name, its state, and when it started, in hundredths of a second. */
function statusOf({ machine: { host } }: SimProcess, path: string): Buffer | null {
  const [, pid] = /^\/proc\/(\d+)\/stat$/.exec(path) ?? [];
  if (pid === undefined) return null;
  const running = host.processes.get(Number(pid));
  if (!running) throw fsError('ENOENT', path);
  const { isPaused, startedAt } = running.process;
  const started = Math.floor((startedAt - host.clock.startedAt) / 10);
  const between = Array.from({ length: 18 }, () => '0').join(' ');
  return Buffer.from(`${pid} (parley) ${isPaused ? 'T' : 'S'} ${between} ${started} 0`);
}

function named(path: Path): string {
  return typeof path === 'string' ? path : fileURLToPath(path);
}

function contentOf(disk: Disk, path: Path): Buffer {
  const name = named(path);
  if (name.startsWith(`${PROGRAM}/scripts/`)) {
    return readFileSync(join(INSTALLED, name.slice(PROGRAM.length)));
  }
  // A file of a package, found by its name.
  if (name.startsWith(`${PROGRAM}/`)) {
    return readFileSync(require.resolve(name.slice(PROGRAM.length + 1)));
  }
  const node = disk.at(name);
  if (node.isFolder) throw fsError('EISDIR', name);
  return node.data;
}

function inForm(data: Buffer, encoding: Encoding): unknown {
  const name = typeof encoding === 'object' ? encoding?.encoding : encoding;
  return name ? data.toString(name as BufferEncoding) : Buffer.from(data);
}

function bytesOf(data: Data): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof Uint8Array ? Buffer.from(data) : Buffer.concat(data);
}

function statOf(disk: Disk, path: string, options: StatOptions = {}): unknown {
  const node = disk.find(path);
  if (!node && options.throwIfNoEntry === false) return undefined;
  return statsOf(disk.at(path), options);
}

function statsOf(node: Inode, { bigint = false }: StatOptions = {}): object {
  const { number, isFolder, mode, birth, changed, data } = node;
  const whole = (value: number): number | bigint => (bigint ? BigInt(Math.floor(value)) : value);
  const kind = isFolder ? 0o040000 : 0o100000;
  return {
    ino: whole(number),
    dev: whole(1),
    uid: whole(0),
    gid: whole(0),
    mode: whole(kind | mode),
    size: whole(data.length),
    birthtimeMs: whole(birth),
    ctimeMs: whole(changed),
    mtimeMs: whole(changed),
    birthtimeNs: BigInt(Math.floor(birth)) * 1_000_000n,
    ctimeNs: BigInt(Math.floor(changed)) * 1_000_000n,
    mtimeNs: BigInt(Math.floor(changed)) * 1_000_000n,
    ...kindOf(node),
  };
}

function entryOf(name: string, node: Inode): object {
  return { name, ...kindOf(node) };
}

function kindOf({ isFolder }: Inode): object {
  return { isDirectory: () => isFolder, isFile: () => !isFolder, isSymbolicLink: () => false };
}
