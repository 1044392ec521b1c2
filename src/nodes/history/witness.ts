/**
 * What this node has seen of its store, kept outside of it: a store with less, or with another entry at
 * that position, is an older copy. One small file, replaced at most once a second while there are changes.
 */
import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { chmod, open, readdir, rename, stat, unlink } from '../../platform/files.js';
import { syncFolder } from '../../platform/durable-files.js';
import { kill } from '../../platform/processes.js';
import { pause } from '../../platform/timers.js';
import { inBackground, untold } from '../../turns/background.js';
import { Beat } from '../../turns/beat.js';

/** How far the file may lag behind. Milliseconds. */
const SAVE_MS = 1000;

/** Longer than a tick of a file system's clock, which is that of the kernel: 10 ms at most. Milliseconds. */
const CLOCK_TICK_MS = 20;

/** Position of the store at one time. */
export interface Seen {
  /** Id of the history; null before there was any. */
  readonly history: string | null;
  /** Position of the newest durable entry. */
  readonly seq: number;
  /** Digest of that entry; empty where there was none. */
  readonly entry: string;
  /** Last value of each counter. */
  readonly counters: Readonly<Record<string, number>>;
  /** When the counters were read, milliseconds since 1970; 0: never. */
  readonly at: number;
}

/** Of a node that has seen no store. */
const NOTHING: Seen = { history: null, seq: 0, entry: '', counters: {}, at: 0 };

/** A short digest of an entry's text; empty for no entry. */
export function digestOf(text: string): string {
  if (text === '') return '';
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/**
 * What this node has seen cannot be read now, as where no file descriptor is free: without it no process may lead, and
 * it may be read later.
 */
export class UnreadableWitnessError extends Error {
  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`${path} cannot be read (${String(cause.code)})`, { cause });
    this.name = 'UnreadableWitnessError';
  }
}

/** The file's content. */
interface Stored extends Seen {
  /** Property of the file that a copy does not share: its time of birth, or its number. */
  readonly self: string;
}

/** What this node knows of the store, in memory and in a file. */
export class Witness {
  #seen: Seen = NOTHING;
  #look: (() => Seen) | null = null;
  readonly #beat = new Beat(SAVE_MS, () => inBackground(() => this.save(), untold));
  #saved = '';
  #saving: Promise<void> = Promise.resolve();

  #isNew = true;
  #isCopy = false;
  #failing = false;
  /** Whether the file system is known to record when a file was made. */
  #hasBirth = false;

  private constructor(
    readonly path: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * Reads the file of the last run.
   * @param failed called when the file could not be written
   * @throws UnreadableWitnessError when there is a file that cannot be read
   */
  static async load(path: string, failed: (error: unknown) => void): Promise<Witness> {
    const witness = new Witness(path, failed);
    await removeDrafts(path);
    await witness.refresh();
    return witness;
  }

  /** Whether there was no file when it was last read or written. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Whether the file was a copy when it was last read, e.g. of a backup. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /**
   * Reads the file again, because another process of this folder may have led meanwhile. One without sense counts
   * as an empty copy.
   * @throws UnreadableWitnessError
   */
  async refresh(): Promise<void> {
    const found = await read(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new UnreadableWitnessError(this.path, error);
    });
    const stored = found === null ? null : storedFrom(found.text);
    this.#isNew = found === null;
    this.#isCopy = found !== null && !isOriginal(found.stats, stored?.self);
    if (stored === null) return;
    const { self: _self, ...seen } = stored;
    // This process may have seen up to a second more, and another history, too; each begins behind all that was seen.
    if (seen.seq > this.#seen.seq) this.#seen = seen;
  }

  /** What this node knows. */
  get seen(): Seen {
    if (this.#look !== null) this.record(this.#look());
    return this.#seen;
  }

  /** Records what was seen. */
  record(seen: Seen): void {
    this.#seen = seen;
  }

  /** Reads the store's position every second until `release`, and once more then. */
  watch(look: () => Seen): void {
    this.release();
    this.#look = look;
    this.#beat.start();
  }

  /** Ends the watch. */
  release(): void {
    this.#beat.stop();
    if (this.#look !== null) this.record(this.#look());
    this.#look = null;
  }

  /** Writes the file if something changed. Reports only the first of several failures. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    const { history, seq, entry, counters, at } = this.seen;
    const known = `${history} ${seq}`;
    if (known === this.#saved) return;
    try {
      this.#hasBirth = await write(
        this.path,
        { history, seq, entry, counters, at },
        this.#hasBirth,
      );
      // A power cut may put the former file in its place, and never none: without one, the folder counts as a copy.
      if (this.#isNew) await syncFolder(dirname(this.path));
      this.#saved = known;
      this.#isNew = false;
      this.#isCopy = false;
      this.#failing = false;
    } catch (error) {
      // Only the first: a full disk stays full for many seconds.
      if (!this.#failing) this.failed(error);
      this.#failing = true;
    }
  }
}

function storedFrom(text: string): Stored | null {
  try {
    const value = JSON.parse(text) as Partial<Stored>;
    const { history = null, seq, entry, counters, at, self } = value;
    if (typeof seq !== 'number' || typeof entry !== 'string' || typeof at !== 'number') return null;
    if (!counters || typeof counters !== 'object' || typeof self !== 'string') return null;
    return { history, seq, entry, counters, at, self };
  } catch {
    return null;
  }
}

/**
 * Replaces the file. It contains its own time of birth, or its inode number where the file system has no
 * such time: a copy, or an older version written over it, contains another one. Each call of the file system is a hop to
 * another thread, which a busy server pays every second.
 * @param hasBirth whether the file system is known to have such a time
 * @returns whether it has
 */
async function write(
  path: string,
  content: Omit<Stored, 'self'>,
  hasBirth: boolean,
): Promise<boolean> {
  const draft = draftOf(path, process.pid);
  const file = await openNew(draft);
  try {
    const isBorn = hasBirth || (await recordsBirth(draft));
    const { birthtimeNs, ino } = await file.stat({ bigint: true });
    const self = isBorn ? bornAt(birthtimeNs) : numberOf(ino);
    await file.writeFile(`${JSON.stringify({ ...content, self })}\n`);
    // Otherwise a power cut may leave an empty file under the name.
    await file.datasync();
    await file.close();
    await rename(draft, path);
    return isBorn;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

/** Makes a file, in place of what a killed process left: each must be new. */
async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await unlink(path).catch(() => undefined);
    return open(path, 'wx', 0o600);
  }
}

/** Text and identity of one file: another process of the folder may replace it at any time. */
async function read(path: string): Promise<{ text: string; stats: BigIntStats }> {
  const file = await open(path);
  try {
    return { text: await file.readFile('utf8'), stats: await file.stat({ bigint: true }) };
  } finally {
    await file.close();
  }
}

/** Each process of the folder has a draft of its own. */
function draftOf(path: string, pid: number | string): string {
  return `${path}.${pid}.draft`;
}

/** Removes what processes that were killed left behind. */
async function removeDrafts(path: string): Promise<void> {
  const [start, end] = draftOf(basename(path), ' ').split(' ') as [string, string];
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(end)) continue;
    const pid = Number(name.slice(start.length, -end.length));
    if (!isRunning(pid)) await unlink(join(folder, name)).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a file has the identity it contains. */
function isOriginal({ birthtimeNs, ino }: BigIntStats, self: string | undefined): boolean {
  if (self === undefined) return false;
  return self === (self.startsWith('number') ? numberOf(ino) : bornAt(birthtimeNs));
}

/** Whether the file system records when files were made. @param path of a new file */
async function recordsBirth(path: string): Promise<boolean> {
  // A folder was changed since its birth, because a file was created in it: later than within one tick,
  // unless it is as new as the file, which is then changed a tick later.
  if (await differsFromChange(dirname(path))) return true;
  await pause(CLOCK_TICK_MS);
  await chmod(path, 0o600);
  return differsFromChange(path);
}

/** Whether a time of birth is earlier than the last change, which Node reports where there is none. */
async function differsFromChange(path: string): Promise<boolean> {
  const { birthtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return birthtimeNs > 0n && birthtimeNs < ctimeNs;
}

function bornAt(time: bigint): string {
  return `born ${time}`;
}

function numberOf(inode: bigint): string {
  return `number ${inode}`;
}
