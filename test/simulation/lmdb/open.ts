import { join } from 'node:path';
import type { Inode } from '../node/disk.js';
import type { SimProcess } from '../node/process.js';
import { SimDatabase } from './database.js';
import { Pages, type NumberedTransaction } from './pages.js';

/** How a file of LMDB starts, as the product looks for it: two pages, with a number in the first. */
const START = Buffer.alloc(8192);
START.write('dec0efbe02000000', 24, 'hex');
/** What opening takes, milliseconds. */
const OPENING_MS = { least: 0.5, most: 3 };

/** As lmdb has them, of those that the simulation heeds. */
export interface OpenOptions {
  readonly path: string;
  /** A transaction counts before it is on the disk. */
  readonly overlappingSync?: boolean;
}

/** What the databases of a machine tell. */
export interface DatabaseEvents {
  /** A transaction is on the disk. */
  durable(path: string, transaction: NumberedTransaction, pages: Pages): void;
  /** A process that opened took transactions back, which others had committed. */
  takenBack(path: string, count: number): void;
}

/** In place of `open` of lmdb: a database in a folder of the machine. */
export function openDatabase(
  process: SimProcess,
  events: DatabaseEvents,
  { path, overlappingSync = true }: OpenOptions,
): SimDatabase {
  const { machine } = process;
  const { disk } = machine.host;
  const made = (name: string): Inode => {
    const whole = join(path, name);
    return disk.find(whole) ?? process.output(() => disk.make(whole, false, 0o600));
  };
  made('lock.mdb');
  const file = made('data.mdb');
  if (!file.pages) {
    file.data = file.durable = START;
    const pages: Pages = new Pages(
      () => machine.scheduler.now,
      (transaction) => events.durable(path, transaction, pages),
    );
    file.pages = pages;
  }
  const { pages } = file;
  // The number of the newest transaction is read as opening begins, and told to all processes as it ends: one that another
  // process commits in between is taken back. No time of the simulation passes in a step, so only one that is under way.
  const { newest, isLocked } = pages;
  pages.published = newest;
  const ms = machine.random.between(OPENING_MS.least, OPENING_MS.most);
  const opened = machine.scheduler.now + ms;
  process.isBusyUntil(opened);
  process.thread(ms, () => {
    const count = isLocked ? pages.takeBack(newest) : 0;
    if (count > 0) events.takenBack(path, count);
  });
  return new SimDatabase(process, pages, opened, !overlappingSync);
}
