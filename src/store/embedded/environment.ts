/** The LMDB environment of an embedded store: opening, the checks at opening, its tables. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import type { DocumentKey } from '../port.js';
import {
  COLLECTION_START,
  documentKeys,
  dueKeys,
  type DocumentTableKey,
  type DueTableKey,
  type KeyEncoder,
} from './keys.js';

/**
 * - `disk`: a commit is acknowledged after the disk confirmed it (two synchronous writes each).
 * - `process`: after the operating system has it. Survives a kill of the process; a power failure
 *   may damage the whole database. For tests and throw-away data.
 */
export type Durability = 'disk' | 'process';

/** One table, as far as this adapter uses it; `K` is written, `R` read back. Values are text. */
export interface Table<K, R = K> {
  get(key: K): string | undefined;
  getEntry(key: K): { value: string; version?: number } | undefined;
  getRange(range: Range<K>): Iterable<{ key: R; value: string }>;
  getKeys(range: Range<K>): Iterable<R>;
  put(key: K, value: string, version?: number): Promise<boolean>;
  remove(key: K): Promise<boolean>;
  /** Does the writes of `action` in one transaction if the key has this version. */
  ifVersion(key: K, version: number, action: () => void): Promise<boolean>;
  /** Does the writes of `action` in one transaction if the key is not there. */
  ifNoExists(key: K, action: () => void): Promise<boolean>;
}

interface Range<K> {
  readonly start?: K;
  readonly end?: K;
  readonly exclusiveStart?: boolean;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** The tables of one directory, opened. */
export interface Environment {
  /** Documents as JSON text. */
  readonly documents: Table<DocumentTableKey, DocumentKey>;
  /** Journal entries by position. */
  readonly journal: Table<number>;
  readonly due: Table<DueTableKey>;
  /** Format, lease and trim marks; versioned. */
  readonly meta: Table<string>;
  /** Raises the format of an older store; for the writer, within its transactions. */
  raiseFormat(): void;
  /** @throws Error when the environment can no longer begin a write */
  assertWritable(): void;
  close(): Promise<void>;
}

/**
 * Layout of tables, keys and values. Format 1 knew no checksums; a writer raises it before it writes
 * any, because builds of that time cannot read them.
 */
const FORMAT = '2';
const READABLE: ReadonlySet<string> = new Set(['1', FORMAT]);
const FORMAT_KEY = 'format';
/** How a file of LMDB starts: magic number and data version, little endian, behind a page header. */
const MAGIC = Buffer.from('dec0efbe02000000', 'hex');
const MAGIC_OFFSET = 24;
/** The two pages that say where everything else is. */
const LEAST_FILE_BYTES = 2 * 4096;
/** Disk space that a store begins with: its lock file and its first pages take a tenth of it. */
const LEAST_ROOM_BYTES = 1024 ** 2;
/** Key in `meta` of the lease: its holder and the name of its socket. */
export const LEASE_KEY = 'lease';
/** Key in `meta` of the highest position ever trimmed. */
export const TRIMMED_KEY = 'trimmed';

/**
 * Address space reserved at first. lmdb grows the map by itself beyond that, up to what the disk
 * and the address space (terabytes) hold; the file only ever takes what is used, so a generous start
 * costs nothing and spares most stores the remapping.
 */
const INITIAL_MAP_BYTES = 1024 ** 3;

/**
 * Opens or creates the environment in `directory` (created with mode 0700).
 * @throws Error naming the directory when it is unreadable, damaged or of another format
 */
export async function openEnvironment(
  directory: string,
  durability: Durability,
): Promise<Environment> {
  let root: RootDatabase | undefined;
  try {
    const created = makeDirectory(resolve(directory));
    assertDatabaseFile(directory);
    assertRoom(directory);
    root = openRoot(directory, durability);
    const missing = padEnd(directory, root);
    const environment = openTables(root, directory, durability);
    if (missing) missing.check(environment);
    await checkFormat(environment);
    if (created !== undefined) syncPath(dirname(created));
    syncPath(directory);
    return environment;
  } catch (error) {
    await root?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot open the embedded store in ${directory}: ${reason}`, { cause: error });
  }
}

/**
 * Makes a directory and those above it. (Node's own recursion never ends where the system says that a
 * directory is not there although the one above it is, as in /proc, and hides other reasons.)
 * @returns the topmost it made, if any
 */
function makeDirectory(path: string): string | undefined {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return undefined;
    throw new Error(`${path} is not a directory`);
  }
  const above = makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return above ?? path;
}

/**
 * Without overlapping sync, a write's promise resolves after LMDB's own sequence: pages written,
 * fdatasync, then the meta page through a descriptor opened with O_DSYNC. That is the acknowledgement
 * this store gives. (With it, lmdb resolves on visibility and flushes later.)
 */
function openRoot(directory: string, durability: Durability): RootDatabase {
  return open({
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    noSync: durability === 'process',
    eventTurnBatching: false,
    encoding: 'string',
    mapSize: INITIAL_MAP_BYTES,
  });
}

function openTables(root: RootDatabase, directory: string, durability: Durability): Environment {
  const meta = openTable<string, string>(root, 'meta');
  let raised = false;
  return {
    documents: openTable(root, 'docs', documentKeys),
    journal: openTable<number, number>(root, 'journal'),
    due: openTable(root, 'due', dueKeys),
    meta,
    raiseFormat() {
      if (!raised && meta.get(FORMAT_KEY) !== FORMAT) void meta.put(FORMAT_KEY, FORMAT, 0);
      raised = true;
    },
    assertWritable: () => void root.transactionSync(() => undefined),
    async close() {
      await root.close();
      if (durability === 'process') syncPath(join(directory, 'data.mdb'));
    },
  };
}

/** lmdb's types know neither key encoders nor keys other than primitives: one cast, here. */
function openTable<K, R>(
  root: RootDatabase,
  name: string,
  keyEncoder?: KeyEncoder<K, R>,
): Table<K, R> {
  const options = { encoding: 'string', useVersions: name === 'meta', keyEncoder } as const;
  return root.openDB(name, options) as unknown as Table<K, R>;
}

/**
 * Looks at the file before lmdb does: lmdb starts over in an empty file, and takes the process down
 * over one that is none of its own.
 */
function assertDatabaseFile(directory: string): void {
  const path = join(directory, 'data.mdb');
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isFile()) throw new Error('data.mdb is not a file');
  if (file.size === 0) throw new Error('data.mdb is empty; remove it to start afresh');
  const header = Buffer.alloc(MAGIC_OFFSET + MAGIC.length);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  if (!header.subarray(MAGIC_OFFSET).equals(MAGIC)) throw new Error('data.mdb is no LMDB file');
  if (file.size < LEAST_FILE_BYTES) throw new Error('data.mdb is cut short');
}

/**
 * LMDB writes its lock file through memory, where a full disk takes the process down without a word. One
 * that is there already has its room, and a store that cannot grow can still be read.
 */
function assertRoom(directory: string): void {
  if (existsSync(join(directory, 'lock.mdb'))) return;
  if (freeBytes(directory) < LEAST_ROOM_BYTES) throw new Error('no space left on the disk');
}

/** Room on the disk of a directory, bytes. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Pages that were missing at the end of the file, filled with zeros for now. */
interface MissingPages {
  /** @throws Error when any of them belongs to what is stored; the file is then as it was */
  check(environment: Environment): void;
}

/**
 * Reading pages behind the end of the file would kill the process. They may be missing for a good
 * reason: LMDB does not write pages that a transaction took at the end of the file and gave back, as
 * happens where much is deleted. So the file is padded, and read through once to see that nothing
 * points there.
 */
function padEnd(directory: string, root: RootDatabase): MissingPages | null {
  const { pageSize, lastPageNumber } = root.getStats() as {
    pageSize: number;
    lastPageNumber: number;
  };
  const path = join(directory, 'data.mdb');
  const { size } = statSync(path);
  const needed = (lastPageNumber + 1) * pageSize;
  if (size >= needed) return null;
  truncateSync(path, needed);
  return {
    check(environment) {
      if (isWhole(environment)) return;
      truncateSync(path, size);
      throw new Error('data.mdb is cut short');
    },
  };
}

/** Whether everything stored can be read, and is the text that was written. */
function isWhole({ documents, journal, due, meta }: Environment): boolean {
  const first = { collection: '', id: COLLECTION_START };
  const ranges = [
    documents.getRange({ start: first }),
    journal.getRange({}),
    due.getRange({ start: { index: '', at: 0, id: '' } }),
    meta.getRange({}),
  ];
  try {
    for (const range of ranges) {
      for (const { value } of range) if (value.includes('\0')) return false;
    }
    return true;
  } catch {
    return false;
  }
}

async function checkFormat({ meta }: Environment): Promise<void> {
  const format = meta.get(FORMAT_KEY);
  if (format !== undefined && READABLE.has(format)) return;
  if (format !== undefined) {
    throw new Error(`it has format ${format}, this version reads formats ${readable()}`);
  }
  // Conditional: another process may have started the store, and even taken its lease, meanwhile.
  await meta.ifNoExists(FORMAT_KEY, () => {
    void meta.put(LEASE_KEY, '{"holder":"","socket":""}', 0);
    void meta.put(FORMAT_KEY, FORMAT, 0);
  });
}

function readable(): string {
  return [...READABLE].join(' and ');
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
