/**
 * What this node has seen of its store, kept outside of it: a store that has less, or something else in
 * its place, is an older copy. One small file, replaced at most once a second while there are changes.
 */
import { createHash } from 'node:crypto';
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How far behind the file may be. Milliseconds. */
const SAVE_MS = 1000;

/** What was seen of the store at one time. */
export interface Seen {
  /** Id of the history; null before there was any. */
  readonly history: string | null;
  /** Position of the newest durable entry. */
  readonly seq: number;
  /** Digest of that entry; empty where there was none. */
  readonly entry: string;
  /** Newest numbers given, by counter. */
  readonly counters: Readonly<Record<string, number>>;
  /** When the counters were looked at, milliseconds since 1970; 0: never. */
  readonly at: number;
}

/** Nothing yet. */
const NOTHING: Seen = { history: null, seq: 0, entry: '', counters: {}, at: 0 };

/** A short digest of an entry's text; empty for no entry. */
export function digestOf(text: string): string {
  if (text === '') return '';
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The file's content. */
interface Stored extends Seen {
  /** What the file system says of the file that cannot be copied with it. */
  readonly self: string;
}

/** Node's knowledge of the store, in memory and in a file. */
export class Witness {
  #seen: Seen = NOTHING;
  #look: (() => Seen) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #saved = '';
  #saving: Promise<void> = Promise.resolve();

  #isNew = true;
  #isCopy = false;
  #failing = false;

  private constructor(
    readonly path: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  /**
   * Reads what this node knew when it ended.
   * @param failed hears that the file could not be written
   * @throws Error when there is a file that cannot be read
   */
  static async load(path: string, failed: (error: unknown) => void): Promise<Witness> {
    const witness = new Witness(path, failed);
    await witness.refresh();
    return witness;
  }

  /** Whether there was no file when it was last read or written. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Whether the file was a copy then, made by whatever copies or restores files. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /**
   * Reads the file again: another process of this folder may have led meanwhile. One that cannot be
   * understood counts as a copy that says nothing.
   */
  async refresh(): Promise<void> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new Error(`${this.path} cannot be read (${String(error.code)})`, { cause: error });
    });
    const stored = text === null ? null : storedFrom(text);
    this.#isNew = text === null;
    this.#isCopy = text !== null && stored?.self !== (await identityOf(this.path));
    if (stored === null) return;
    const { self: _self, ...seen } = stored;
    // What this process saw itself may be a second newer.
    if (seen.history !== this.#seen.history || seen.seq > this.#seen.seq) this.#seen = seen;
  }

  /** What this node knows. */
  get seen(): Seen {
    if (this.#look !== null) this.note(this.#look());
    return this.#seen;
  }

  /** Notes what was seen. */
  note(seen: Seen): void {
    this.#seen = seen;
  }

  /** Looks at the store every second until `release`, and once more then. */
  watch(look: () => Seen): void {
    this.release();
    this.#look = look;
    this.#timer = setInterval(() => void this.save(), SAVE_MS);
    this.#timer.unref();
  }

  /** Ends looking. */
  release(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#look !== null) this.note(this.#look());
    this.#look = null;
  }

  /** Writes what is known, unless the file says it already. The first of several failures is told. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#save());
    return this.#saving;
  }

  async #save(): Promise<void> {
    const { history, seq, entry, counters, at } = this.seen;
    const known = `${history} ${seq}`;
    if (known === this.#saved) return;
    try {
      await write(this.path, { history, seq, entry, counters, at });
      this.#saved = known;
      this.#isNew = false;
      this.#isCopy = false;
      this.#failing = false;
    } catch (error) {
      // Once: a full disk stays full for many seconds.
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
 * Replaces the file. It names itself by when it was made, or by its number where the file system does not
 * know that: whatever copies it, or writes an older one over it, makes one that does not.
 */
async function write(path: string, content: Omit<Stored, 'self'>): Promise<void> {
  const draft = `${path}.draft`;
  // Of a process that ended while it wrote: each file must be a new one.
  await unlink(draft).catch(() => undefined);
  const file = await open(draft, 'wx', 0o600);
  try {
    const self = await identityOf(draft);
    await file.writeFile(`${JSON.stringify({ ...content, self })}\n`);
    // Or a power cut may leave an empty file under the name.
    await file.datasync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

async function identityOf(path: string): Promise<string> {
  const file = await stat(path, { bigint: true });
  // Where a file system has no time of birth, Node shows that of the last change, also of the folder,
  // which has changed since it was made: the file is in it.
  const folder = await stat(dirname(path), { bigint: true });
  const hasBirth = folder.birthtimeNs > 0n && folder.birthtimeNs < folder.ctimeNs;
  return hasBirth ? `born ${file.birthtimeNs}` : `number ${file.ino}`;
}
