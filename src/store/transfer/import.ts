import type { Commit, Document, DueChange, Lease, Store, StoredEntry, Write } from '../port.js';
import { contentLines } from './export.js';
import { ExportFileError, Tally, type ContentRecord, type Header, type Trailer } from './format.js';
import { readExport, type Sink } from './read-file.js';
import { SEAL_COLLECTION } from './seal.js';
import { MARK_COLLECTION, MARK_FINISHED, markUnfinished, unfinishedImport } from './unfinished.js';

/** Writes, entries and due times per commit. */
const BATCH = 1000;
/** Text per commit after which it goes, in UTF-16 units; one larger record goes alone. */
const BATCH_SIZE = 2 * 1024 * 1024;
/** Commits under way at once. */
const UNDER_WAY = 2;

/**
 * Fills an empty store from an export file. Until the last moment the store is marked as unfinished, and
 * nobody serves it; an interrupted import goes on when it is repeated with the same file. The mark goes
 * when the file was whole and the store, read back, holds what the file says.
 *
 * @param heldStill proves that nobody else wrote meanwhile, or throws
 * @param lastWrites what is written with the removal of the mark
 * @throws ExportFileError for a file that is not whole; Error for a store that is not empty
 */
export async function importStore(
  store: Store,
  lease: Lease,
  chunks: AsyncIterable<Buffer>,
  heldStill: () => Promise<void>,
  lastWrites: (header: Header) => Promise<readonly Write[]> = async () => [],
): Promise<Trailer> {
  const filling = new Filling(store, lease);
  const trailer = await readExport(chunks, filling);
  await filling.finish();
  await assertHolds(store, trailer);
  const last = await lastWrites(filling.header!);
  await heldStill();
  await store.commit(lease, { entries: [], writes: [...last, MARK_FINISHED], due: [] });
  return trailer;
}

/** @throws ExportFileError when the store, read back, is not what the file says */
async function assertHolds(store: Store, trailer: Trailer): Promise<void> {
  const tally = new Tally();
  // Whatever the lines hold is in the tally; none is kept.
  for await (const _lines of contentLines(store, tally));
  if (tally.trailer().content === trailer.content) return;
  throw new ExportFileError(
    `${store.description} does not hold what the file says, perhaps for an earlier import of an ` +
      'altered one: empty it and import again',
  );
}

/** Writes records in commits of bounded size. */
class Filling implements Sink {
  private writes: Write[] = [];
  private entries: StoredEntry[] = [];
  private due: DueChange[] = [];
  private size = 0;
  /** Newest entry the store has of an import that was interrupted. */
  private lastSeq = 0;
  /** Position of the file's first entry. */
  private first: number | null = null;
  private readonly underWay: Promise<void>[] = [];
  /** The file's first line, once it was read. */
  header: Header | undefined;

  constructor(
    private readonly store: Store,
    private readonly lease: Lease,
  ) {}

  async begin(header: Header): Promise<void> {
    const { store } = this;
    const { id } = header;
    this.header = header;
    const former = await unfinishedImport(store);
    if (former !== null && former !== id) {
      throw new Error(
        `${store.description} holds part of another file: import that one, or empty it first`,
      );
    }
    if (former === null) {
      await this.assertEmpty();
      await this.commit({ entries: [], writes: [markUnfinished(id)], due: [] });
    }
    this.lastSeq = (await store.lastEntry())?.seq ?? 0;
  }

  record(record: ContentRecord, size: number): Promise<void> | void {
    if ('document' in record) this.takeDocument(record);
    else if ('due' in record) this.due.push({ index: record.due, id: record.id, at: record.at });
    else this.takeEntry(record.seq, record.entry);
    this.size += size;
    const count = this.writes.length + this.entries.length + this.due.length;
    if (count >= BATCH || this.size >= BATCH_SIZE) return this.flush();
  }

  /** Resolves when everything is durable. */
  async finish(): Promise<void> {
    await this.flush();
    await Promise.all(this.underWay);
    const { store, first } = this;
    if (first !== null && ((await store.firstSeq()) ?? first) < first)
      await store.trimJournal(first);
  }

  private takeDocument(record: Extract<ContentRecord, { document: Document }>): void {
    const { collection, id, document } = record;
    if (collection === MARK_COLLECTION || collection === SEAL_COLLECTION) {
      throw new ExportFileError(`The file holds a document of ${collection}`);
    }
    this.writes.push({ op: 'set', key: { collection, id }, document });
  }

  private takeEntry(seq: number, text: string): void {
    // An entry in the place of those that were trimmed, to be trimmed again: followers that ask for them must learn
    // that they are gone.
    if (this.first === null && this.lastSeq === 0 && seq > 1) {
      this.entries.push({ seq: seq - 1, text: '{}' });
    }
    this.first ??= seq;
    if (seq > this.lastSeq) this.entries.push({ seq, text });
  }

  private async flush(): Promise<void> {
    const { writes, entries, due } = this;
    if (writes.length + entries.length + due.length === 0) return;
    this.writes = [];
    this.entries = [];
    this.due = [];
    this.size = 0;
    await this.commit({ writes, entries, due });
  }

  private async commit(commit: Commit): Promise<void> {
    const done = this.store.commit(this.lease, commit);
    // Reported where it is waited for, which may be a turn later.
    done.catch(() => undefined);
    this.underWay.push(done);
    if (this.underWay.length >= UNDER_WAY) await this.underWay.shift();
  }

  private async assertEmpty(): Promise<void> {
    const [collections, indexes] = [await this.store.collections(), await this.store.dueIndexes()];
    const last = await this.store.lastEntry();
    if (collections.length === 0 && indexes.length === 0 && last === null) return;
    throw new Error(`${this.store.description} is not empty: import into an empty store only`);
  }
}
