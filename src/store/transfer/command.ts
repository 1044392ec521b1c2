/** `parley export` and `parley new-history`. */
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createWriteStream,
  existsSync,
  mkdtemp,
  open,
  rename,
  rm,
  unlink,
} from '../../platform/files.js';
import { randomUUID } from '../../platform/randomness.js';
import { wallTime } from '../../platform/time.js';
import { openStore } from '../open.js';
import { openEmbeddedStore } from '../embedded/store.js';
import type { DamagedError, Lease, Store, StoreReads, Write } from '../port.js';
import { withoutDamaged } from '../scan-apart.js';
import { copyCut, type ReadChanges } from './cut.js';
import { exportLines, movable } from './export.js';
import { describeCounts, FORMAT, Tally, VERSION, type Counts, type Header } from './format.js';
import { BusyStoreError, withLease, type HeldLease } from './held.js';
import { historyOf, request } from './history-request.js';
import { refuseSealed, SealedStoreError, sealed, sealOf, UNSEALED } from './seal.js';
import { refuseUnfinishedImport } from './unfinished.js';

/** What the operator asked for. */
export interface TransferCommand {
  /** Store URL. */
  readonly store: string;
  /** The file; null for standard output or input. */
  readonly path: string | null;
}

/** What an export is asked for. */
export interface ExportCommand extends TransferCommand {
  /** The organization was moved elsewhere: the store is sealed. */
  readonly move: boolean;
  /** Damaged messages are left out and named; otherwise they are refused. */
  readonly withoutDamaged?: boolean;
}

/** What was exported. */
export interface Exported extends Counts {
  readonly store: string;
  /** The file; null for standard output. */
  readonly file: string | null;
  /** Whether the store is sealed. */
  readonly moved: boolean;
  /** Damaged messages that it lacks, a sentence each. */
  readonly left_out: readonly string[];
}

/** What an export needs of the process. */
export interface ExportSurroundings {
  /** Version of the software, for the header. */
  readonly software: string;
  readonly stdout: Writable;
  /** Lines for the operator. */
  readonly report: (line: string) => void;
  readonly readChanges: ReadChanges;
}

/**
 * Writes a whole store to a file that appears when it is complete, readable by its owner only, or to
 * standard output, whose last line marks the end. The store may be served meanwhile, unless it is
 * moved: the file holds it as it was at one position.
 * @throws Error when the store is empty, unfinished or sealed, when it is to be moved and is served, or
 *   when the file exists
 */
export async function runExport(
  command: ExportCommand,
  surroundings: ExportSurroundings,
): Promise<Exported> {
  const { store: url, path, move, withoutDamaged: isPartial = false } = command;
  if (path !== null && existsSync(path)) throw new Error(`${path} exists already`);
  assertStoreThere(url);
  let description = '';
  let counts: Counts | undefined;
  const lacking: string[] = [];
  await using(url, async (store) => {
    description = store.description;
    await refuseUnfinishedImport(store);
    if (move) {
      await withLease(store, async (held) => {
        const header = await headerOf(store, surroundings.software, true);
        await moveOut(store, held, header, () => write(store, held.still, header));
      });
      return;
    }
    await refuseSealed(store);
    await withReads(store, path, surroundings.readChanges, async (reads, still) => {
      await write(reads, still, await headerOf(reads, surroundings.software, false));
    });
  });
  return { store: description, file: path, moved: move, left_out: lacking, ...counts! };

  function leftOut({ subject, problem }: DamagedError): void {
    lacking.push(`${subject}: ${problem}`);
    surroundings.report(`Left out: ${subject}: ${problem}`);
  }

  async function write(
    store: StoreReads,
    still: () => Promise<void>,
    header: Header,
  ): Promise<void> {
    if ((await store.collections()).length === 0) throw new Error(`${store.description} is empty`);
    const tally = new Tally();
    const whole = isPartial ? withoutDamaged(store, 'message', leftOut) : store;
    const lines = exportLines(move ? movable(whole) : whole, header, tally, still);
    if (path === null) await pipeline(lines, surroundings.stdout, { end: false });
    else await writeWhole(path, lines);
    const sealing = move
      ? ', which is sealed: the organization goes on where this is imported'
      : '';
    counts = tally.counts();
    surroundings.report(`Exported ${describeCounts(counts)} from ${description}${sealing}`);
  }
}

/**
 * Does work on reads that see the store at one position: a snapshot where it has them, else the store
 * itself while nobody writes, else a copy that is kept beside the file.
 */
export async function withReads<Result>(
  store: Store,
  path: string | null,
  readChanges: ReadChanges,
  work: (reads: StoreReads, still: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if (store.snapshot) {
    const snapshot = await store.snapshot();
    try {
      return await work(snapshot, async () => undefined);
    } finally {
      await snapshot.close();
    }
  }
  try {
    return await withLease(store, ({ still }) => work(store, still));
  } catch (error) {
    if (!(error instanceof BusyStoreError)) throw error;
  }
  const folder = await mkdtemp(join(path === null ? tmpdir() : dirname(path), '.parley-export-'));
  try {
    const copy = await openEmbeddedStore(folder, { durability: 'process' });
    try {
      await withLease(copy, ({ lease }) => copyCut(store, copy, lease, readChanges));
      return await work(copy, async () => undefined);
    } finally {
      await copy.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function headerOf(store: StoreReads, software: string, moved: boolean): Promise<Header> {
  return {
    format: FORMAT,
    version: VERSION,
    software,
    id: randomUUID(),
    exported_at: new Date(wallTime()).toISOString(),
    seq: (await store.lastEntry())?.seq ?? 0,
    history: await historyOf(store),
    moved,
  };
}

/** Seals the store before the file is there, so that the organization is never in two places. */
async function moveOut(
  store: Store,
  { lease }: HeldLease,
  { id: file, exported_at: at }: Header,
  write: () => Promise<void>,
): Promise<void> {
  const former = await sealOf(store);
  if (former?.complete === true) throw new SealedStoreError(store.description, former);
  await note(store, lease, [sealed({ file, at, complete: false })]);
  try {
    await write();
  } catch (error) {
    await note(store, lease, [former === null ? UNSEALED : sealed(former)]).catch(() => undefined);
    throw error;
  }
  await note(store, lease, [sealed({ file, at, complete: true })]);
}

/** Writes documents of tools, which no journal entry contains. */
function note(store: Store, lease: Lease, writes: readonly Write[]): Promise<void> {
  return store.commit(lease, { entries: [], writes, due: [] });
}

/**
 * `parley new-history`: the next start begins another history, and a sealed store may be served again.
 * @throws Error when the store is served or unfinished
 */
export async function runNewHistory(
  url: string,
  report: (line: string) => void,
): Promise<{ readonly store: string }> {
  assertStoreThere(url);
  return using(url, (store) =>
    withLease(store, async ({ lease }) => {
      await refuseUnfinishedImport(store);
      await note(store, lease, [request({ next: 'begin', reason: 'requested' }), UNSEALED]);
      report(
        `The next start on ${store.description} begins another history: clients register again`,
      );
      return { store: store.description };
    }),
  );
}

/** The file is there whole, on disk, or not at all. */
export async function writeWhole(
  path: string,
  lines: AsyncIterable<string | Buffer>,
): Promise<void> {
  const draft = `${path}.partial`;
  try {
    // Whoever left a draft is gone: what it wrote is of no use.
    await pipeline(lines, createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/** Opens a store for some work, and closes it. */
export async function using<Result>(
  url: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opening an embedded store would make one. @throws Error where there is none */
export function assertStoreThere(url: string): void {
  const folder = /^embedded:(.+)$/.exec(url)?.[1];
  if (folder === undefined || existsSync(join(folder, 'data.mdb'))) return;
  throw new Error(`There is no store in ${folder}`);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
