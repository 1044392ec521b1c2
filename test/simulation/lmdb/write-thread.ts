import type { SimProcess } from '../node/process.js';
import type { Pages, Stored, TableChange } from './pages.js';

/** What is written together, if a condition is true. */
export interface Write {
  readonly condition: {
    readonly table: string;
    readonly place: string;
    readonly holds: (found: Stored | undefined) => boolean;
  } | null;
  readonly changes: readonly TableChange[];
}

interface Queued extends Write {
  readonly resolve: (isWritten: boolean) => void;
}

/** What the thread takes between two steps, and to write pages to the memory of the system. Milliseconds. */
const STEP_MS = { least: 0.005, most: 0.1 };
/** How long a process looks for a lock that it blocks for, milliseconds. */
const BLOCKED_MS = 1;
/** What a transaction writes beside its values, bytes: the pages above them. */
const PAGES_BYTES = 65_536;

/**
 * The thread by which lmdb writes: transactions one after the other, with the lock of all processes, while the process goes
 * on. Each is there as a whole from the moment at which its last page is written, and never where its process dies before.
 */
export class WriteThread {
  #queue: Queued[] = [];
  #isWriting = false;
  #idle: (() => void)[] = [];

  /**
   * @param opened when the database is open, milliseconds of the simulation
   * @param syncsFirst whether a transaction counts only once it is on the disk
   * @param committed called in the process before what waits for a transaction goes on
   */
  constructor(
    private readonly process: SimProcess,
    private readonly pages: Pages,
    private readonly opened: number,
    private readonly syncsFirst: boolean,
    private readonly committed: () => void,
  ) {}

  /** Resolves whether it was written once it is on the disk. */
  write(write: Write): Promise<boolean> {
    return new Promise((resolve) => {
      this.process.send(() => {
        this.#queue.push({ ...write, resolve });
        if (!this.#isWriting) this.#begin();
      });
    });
  }

  /** Resolves when nothing is being written. */
  done(): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The process does nothing while another one writes. */
  block(): void {
    const { process, pages } = this;
    if (process.isDead || !pages.isLockedFor(this)) return;
    const { scheduler } = process.machine;
    process.isBusyUntil(scheduler.now + 2 * BLOCKED_MS);
    scheduler.in(BLOCKED_MS, () => this.block());
  }

  #begin(): void {
    this.#isWriting = true;
    const { scheduler } = this.process.machine;
    this.process.thread(this.opened - scheduler.now, () => this.#later(() => this.#lock()));
  }

  #lock(): void {
    if (this.pages.lock(this, () => this.#later(() => this.#lock()))) this.#transact();
  }

  #transact(): void {
    const { pages, process } = this;
    // What another one had written when it died, and nobody was told of.
    pages.published = pages.newest;
    const queued = this.#queue.splice(0);
    const changes = new Map<string, TableChange>();
    const outcomes = queued.map((write) => {
      const isTrue = this.#isTrue(write, changes);
      if (isTrue) for (const change of write.changes) changes.set(nameOf(change), change);
      return () => write.resolve(isTrue);
    });
    const end = (): void => {
      pages.published = pages.newest;
      pages.unlock(this);
      this.#later(() => process.arrive(() => this.#end(outcomes)));
    };
    if (changes.size === 0) {
      end();
      return;
    }
    this.#takeRoom([...changes.values()]);
    const write = (): void => pages.write({ pid: process.pid, changes: [...changes.values()] });
    if (this.syncsFirst) {
      this.#synced(() => {
        write();
        this.#synced(end);
      });
      return;
    }
    this.#later(() => {
      write();
      end();
      this.#synced(() => undefined);
    });
  }

  #isTrue({ condition }: Write, changes: ReadonlyMap<string, TableChange>): boolean {
    if (!condition) return true;
    const change = changes.get(nameOf(condition));
    const found = change ? change.value : this.pages.get(null, condition.table, condition.place);
    return condition.holds(found);
  }

  #end(outcomes: readonly (() => void)[]): void {
    this.committed();
    for (const tell of outcomes) tell();
    this.#isWriting = false;
    if (this.#queue.length > 0) this.#begin();
    else for (const idle of this.#idle.splice(0)) idle();
  }

  /** What was written gets to the disk. */
  #synced(then: () => void): void {
    const { machine } = this.process;
    this.#later(() => {
      const ms = machine.random.between(0.05, machine.host.disk.slowMs);
      this.process.thread(ms, () => {
        this.pages.sync();
        then();
      });
    });
  }

  /** A full disk ends the process: the product must not let lmdb find one. */
  #takeRoom(changes: readonly TableChange[]): void {
    const { disk } = this.process.machine.host;
    const bytes = changes.reduce((sum, { value }) => sum + (value?.text.length ?? 0), PAGES_BYTES);
    if (!disk.take(bytes)) this.process.failed(new Error('lmdb found no room on the disk'));
  }

  #later(work: () => void): void {
    const { least, most } = STEP_MS;
    this.process.thread(this.process.machine.random.between(least, most), work);
  }
}

function nameOf({ table, place }: { readonly table: string; readonly place: string }): string {
  return `${table}\n${place}`;
}
