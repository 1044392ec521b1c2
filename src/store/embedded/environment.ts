/** The LMDB environment of an embedded store: opening, the checks at opening, its tables. */
import { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { open, type RootDatabase, type Transaction } from 'lmdb';
import {
  accessSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  open as openFile,
} from '../../platform/files.js';
import { freeBytes, largestFileBytes } from '../../platform/figures.js';
import { pause as delay } from '../../platform/timers.js';
import type { DocumentKey } from '../port.js';
import { assertPagesIntact } from './pages/page-check.js';
import { awaitStoppedHolders } from './lease/lease-term.js';
import { whileNobodyWrites, withOpenLock } from './lease/open-gate.js';
import { claimProcessId } from './lease/process-claim.js';
import {
  documentKeys,
  dueKeys,
  type DocumentTableKey,
  type DueTableKey,
  type KeyEncoder,
} from './encoding.js';

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

/** The record of unapplied merges, sealed, and its mark (`unapplied.ts`). */
export interface UnappliedRecord {
  readonly mark: string;
  readonly text: string;
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
  /** Writes the record of unapplied merges, or removes it; within a transaction of the writer. */
  putUnapplied(record: UnappliedRecord | null): void;
  /** @throws Error when the environment can no longer begin a write */
  assertWritable(): void;
  /**
   * The same tables as they are now, in one read transaction; nothing can be written to them. Pages that
   * are replaced before `close` keep their room in the file.
   */
  snapshot(): Environment;
  /** Reads from here on see what any process committed before, also within the same turn of the event loop. */
  refresh(): void;
  /** Makes durable what can be read, whichever process wrote it. */
  flush(): Promise<void>;
  /** Lets go of what processes that ended were reading. */
  releaseDeadReaders(): void;
  close(): Promise<void>;
}

/**
 * Layout of tables, keys and values. Format 1 knew no checksums; a writer raises it before it writes
 * any, because builds of that time cannot read them.
 */
const FORMAT = '2';
const READABLE: ReadonlySet<string> = new Set(['1', FORMAT]);
/** While a record of unapplied merges is there, which builds of format 2 alone would not see. */
const UNAPPLIED_FORMAT = '2 with unapplied merges';
const FORMAT_KEY = 'format';
/** How a file of LMDB starts: magic number and data version, little endian, behind a page header. */
const MAGIC = Buffer.from('dec0efbe02000000', 'hex');
const MAGIC_OFFSET = 24;
/** The two pages that say where everything else is. */
const LEAST_FILE_BYTES = 2 * 4096;
/** For how long a file may be shorter than that: a process that makes it writes them at once. */
const BEING_MADE_MS = 500;
const BEING_MADE_STEP_MS = 10;
/** How long closing waits for others who open or close. */
const CLOSE_WAIT_MS = 1000;
/** Disk space that a store begins with: its lock file and its first pages take a tenth of it. */
const LEAST_ROOM_BYTES = 1024 ** 2;
/** Key in `meta` of the lease: its holder and the name of its socket. */
export const LEASE_KEY = 'lease';
/** Key in `meta` of the mark of unapplied merges. */
export const UNAPPLIED_KEY = 'unapplied';
/** Key in `meta` of these merges. */
export const UNAPPLIED_MERGES_KEY = 'unapplied_merges';
/** Key in `meta` of the highest position ever trimmed. */
export const TRIMMED_KEY = 'trimmed';

/**
 * Address space reserved at first. lmdb grows the map by itself beyond that, up to what the disk
 * and the address space (terabytes) hold; the file only ever takes what is used, so a generous start
 * costs nothing and spares most stores the remapping.
 */
const INITIAL_MAP_BYTES = 1024 ** 3;

/**
 * Reads under way at once, in all processes of a directory; each has one or two, and one more per snapshot.
 * Takes 64 bytes each of the lock file.
 */
const MAX_READERS = 1024;

/**
 * Opens or creates the environment in `directory` (created with mode 0700).
 * @throws Error naming the directory when it is unreadable, damaged or of another format
 */
export async function openEnvironment(
  directory: string,
  durability: Durability,
): Promise<Environment> {
  let root: RootDatabase | undefined;
  let leave = async (): Promise<void> => undefined;
  try {
    const created = makeDirectory(resolve(directory));
    if (await isDatabaseThere(directory)) assertPagesIntact(directory);
    assertLockFile(directory);
    await awaitStoppedHolders(directory);
    const environment = await whileNobodyWrites(directory, async () => {
      leave = await claimProcessId(directory);
      root = openRoot(directory, durability);
      padEnd(directory, root);
      const opened = openTables(root, directory, durability, leave);
      await checkFormat(opened);
      return opened;
    });
    syncNames(created ?? directory);
    syncPath(directory);
    return environment;
  } catch (error) {
    await withOpenLock(directory, () => closeRoot(root, leave), CLOSE_WAIT_MS);
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
  const options = {
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    noSync: durability === 'process',
    eventTurnBatching: false,
    encoding: 'string' as const,
    mapSize: INITIAL_MAP_BYTES,
    maxReaders: MAX_READERS,
    // Of the files it makes; lmdb's types do not know the option.
    permissionsMode: 0o600,
  };
  return open(options);
}

/** Closes the database, and then gives back the id of this process in its directory. */
async function closeRoot(
  root: RootDatabase | undefined,
  leave: () => Promise<void>,
): Promise<void> {
  try {
    await root?.close();
  } finally {
    await leave();
  }
}

/** @param leave called when the database is closed */
function openTables(
  root: RootDatabase,
  directory: string,
  durability: Durability,
  leave: () => Promise<void>,
): Environment {
  const meta = openTable<string, string>(root, 'meta');
  return {
    documents: openTable(root, 'docs', documentKeys),
    journal: openTable<number, number>(root, 'journal'),
    due: openTable(root, 'due', dueKeys),
    meta,
    raiseFormat() {
      if (meta.get(FORMAT_KEY) === '1') void meta.put(FORMAT_KEY, FORMAT, 0);
    },
    putUnapplied(record) {
      void meta.put(FORMAT_KEY, record ? UNAPPLIED_FORMAT : FORMAT, 0);
      if (record) {
        void meta.put(UNAPPLIED_KEY, record.mark, 0);
        void meta.put(UNAPPLIED_MERGES_KEY, record.text, 0);
      } else {
        void meta.remove(UNAPPLIED_KEY);
        void meta.remove(UNAPPLIED_MERGES_KEY);
      }
    },
    assertWritable: () => void root.transactionSync(() => undefined),
    snapshot() {
      const transaction = root.useReadTransaction();
      return {
        ...this,
        documents: pinned(this.documents, transaction),
        journal: pinned(this.journal, transaction),
        due: pinned(this.due, transaction),
        meta: pinned(this.meta, transaction),
        close: async () => transaction.done(),
      };
    },
    refresh: () => root.resetReadTxn(),
    async flush() {
      if (durability === 'process') return;
      const file = await openFile(join(directory, 'data.mdb'), 'r');
      try {
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    releaseDeadReaders: () => void root.readerCheck(),
    async close() {
      await withOpenLock(directory, () => closeRoot(root, leave), CLOSE_WAIT_MS);
      if (durability === 'process') syncPath(join(directory, 'data.mdb'));
    },
  };
}

/** A table as a read transaction sees it. */
function pinned<K, R>(table: Table<K, R>, transaction: Transaction): Table<K, R> {
  // Every read of lmdb takes the transaction to read in, which the narrower type of tables leaves out.
  type Reads = {
    get(key: K, options: object): string | undefined;
    getEntry(key: K, options: object): { value: string; version?: number } | undefined;
  };
  const reads = table as Reads;
  const refused = async (): Promise<never> => {
    throw new Error('A snapshot cannot be written to');
  };
  return {
    get: (key) => reads.get(key, { transaction }),
    getEntry: (key) => reads.getEntry(key, { transaction }),
    getRange: (range) => table.getRange({ ...range, ...{ transaction } }),
    getKeys: (range) => table.getKeys({ ...range, ...{ transaction } }),
    put: refused,
    remove: refused,
    ifVersion: refused,
    ifNoExists: refused,
  };
}

/** lmdb's types know neither key encoders nor keys other than primitives: one cast, here. */
function openTable<K, R>(
  root: RootDatabase,
  name: string,
  keyEncoder?: KeyEncoder<K, R>,
): Table<K, R> {
  const options = { encoding: 'string', useVersions: name === 'meta', keyEncoder } as const;
  return root.openDB(name, options) as Table<K, R>;
}

/**
 * Whether there is a file. Looks at it before lmdb does: lmdb starts over in an empty file, and takes the
 * process down over one that is none of its own. Another process may be about to make it.
 * @throws Error for a file that is no database
 */
async function isDatabaseThere(directory: string): Promise<boolean> {
  const path = join(directory, 'data.mdb');
  for (let waited = 0; ; waited += BEING_MADE_STEP_MS) {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return false;
    if (!file.isFile()) throw new Error('data.mdb is not a file');
    if (file.size >= LEAST_FILE_BYTES || waited >= BEING_MADE_MS) {
      assertDatabase(path, file.size);
      return true;
    }
    await delay(BEING_MADE_STEP_MS);
  }
}

/** @throws Error for a file that is no database */
function assertDatabase(path: string, size: number): void {
  if (size === 0) throw new Error('data.mdb is empty; remove it to start afresh');
  const header = Buffer.alloc(MAGIC_OFFSET + MAGIC.length);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  if (!header.subarray(MAGIC_OFFSET).equals(MAGIC)) throw new Error('data.mdb is no LMDB file');
  if (size < LEAST_FILE_BYTES) throw new Error('data.mdb is cut short');
}

/**
 * Looks at the lock file before lmdb does, which takes the process down without a word: over one that it cannot open,
 * such as that of another account that ran a command here once, and, because it writes through memory, over a full
 * disk. A lock file that is there already has its room, and a store that cannot grow can still be read.
 * @throws Error for a lock file that cannot be used
 */
function assertLockFile(directory: string): void {
  const path = join(directory, 'lock.mdb');
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    const room = roomIn(directory);
    if (room !== null && room < LEAST_ROOM_BYTES) throw new Error('no space left on the disk');
    return;
  }
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new Error('lock.mdb is not a file');
  accessSync(path, constants.R_OK | constants.W_OK);
}

/**
 * Room for the database, bytes: on the disk, and up to the largest file that the process may write (`ulimit -f`), at
 * which LMDB would print what it cannot do. Null where the system does not tell how much the disk has.
 */
export function roomIn(directory: string): number | null {
  const free = freeBytes(directory);
  const limit = largestFileBytes();
  if (limit === null || free === null) return free;
  const size = statSync(join(directory, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0;
  return Math.min(free, limit - size);
}

/**
 * Reading pages behind the end of the file would kill the process. LMDB does not write pages that a
 * transaction took at the end of the file and gave back, as happens where much is deleted: the check of
 * the pages saw that nothing else is missing.
 */
function padEnd(directory: string, root: RootDatabase): void {
  const { pageSize, lastPageNumber } = root.getStats() as {
    pageSize: number;
    lastPageNumber: number;
  };
  const path = join(directory, 'data.mdb');
  const needed = (lastPageNumber + 1) * pageSize;
  const pad = (): void => {
    if (statSync(path).size < needed) truncateSync(path, needed);
  };
  // Not while another process writes behind the end: what it wrote would be cut off.
  if (statSync(path).size < needed) root.transactionSync(pad);
}

async function checkFormat({ meta }: Environment): Promise<void> {
  const format = meta.get(FORMAT_KEY);
  if (format === UNAPPLIED_FORMAT || (format !== undefined && READABLE.has(format))) return;
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

/**
 * Makes the name of a directory durable, and what it holds by now. Also for one that was there: the process that made
 * it may have been killed before it got so far.
 */
function syncNames(path: string): void {
  try {
    syncPath(dirname(resolve(path)));
  } catch (error) {
    // Somebody else's directory, as that of a mount point may be: its names are theirs.
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
  }
}

function syncPath(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
