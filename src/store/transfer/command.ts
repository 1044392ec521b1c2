/** `parley export` and `parley import`. */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openStore } from '../open.js';
import type { Store } from '../port.js';
import { exportLines } from './export.js';
import { describeCounts, ExportFileError, FORMAT, Tally, VERSION } from './format.js';
import { withLease } from './held.js';
import { importStore } from './import.js';
import { readExport } from './read-file.js';
import { refuseUnfinishedImport } from './unfinished.js';

/** What the operator asked for. */
export interface TransferCommand {
  /** Store URL. */
  readonly store: string;
  /** The file; null for standard output or input. */
  readonly path: string | null;
}

/** What an export needs of the process. */
export interface ExportSurroundings {
  /** Version of the software, for the header. */
  readonly software: string;
  readonly stdout: Writable;
  /** Lines for the operator. */
  readonly report: (line: string) => void;
}

/**
 * Writes a whole store to a file that appears when it is complete, readable by its owner only, or to
 * standard output, where the last line tells that it is.
 * @throws Error when the store is served, empty or unfinished, or the file exists
 */
export async function runExport(
  { store: url, path }: TransferCommand,
  { software, stdout, report }: ExportSurroundings,
): Promise<void> {
  if (path !== null && existsSync(path)) throw new Error(`${path} exists already`);
  assertStoreThere(url);
  await using(url, (store) =>
    withLease(store, async ({ still }) => {
      await refuseUnfinishedImport(store);
      if ((await store.collections()).length === 0)
        throw new Error(`${store.description} is empty`);
      const tally = new Tally();
      const header = {
        format: FORMAT,
        version: VERSION,
        software,
        id: randomUUID(),
        exported_at: new Date().toISOString(),
      } as const;
      const lines = exportLines(store, header, tally, still);
      if (path === null) await pipeline(lines, stdout, { end: false });
      else await writeWhole(path, lines);
      report(`Exported ${describeCounts(tally.counts())} from ${store.description}`);
    }),
  );
}

/** The file is there whole, on disk, or not at all. */
async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<void> {
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

/** What an import needs of the process. */
export interface ImportSurroundings {
  readonly stdin: Readable;
  readonly report: (line: string) => void;
}

/**
 * Fills an empty store from an export; see `importStore`. A file is checked whole before the store is
 * touched, standard input while it is read.
 * @throws Error when the store is served or not empty, or the file is not whole
 */
export async function runImport(
  { store: url, path }: TransferCommand,
  { stdin, report }: ImportSurroundings,
): Promise<void> {
  try {
    if (path !== null) await readExport(fileChunks(path), { begin: nothing, record: ignore });
    await using(url, (store) =>
      withLease(store, async ({ lease, still }) => {
        const chunks = path === null ? stdin : fileChunks(path);
        const trailer = await importStore(store, lease, chunks, still);
        report(`Imported ${describeCounts(trailer)} into ${store.description}`);
        report(
          'It is served only with the api-keys.secret of the exported server, so that API keys stay ' +
            'valid: copy it.',
        );
      }),
    );
  } catch (error) {
    if (!(error instanceof ExportFileError)) throw error;
    throw new Error(`${path ?? 'standard input'}: ${error.message}`, { cause: error });
  }
}

async function nothing(): Promise<void> {}

function ignore(): void {}

function fileChunks(path: string): AsyncIterable<Buffer> {
  return createReadStream(path, { highWaterMark: 256 * 1024 });
}

async function using(url: string, work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(url);
  try {
    await work(store);
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
