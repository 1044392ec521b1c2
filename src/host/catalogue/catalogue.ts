import { hostname } from 'node:os';
import type { Config } from '../../config/config.js';
import { changesOf, positionOf } from '../../journal/entry-reading.js';
import { encodeEntry } from '../../journal/entry-text.js';
import { randomUUID } from '../../platform/randomness.js';
import { wallTime } from '../../platform/time.js';
import { clearInterval, setInterval } from '../../platform/timers.js';
import { openStore } from '../../store/open.js';
import type { Document, Lease, Store, Write } from '../../store/port.js';
import { cataloguePath, hasCatalogue } from '../data-folder/places.js';

/** The form of what the catalogue keeps; software that knows only an older one must not guess. */
const FORMAT = 1;
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
      if ((await store.lastEntry()) === null) {
        await catalogue.write([{ op: 'set', key: ABOUT, document: { format: FORMAT } }]);
      }
      return catalogue;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  /** By name. */
  get entries(): readonly CatalogueEntry[] {
    return [...this.known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get(name: string): CatalogueEntry | undefined {
    return this.known.get(name);
  }

  /** Resolves when the entry is durable, in the place of the one of its name. @throws Error where the claim was lost */
  async put(entry: CatalogueEntry): Promise<void> {
    const key = { collection: ORGANIZATIONS, id: entry.name };
    await this.write([{ op: 'set', key, document: { ...entry } }]);
    this.known.set(entry.name, entry);
  }

  /** @throws Error where the claim was lost */
  async remove(name: string): Promise<void> {
    await this.write([{ op: 'delete', key: { collection: ORGANIZATIONS, id: name } }]);
    this.known.delete(name);
  }

  /** Leaves the catalogue to another process. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.last.catch(() => undefined);
    await this.store.releaseLease(this.lease).catch(() => undefined);
    await this.store.close();
  }

  private write(writes: readonly Write[]): Promise<void> {
    const work = async (): Promise<void> => {
      const { store, lease } = this;
      const last = await store.lastEntry();
      const before = last ? positionOf(last) : { seq: 0, span: 1 };
      const seq = before.seq + before.span;
      const entry = encodeEntry(seq, wallTime(), { writes, events: [], due: [] });
      await store.commit(lease, { entries: [entry], writes, due: [] });
      await store.trimJournal(seq);
    };
    this.last = this.last.catch(() => undefined).then(work);
    return this.last;
  }
}

function open(place: Pick<Config, 'store'>): Promise<Store> {
  return openStore(`embedded:${cataloguePath(place)}`, { readChanges: changesOf });
}

/** @throws Error for a catalogue of newer software */
async function entriesOf(store: Store): Promise<CatalogueEntry[]> {
  const [about] = await store.getMany([ABOUT]);
  const format = (about as { readonly format?: number } | undefined)?.format ?? FORMAT;
  if (format > FORMAT) {
    throw new Error(
      `${store.description} has the form ${format} of newer software: update this one`,
    );
  }
  const all: Document[] = [];
  for await (const batch of store.scan(ORGANIZATIONS)) {
    all.push(...batch.map(({ document }) => document));
  }
  return all as unknown as CatalogueEntry[];
}
