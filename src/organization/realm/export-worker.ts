import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RealmExportDocument } from '../../../schemas/realm/exports.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { Transactor } from '../state/runtime.js';
import { exportLines } from './export-content.js';
import { exportPartKey, failExport, finishExport } from './exports.js';
import { NEVER, NOW } from '../state/scheduled/next-due.js';

const compressed = promisify(gzip);

/** Text of one part of the file, UTF-16 units: it is in memory, compressed by another thread, and read as a whole. */
const PART_LENGTH = 4 * 1024 * 1024;

/** Dependencies of the exports. */
interface ExportWorkerOptions {
  readonly blobs: BlobStore;
  readonly onError: (error: unknown, exportId: number) => void;
  /** Default: {@link PART_LENGTH}. */
  readonly partLength?: number;
}

/**
 * ExportWorker makes the files of exports, one at a time, on the node that leads. A file is a series of parts, each a
 * whole gzip member, so that they can be read as one file one after another. An export that a node began and did not
 * finish has failed.
 */
export class ExportWorker {
  private isStopped = false;

  constructor(
    private readonly runtime: Pick<Transactor, 'org' | 'transact'>,
    private readonly options: ExportWorkerOptions,
  ) {}

  /** Exports of former leaders have failed. */
  start(): void {
    const { realmExports } = this.runtime.org;
    const left = [...realmExports.values()].filter(({ pending }) => pending);
    for (const one of left) {
      this.runtime.transact((tx) => failExport(tx, one.id));
      this.removeLeft(one).catch((error: unknown) => this.options.onError(error, one.id));
    }
  }

  /** Which parts there are nobody wrote down. */
  private async removeLeft(one: RealmExportDocument): Promise<void> {
    const { blobs } = this.options;
    for (let part = 0; await blobs.get(exportPartKey(one, part)); part++) {
      await blobs.delete(exportPartKey(one, part));
    }
  }

  /** One that has begun is under way. */
  nextDue(): number {
    return [...this.runtime.org.realmExports.values()].some(({ pending }) => pending) ? NOW : NEVER;
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Makes the file of an export that has begun; tells of its end by its document. */
  async run(one: RealmExportDocument): Promise<void> {
    const sizes: number[] = [];
    try {
      for await (const text of partsOf(this.runtime, one, this.options.partLength ?? PART_LENGTH)) {
        const bytes = await compressed(text);
        if (this.isStopped) return;
        const key = exportPartKey(one, sizes.length);
        // It may be there though it could not be stored.
        sizes.push(bytes.length);
        await this.options.blobs.put(key, bytes);
      }
      if (!this.isStopped) this.runtime.transact((tx) => finishExport(tx, one.id, sizes));
    } catch (error) {
      if (this.isStopped) return;
      this.options.onError(error, one.id);
      for (const part of sizes.keys()) {
        await this.options.blobs.delete(exportPartKey(one, part)).catch(() => undefined);
      }
      this.fail(one.id);
    }
  }

  /** While the store refuses it, the next leader finds the export. */
  private fail(id: number): void {
    try {
      this.runtime.transact((tx) => failExport(tx, id));
    } catch (error) {
      this.options.onError(error, id);
    }
  }
}

/** The lines of an export as JSON, some megabytes at a time. */
async function* partsOf(
  { org }: Pick<Transactor, 'org'>,
  one: RealmExportDocument,
  partLength: number,
): AsyncGenerator<string> {
  const pause = new EventLoopYield();
  let text = '';
  for await (const line of exportLines(org, one)) {
    text += `${JSON.stringify(line)}\n`;
    if (text.length >= partLength) {
      yield text;
      text = '';
    }
    if (pause.isDue) await pause.take();
  }
  yield text;
}
