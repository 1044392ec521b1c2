import { hostname } from 'node:os';
import type { Config } from '../../config/config.js';
import { changesOf, positionOf } from '../../journal/entry-reading.js';
import { encodeEntry } from '../../journal/entry-text.js';
import { randomUUID } from '../../platform/randomness.js';
import { wallTime } from '../../platform/time.js';
import { clearInterval, setInterval } from '../../platform/timers.js';
import { openStore } from '../../store/open.js';
import type { Lease, Store, Write } from '../../store/port.js';
import { cataloguePath, hasCatalogue } from '../data-folder/places.js';

/**
 * The form of what the catalogue keeps; software that knows only an older one must not guess. Of form 1 no organization
 * sleeps: it would be awake without a word, and what it plans then would be forgotten.
 */
const FORMAT = 2;
/** How long the claim of a process that has ended without a word may last, where nobody notices its end. Milliseconds. */
const CLAIM_MS = 15_000;

/**
 * - `creating`, `deleting`: what a process began and did not end; the next one removes it.
 * - `deactivated`: kept, and not served.
 */
export type CatalogueState = 'creating' | 'active' | 'deactivated' | 'deleting';

/** What a host knows of an organization without loading it. */
export interface CatalogueEntry {
  /** Short name, which names its folder. */
  readonly name: string;
  /** Host name by which its clients reach it. */
  readonly address: string;
  readonly state: CatalogueState;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  /**
   * When it must be in memory again, milliseconds since 1970; null: never by itself. 0, or absent: a process has it in
   * memory, or ended without a word, so the next one opens it. It is 0 before the organization's store is opened, and
   * another time after its last commit alone: so it is never later than what the organization plans.
   */
  readonly wake_at?: number | null;
  /** It stays in memory while the server runs. */
  readonly warm?: boolean;
  /** Of a deactivated one: when it is deleted, milliseconds since 1970; absent: never. Older software leaves it there. */
  readonly delete_at?: number;
}

const ORGANIZATIONS = 'organization';
const ABOUT = { collection: 'catalogue', id: 'catalogue' };

/**
 * Catalogue has the organizations of a data folder beside the one that lies in the folder itself: a few hundred bytes each,
 * in a small store of its own. One process at a time has it, and serves all of them.
 */
export class Catalogue {
  private readonly known = new Map<string, CatalogueEntry>();
  private readonly timer: NodeJS.Timeout;
  /** Changes follow one another. */
  private last: Promise<void> = Promise.resolve();

  private constructor(
    private readonly store: Store,
    private readonly lease: Lease,
  ) {
    const renew = (): void => {
      // A change says so where the claim is lost.
      store.renewLease(lease, CLAIM_MS).catch(() => undefined);
    };
    this.timer = setInterval(renew, CLAIM_MS / 3).unref();
  }

  /** What a catalogue has, also while a process has it. @throws Error for one that cannot be read */
  static async read(place: Pick<Config, 'store'>): Promise<CatalogueEntry[]> {
    if (!hasCatalogue(place)) return [];
    const store = await open(place);
    try {
      return await entriesOf(store);
    } finally {
      await store.close();
    }
  }

  /**
   * Takes the catalogue for this process, and makes it where there is none.
   * @throws Error where another process has it, or it cannot be read
   */
  static async claim(place: Pick<Config, 'store'>): Promise<Catalogue> {
    const store = await open(place);
    try {
      const lease = await store.acquireLease(`${hostname()}:${randomUUID().slice(0, 8)}`, CLAIM_MS);
      if (!lease) {
        throw new Error(
          `The catalogue of ${place.store} is busy: its organizations are served by another process, which alone serves all of them, or a command changes them. Try again when it has ended`,
        );
      }
      const catalogue = new Catalogue(store, lease);
      for (const entry of await entriesOf(store)) catalogue.known.set(entry.name, entry);
      if ((await formatOf(store)) !== FORMAT) {
        await catalogue.commit([{ op: 'set', key: ABOUT, document: { format: FORMAT } }]);
      }
      return catalogue;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** In no order. */
  get entries(): readonly CatalogueEntry[] {
    return [...this.known.values()];
  }

  get size(): number {
    return this.known.size;
  }

  get(name: string): CatalogueEntry | undefined {
    return this.known.get(name);
  }

  /** Resolves when the entries are durable, in the place of those of their names. @throws Error where the claim was lost */
  async put(...entries: readonly CatalogueEntry[]): Promise<void> {
    await this.keep(() => entries);
  }

  /** Says when organizations must be in memory again, of those that are there by then. @throws Error where the claim was lost */
  async plan(times: ReadonlyMap<string, CatalogueEntry['wake_at']>): Promise<void> {
    await this.keep(() =>
      [...times].flatMap(([name, wake_at]) => {
        const entry = this.known.get(name);
        const isNews = entry?.state === 'active' && entry.wake_at !== wake_at;
        return isNews ? { ...entry, wake_at } : [];
      }),
    );
  }

  /** @param entriesNow asked when the changes before are durable */
  private async keep(entriesNow: () => readonly CatalogueEntry[]): Promise<void> {
    const done = async (): Promise<void> => {
      const entries = entriesNow();
      if (entries.length === 0) return;
      await this.commit(
        entries.map((entry) => ({
          op: 'set',
          key: { collection: ORGANIZATIONS, id: entry.name },
          document: { ...entry },
        })),
      );
      for (const entry of entries) this.known.set(entry.name, entry);
    };
    await this.inTurn(done);
  }

  /** @throws Error where the claim was lost */
  async remove(name: string): Promise<void> {
    await this.inTurn(async () => {
      await this.commit([{ op: 'delete', key: { collection: ORGANIZATIONS, id: name } }]);
      this.known.delete(name);
    });
  }

  /** Leaves the catalogue to another process. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.last.catch(() => undefined);
    await this.store.releaseLease(this.lease).catch(() => undefined);
    await this.store.close();
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.last = this.last.catch(() => undefined).then(work);
    return this.last;
  }

  private async commit(writes: readonly Write[]): Promise<void> {
    const { store, lease } = this;
    const last = await store.lastEntry();
    const before = last ? positionOf(last) : { seq: 0, span: 1 };
    const seq = before.seq + before.span;
    const entry = encodeEntry(seq, wallTime(), { writes, events: [], due: [] });
    await store.commit(lease, { entries: [entry], writes, due: [] });
    await store.trimJournal(seq);
  }
}

function open(place: Pick<Config, 'store'>): Promise<Store> {
  return openStore(`embedded:${cataloguePath(place)}`, { readChanges: changesOf });
}

/** @throws Error for a catalogue of newer software */
async function entriesOf(store: Store): Promise<CatalogueEntry[]> {
  const format = await formatOf(store);
  if (format > FORMAT) {
    throw new Error(
      `${store.description} has the form ${format} of newer software: update this one`,
    );
  }
  const all: CatalogueEntry[] = [];
  for await (const batch of store.scan(ORGANIZATIONS)) {
    for (const { document } of batch) all.push(compact(document as unknown as CatalogueEntry));
  }
  return all;
}

const STATES: readonly CatalogueState[] = ['creating', 'active', 'deactivated', 'deleting'];

/** The same entry as an object of its fields alone, for ten thousand are in memory; of one that says nothing of it nothing is known. */
function compact(stored: CatalogueEntry): CatalogueEntry {
  const { name, address, state, created_at, wake_at = 0, warm, delete_at } = stored;
  const known = STATES.find((one) => one === state) ?? state;
  const entry: CatalogueEntry = { name, address, state: known, created_at, wake_at };
  if (warm !== true && delete_at === undefined) return entry;
  return {
    ...entry,
    ...(warm === true && { warm }),
    ...(delete_at !== undefined && { delete_at }),
  };
}

/** 0 for one that was made just now. */
async function formatOf(store: Store): Promise<number> {
  const [about] = await store.getMany([ABOUT]);
  return (about as { readonly format?: number } | undefined)?.format ?? 0;
}
