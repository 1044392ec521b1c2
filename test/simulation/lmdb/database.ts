import type { View, Pages, Range, Stored, TableChange } from './pages.js';
import type { SimProcess } from '../node/process.js';
import { WriteThread } from './write-thread.js';

/** What lmdb asks of those who lay out their keys. */
interface KeyEncoder {
  writeKey(key: unknown, target: Buffer, position: number): number;
  readKey(source: Buffer, start: number, end: number): unknown;
}

interface ReadOptions {
  readonly transaction?: ReadTransaction;
}

/** Longest key that it takes, bytes. */
const MAX_KEY_BYTES = 1978;
/** Digits of the largest position. */
const NUMBER_DIGITS = 16;
/** A read transaction is renewed by a timer without a delay, which a busy process comes to later. Milliseconds. */
const RENEWED_MS = { least: 1, most: 3 };

/** A read transaction that was begun by its caller. */
interface ReadTransaction {
  readonly view: View;
  done(): void;
}

/** In place of lmdb: a database as one process has it open. */
export class SimDatabase {
  readonly writer: WriteThread;
  /** What is written within the condition at hand. */
  recording: TableChange[] | null = null;
  #view: View | null = null;
  #isClosed = false;

  constructor(
    readonly process: SimProcess,
    readonly pages: Pages,
    /** When it is open, milliseconds of the simulation. */
    opened: number,
    /** Whether a transaction counts only once it is on the disk. */
    syncsFirst: boolean,
  ) {
    this.writer = new WriteThread(process, pages, opened, syncsFirst, () => this.resetReadTxn());
    process.atDeath.push(() => this.#leave());
  }

  openDB(name: string, options: { keyEncoder?: KeyEncoder; useVersions?: boolean }): SimTable {
    // It takes the lock of writers.
    this.writer.block();
    return new SimTable(this, name, options.keyEncoder);
  }

  /** Nothing is written in these. */
  transactionSync(action: () => void): void {
    this.writer.block();
    action();
  }

  useReadTransaction(): ReadTransaction {
    const { pages } = this;
    const view = pages.view(Infinity);
    return { view, done: () => pages.leave(view) };
  }

  resetReadTxn(): void {
    if (this.#view) this.pages.leave(this.#view);
    this.#view = null;
  }

  /** Processes that died read nothing here. */
  readerCheck(): number {
    return 0;
  }

  getStats(): { pageSize: number; lastPageNumber: number } {
    return { pageSize: 4096, lastPageNumber: 1 };
  }

  async close(): Promise<void> {
    await this.writer.done();
    this.#isClosed = true;
    this.#leave();
  }

  /** What is read now, and until the next turn of the process. */
  view({ transaction }: ReadOptions): View {
    if (transaction) return transaction.view;
    if (this.#isClosed) throw new Error('Can not read from a closed database');
    const { scheduler, random } = this.process.machine;
    if (this.#view && this.#view.until > scheduler.now) return this.#view;
    this.resetReadTxn();
    const { least, most } = RENEWED_MS;
    return (this.#view = this.pages.view(scheduler.now + random.between(least, most)));
  }

  #leave(): void {
    this.resetReadTxn();
    this.pages.unlock(this.writer);
  }
}

const scratch = Buffer.alloc(2 * MAX_KEY_BYTES);

/** A table of it, whose values are texts. */
export class SimTable {
  constructor(
    private readonly database: SimDatabase,
    private readonly name: string,
    private readonly encoder: KeyEncoder | undefined,
  ) {}

  get(key: unknown, options: ReadOptions = {}): string | undefined {
    return this.found(key, options)?.text;
  }

  getEntry(
    key: unknown,
    options: ReadOptions = {},
  ): { value: string; version: number } | undefined {
    const found = this.found(key, options);
    return found && { value: found.text, version: found.version };
  }

  *getRange(range: Range<unknown> & ReadOptions): Generator<{ key: unknown; value: string }> {
    for (const { key, text } of this.within(range)) yield { key, value: text };
  }

  *getKeys(range: Range<unknown> & ReadOptions): Generator {
    for (const { key } of this.within(range)) yield key;
  }

  put(key: unknown, value: string | { readonly bytes: Buffer }, version = 0): Promise<boolean> {
    const place = this.placeOf(key);
    // A text may be encoded already.
    const text = typeof value === 'string' ? value : value.bytes.toString('utf8');
    const stored = { key: this.read(place, key), text, version };
    return this.change({ table: this.name, place, key: stored.key, value: stored });
  }

  remove(key: unknown): Promise<boolean> {
    const place = this.placeOf(key);
    return this.change({ table: this.name, place, key: this.read(place, key), value: undefined });
  }

  ifVersion(key: unknown, version: number, action: () => void): Promise<boolean> {
    return this.conditional(key, (found) => found?.version === version, action);
  }

  ifNoExists(key: unknown, action: () => void): Promise<boolean> {
    return this.conditional(key, (found) => found === undefined, action);
  }

  /** The action says at once what is written where the condition is true. */
  private conditional(
    key: unknown,
    holds: (found: Stored | undefined) => boolean,
    action: () => void,
  ): Promise<boolean> {
    const { database, name: table } = this;
    const changes: TableChange[] = [];
    database.recording = changes;
    try {
      action();
    } finally {
      database.recording = null;
    }
    const place = this.placeOf(key);
    return database.writer.write({ condition: { table, place, holds }, changes });
  }

  private change(change: TableChange): Promise<boolean> {
    const { recording, writer } = this.database;
    if (!recording) return writer.write({ condition: null, changes: [change] });
    recording.push(change);
    return Promise.resolve(true);
  }

  private found(key: unknown, options: ReadOptions): Stored | undefined {
    const { database } = this;
    return database.pages.get(database.view(options), this.name, this.placeOf(key));
  }

  private within({ start, end, ...rest }: Range<unknown> & ReadOptions): Generator<Stored> {
    const { database } = this;
    const places = {
      ...(start !== undefined && { start: this.placeOf(start) }),
      ...(end !== undefined && { end: this.placeOf(end) }),
    };
    return database.pages.range(database.view(rest), this.name, { ...rest, ...places });
  }

  private placeOf(key: unknown): string {
    if (!this.encoder) {
      return typeof key === 'number' ? String(key).padStart(NUMBER_DIGITS, '0') : (key as string);
    }
    const end = this.encoder.writeKey(key, scratch, 0);
    if (end > MAX_KEY_BYTES) throw new Error('Key is too long');
    return scratch.toString('latin1', 0, end);
  }

  /** A key as it is read: what the bytes say. */
  private read(place: string, key: unknown): unknown {
    if (!this.encoder) return key;
    const bytes = Buffer.from(place, 'latin1');
    return this.encoder.readKey(bytes, 0, bytes.length);
  }
}
