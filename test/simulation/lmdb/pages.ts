/** A value as it is stored. */
export interface Stored {
  /** Its key, as it is read. */
  readonly key: unknown;
  readonly text: string;
  readonly version: number;
}

/** One change of a table: `value` is undefined where the key is removed. */
export interface TableChange {
  readonly table: string;
  /** The key in characters that sort as its bytes do. */
  readonly place: string;
  readonly key: unknown;
  readonly value: Stored | undefined;
}

/** What became one transaction, and the process that wrote it. */
export interface Transaction {
  readonly pid: number;
  readonly changes: readonly TableChange[];
}

export interface Range<K> {
  readonly start?: K;
  readonly end?: K;
  readonly exclusiveStart?: boolean;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** What a process reads in: what there was after one transaction. */
export interface View {
  readonly newest: number;
  /** Nobody reads in it any more from then on, milliseconds of the simulation. */
  readonly until: number;
}

/** A transaction that is there. */
export interface NumberedTransaction extends Transaction {
  readonly number: number;
}

/** As it can be taken back: what there was before, by table and place. */
interface Written extends NumberedTransaction {
  readonly before: Map<string, Map<string, Stored | undefined>>;
}

class Table {
  readonly values = new Map<string, Stored>();
  /** The places that have a value, ascending. */
  readonly places: string[] = [];

  set(place: string, value: Stored | undefined): void {
    const { values, places } = this;
    if (value !== undefined) {
      const { size } = values;
      values.set(place, value);
      if (values.size === size) return;
      if (size === 0 || places[size - 1]! < place) places.push(place);
      else places.splice(firstFrom(places, place), 0, place);
    } else if (values.delete(place)) places.splice(firstFrom(places, place), 1);
  }
}

/**
 * The file of a database, with what its processes share in memory. A transaction is written to the memory of the system
 * first, as pages, and then as the page that says that it is there; after its sync it is on the disk, and then all
 * processes are told of it. Whoever reads sees what they were told of.
 */
export class Pages {
  /** The newest transaction that the system has, on the disk or not. */
  newest = 0;
  /** Where the next reader begins. */
  published = 0;
  /** Who writes. */
  #writer: object | null = null;
  #waiting: (() => void)[] = [];
  #durable = 0;
  readonly #tables = new Map<string, Table>();
  /** Those that may be taken back, or that somebody does not read yet. */
  #written: Written[] = [];
  readonly #views = new Set<View>();

  constructor(
    /** Milliseconds of the simulation. */
    private readonly now: () => number,
    /** Told of each transaction as it gets to the disk. */
    private readonly durable: (transaction: NumberedTransaction) => void,
  ) {}

  /** One process at a time writes; whoever does not get the lock is told when it is free again. */
  lock(writer: object, freed: () => void): boolean {
    if (this.#writer === null) this.#writer = writer;
    if (this.#writer === writer) return true;
    this.#waiting.push(freed);
    return false;
  }

  get isLocked(): boolean {
    return this.#writer !== null;
  }

  /** Whether somebody else writes. */
  isLockedFor(writer: object): boolean {
    return this.#writer !== null && this.#writer !== writer;
  }

  /** Also for one that died: its transaction was never there. */
  unlock(writer: object): void {
    if (this.#writer !== writer) return;
    this.#writer = null;
    for (const freed of this.#waiting.splice(0)) freed();
  }

  /** The page that says that a transaction is there is written. */
  write(transaction: Transaction): void {
    const before: Written['before'] = new Map();
    for (const { table, place, value } of transaction.changes) {
      const { values } = this.#table(table);
      let places = before.get(table);
      if (!places) before.set(table, (places = new Map<string, Stored | undefined>()));
      if (!places.has(place)) places.set(place, values.get(place));
      this.#table(table).set(place, value);
    }
    this.#written.push({ ...transaction, number: ++this.newest, before });
  }

  /** All that the system has of the file is on the disk. */
  sync(): void {
    for (const written of this.#written) {
      if (written.number <= this.#durable) continue;
      this.#durable = written.number;
      this.durable(written);
    }
    this.#forget();
  }

  /** The power goes: what was not synced may be on the disk. Nobody has it open any more. */
  cut(isKept: () => boolean): void {
    if (this.#durable < this.newest && isKept()) this.sync();
    this.takeBack(this.#durable);
    this.published = this.newest;
    this.#writer = null;
    this.#waiting = [];
    this.#views.clear();
  }

  /** Takes back the transactions behind one. @returns how many */
  takeBack(after: number): number {
    const gone = this.#written.filter(({ number }) => number > after);
    for (const { before } of gone.reverse()) {
      for (const [name, places] of before) {
        for (const [place, value] of places) this.#table(name).set(place, value);
      }
    }
    this.#written = this.#written.filter(({ number }) => number <= after);
    this.newest -= gone.length;
    this.published = Math.min(this.published, this.newest);
    this.#durable = Math.min(this.#durable, this.newest);
    return gone.length;
  }

  /** What can be read from now on. */
  view(until: number): View {
    const view = { newest: this.published, until };
    this.#views.add(view);
    return view;
  }

  leave(view: View): void {
    this.#views.delete(view);
  }

  /** @param view null: as the writer has it */
  get(view: View | null, table: string, place: string): Stored | undefined {
    if (view !== null && view.newest < this.newest) {
      for (const { number, before } of this.#written) {
        const places = before.get(table);
        if (number > view.newest && places?.has(place)) return places.get(place);
      }
    }
    return this.#tables.get(table)?.values.get(place);
  }

  /** What is in a range of places, in order. */
  *range(view: View | null, name: string, range: Range<string>): Generator<Stored> {
    const { start, end, exclusiveStart = false, reverse = false, limit = Infinity } = range;
    if (reverse && (start ?? end) !== undefined) throw new Error('No range of a part backwards');
    const { places } = this.#table(name);
    const from = start === undefined ? 0 : firstFrom(places, start);
    const to = end === undefined ? places.length : firstFrom(places, end);
    const changed = this.#changedSince(view, name);
    let found = places;
    let [first, last] = [from, to];
    if (changed) {
      const others = [...changed].filter(([place, value]) => {
        return (
          value && (start === undefined || place >= start) && (end === undefined || place < end)
        );
      });
      const same = places.slice(from, to).filter((place) => !changed.has(place));
      found = [...same, ...others.map(([place]) => place)].sort();
      [first, last] = [0, found.length];
    }
    let count = 0;
    for (let i = first; i < last && count < limit; i++) {
      const place = found[reverse ? first + last - 1 - i : i]!;
      if (exclusiveStart && place === start) continue;
      count++;
      yield this.get(view, name, place)!;
    }
  }

  hasTable(name: string): boolean {
    return this.#tables.has(name);
  }

  /** A table is there from its first use on; an empty one costs nothing. */
  #table(name: string): Table {
    let table = this.#tables.get(name);
    if (!table) this.#tables.set(name, (table = new Table()));
    return table;
  }

  /** What a view reads otherwise than the writer; null where it is the same. */
  #changedSince(view: View | null, name: string): Map<string, Stored | undefined> | null {
    if (view === null || view.newest === this.newest) return null;
    const changed = new Map<string, Stored | undefined>();
    for (const { number, before } of this.#written) {
      if (number <= view.newest) continue;
      for (const [place, value] of before.get(name) ?? []) {
        if (!changed.has(place)) changed.set(place, value);
      }
    }
    return changed.size > 0 ? changed : null;
  }

  /** Forgets what everybody has seen. */
  #forget(): void {
    let least = Math.min(this.#durable, this.published);
    for (const view of this.#views) {
      if (view.until <= this.now()) this.#views.delete(view);
      else least = Math.min(least, view.newest);
    }
    if (this.#written.length > 0 && this.#written[0]!.number <= least)
      this.#written = this.#written.filter(({ number }) => number > least);
  }
}

/** Where the first of ascending places is that is no smaller. */
function firstFrom(places: readonly string[], least: string): number {
  let [from, to] = [0, places.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (places[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
