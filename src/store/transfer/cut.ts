/**
 * A copy of a store that is served meanwhile, as it was at one position of its journal: documents are
 * copied while they change, and then what the journal says was changed in that time is done again, in
 * order, up to the last entry copied. (A fuzzy checkpoint and its log, as databases recover.)
 */
import {
  DamagedError,
  type Document,
  type DocumentKey,
  type EntryChanges,
  type Lease,
  type Store,
  type StoredEntry,
  type StoreReads,
  type Write,
} from '../port.js';
import { historyOf } from './history-request.js';

/** Documents, entries or due times per commit of the copy. */
const BATCH = 512;

/** Reads the changes of an entry. @throws Error when the text is not an entry */
export type ReadChanges = (entry: StoredEntry) => EntryChanges;

/**
 * Copies a store that others write to into an empty one. Needs memory for one batch; the copy needs about
 * as much room as the store.
 * @throws Error when the store went back, or its journal was trimmed, faster than it could be read
 */
export async function copyCut(
  source: StoreReads & Pick<Store, 'follow' | 'lineage'>,
  target: Store,
  lease: Lease,
  readChanges: ReadChanges,
): Promise<void> {
  const lineage = await source.lineage?.();
  const history = await historyOf(source);
  const copy = new Copy(source, target, lease);
  // Whatever a document says when it is read, it says it as of this position or a later one.
  const from = await copy.journal();
  const following = copy.follow(from);
  try {
    await copy.documents();
    await copy.dueTimes();
    await following.reach((await source.lastEntry())?.seq ?? 0);
  } finally {
    await following.end();
  }
  await copy.redo(from, readChanges);
  // A cut ends the queues that need what is not there any more; between the entries there is no gap.
  await target.trimJournal((await source.firstSeq()) ?? 0);
  const isSame = (await historyOf(source)) === history && (await source.lineage?.()) === lineage;
  if (isSame) return;
  throw new Error(
    `${source.description} may have gone back in time while it was exported: export it again`,
  );
}

/** Following the journal into the copy, beside other work. */
interface Following {
  /** Resolves when the entry at a position, or a later one, was copied. */
  reach(seq: number): Promise<void>;
  /** Resolves when nothing more is copied. */
  end(): Promise<void>;
}

class Copy {
  constructor(
    private readonly source: StoreReads & Pick<Store, 'follow'>,
    private readonly target: Store,
    private readonly lease: Lease,
  ) {}

  /** Copies the entries there are now. Returns the position of the newest; later ones are followed. */
  async journal(): Promise<number> {
    const { source } = this;
    const head = (await source.lastEntry())?.seq ?? 0;
    for (let last = 0; last < head;) {
      const entries = await source.readJournal(last + 1, head, BATCH);
      const newest = entries.at(-1);
      if (newest === undefined) return head;
      await this.takeEntries(entries);
      last = newest.seq;
    }
    return head;
  }

  follow(after: number): Following {
    const ending = new AbortController();
    let reached = after;
    let failure: Error | null = null;
    let wake = (): void => undefined;
    const run = async (): Promise<void> => {
      for await (const entries of this.source.follow(after, ending.signal)) {
        await this.takeEntries(entries);
        reached = entries.at(-1)!.seq;
        wake();
      }
    };
    const running = run().catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
      wake();
    });
    return {
      reach: async (seq) => {
        while (reached < seq && failure === null) await new Promise<void>((done) => (wake = done));
        if (failure !== null) throw failure;
      },
      end: async () => {
        ending.abort();
        await running;
      },
    };
  }

  async documents(): Promise<void> {
    const { source } = this;
    for (const collection of await source.collections()) {
      for await (const batch of source.scan(collection, { batch: BATCH })) {
        const writes = batch.map(({ id, document }): Write => {
          return { op: 'set', key: { collection, id }, document };
        });
        await this.commit({ writes });
      }
    }
  }

  async dueTimes(): Promise<void> {
    const { source } = this;
    for (const index of await source.dueIndexes()) {
      for await (const batch of source.scanDue(index, { batch: BATCH })) {
        await this.commit({ due: batch.map(({ id, at }) => ({ index, id, at })) });
      }
    }
  }

  /** Does again what the entries after a position changed. */
  async redo(after: number, readChanges: ReadChanges): Promise<void> {
    const { target } = this;
    for (let last = after; ;) {
      const entries = await target.readJournal(last + 1, Number.MAX_SAFE_INTEGER, BATCH);
      const newest = entries.at(-1);
      if (newest === undefined) return;
      const all = entries.map(readChanges);
      const writes = await this.merged(all.flatMap(({ changes }) => changes));
      await this.commit({ writes, due: all.flatMap(({ due }) => due) });
      last = newest.seq;
    }
  }

  /** What changes leave of the documents they name. */
  private async merged(changes: EntryChanges['changes']): Promise<Write[]> {
    const keys = new Map<string, DocumentKey>();
    for (const { key } of changes) keys.set(`${key.collection}:${key.id}`, key);
    const found = await this.target.getMany([...keys.values()]);
    const documents = new Map<string, Document | undefined>();
    [...keys.keys()].forEach((name, i) => documents.set(name, found[i]));
    for (const change of changes) {
      const name = `${change.key.collection}:${change.key.id}`;
      const former = documents.get(name);
      if (change.op === 'set') documents.set(name, change.fields);
      else if (change.op === 'delete') documents.set(name, undefined);
      // Read when it had been deleted already: the deletion, or another document, follows.
      else if (former !== undefined) documents.set(name, { ...former, ...change.fields });
    }
    return Array.from(documents, ([name, document]): Write => {
      const key = keys.get(name)!;
      return document === undefined ? { op: 'delete', key } : { op: 'set', key, document };
    });
  }

  private takeEntries(entries: readonly StoredEntry[]): Promise<void> {
    const damaged = entries.find((entry) => entry.damaged);
    if (damaged === undefined) return this.commit({ entries });
    const subject = `entry ${damaged.seq}`;
    return Promise.reject(
      new DamagedError(this.source.description, subject, 'its checksum differs'),
    );
  }

  private commit(parts: Partial<Parameters<Store['commit']>[1]>): Promise<void> {
    const commit = { entries: [], writes: [], due: [], ...parts };
    return this.target.commit(this.lease, commit);
  }
}
