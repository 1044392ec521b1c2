/** Scans of collections that go on behind damaged documents. */
import { DamagedError, type Document, type Store, type StoreReads } from './port.js';

type Batch = readonly { readonly id: string; readonly document: Document }[];

/**
 * As `scan`, without damaged documents. After damage it reads one document at a time until the damaged one is found,
 * and continues behind it.
 * @param report is told of each damaged document
 * @throws DamagedError for what is not a document of the collection: its list itself is damaged
 */
export async function* scanApart(
  store: Pick<Store, 'scan'>,
  collection: string,
  report: (error: DamagedError) => void,
  reading: { readonly after?: string; readonly batch?: number; readonly ahead?: boolean } = {},
): AsyncGenerator<Batch> {
  let { after } = reading;
  for (let isSlow = false; ;) {
    const from = after === undefined ? {} : { after };
    const options = isSlow ? { ...from, batch: 1 } : { ...from, ...reading };
    try {
      for await (const batch of store.scan(collection, options)) {
        after = batch.at(-1)?.id ?? after;
        yield batch;
      }
      return;
    } catch (error) {
      const damaged = damagedId(error, collection);
      if (damaged === null) throw error;
      if (isSlow) {
        report(error as DamagedError);
        after = damaged;
      }
      isSlow = !isSlow;
    }
  }
}

/** Id of the document of a collection that an error is about. */
function damagedId(error: unknown, collection: string): string | null {
  if (!(error instanceof DamagedError)) return null;
  const start = `${collection}:`;
  return error.subject.startsWith(start) ? error.subject.slice(start.length) : null;
}

/** What a store holds, without the damaged documents of one collection. @param report is told of each of them */
export function withoutDamaged(
  store: StoreReads,
  collection: string,
  report: (error: DamagedError) => void,
): StoreReads {
  return {
    ...readsOf(store),
    scan: (name, options) =>
      name === collection ? scanApart(store, name, report, options) : store.scan(name, options),
  };
}

/** The reads of a store, as an object that can be spread. */
export function readsOf(store: StoreReads): StoreReads {
  return {
    description: store.description,
    getMany: (keys) => store.getMany(keys),
    scan: (collection, options) => store.scan(collection, options),
    lastEntry: () => store.lastEntry(),
    firstSeq: () => store.firstSeq(),
    readJournal: (from, to, limit) => store.readJournal(from, to, limit),
    collections: () => store.collections(),
    dueIndexes: () => store.dueIndexes(),
    scanDue: (index, options) => store.scanDue(index, options),
  };
}
