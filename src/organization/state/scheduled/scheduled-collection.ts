import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import { lruOfBytes } from '../../../platform/lru.js';
import { DamagedError, type EntryChange, type Write } from '../../../store/port.js';
import type { Recorder } from '../collection.js';
import { UncommittedDocuments } from '../message-index/uncommitted-documents.js';
import { readApart, type DamageReporter, type DocumentSource } from '../damaged-documents.js';
import { applies, type Folding } from '../fold.js';
import { assertDocument } from '../document-check.js';
import { ScheduledActors, type DueRecorder, type ScheduledDocument } from './scheduled-actors.js';
import { ScheduleIndex, type ScheduleRow } from './schedule-index.js';

export type { ScheduledDocument } from './scheduled-actors.js';

/** Where documents that are not in memory are read. */
interface ScheduledSource {
  readonly documents: DocumentSource;
  readonly damaged: DamageReporter;
}

/** The store's due index of all scheduled items; its ids are document keys, `collection:id`. */
export const DELIVERY_INDEX = 'delivery';

/** Delivered items remembered, so that a late edit gets the right error. */
const REMEMBERED = 10_000;
const CACHE = { entries: 2000, bytes: 16 * 1024 * 1024 };
/** UTF-16 units that are read of the store at a time, and documents: a millisecond or two of work. */
const READ_AT_ONCE = { length: 256 * 1024, documents: 100 };

/**
 * ScheduledCollection has the scheduled items of one kind. Their documents, which are the snapshots of their actors, stay
 * in the store; memory has ids, owners, states and deadlines of all, a bounded cache, and the uncommitted documents. Every
 * write also moves the item in the due index to the deadline of its actor, in the same entry.
 */
export class ScheduledCollection<D extends ScheduledDocument> {
  readonly index = new ScheduleIndex();
  /** The only way to change an item, and to ask what it would take. */
  readonly actors: ScheduledActors<D> = new ScheduledActors(this);
  private readonly uncommittedDocuments = new UncommittedDocuments<D>();
  private readonly cache = lruOfBytes<number, D>(CACHE, sizeInMemory);
  /** Ids written during a read of the store, one set for each read in progress. */
  private readonly reads = new Set<Set<number>>();
  /** Owners of delivered items by id, oldest first. */
  private readonly delivered = new Map<number, number>();
  private listener: ((key: string) => void) | undefined;

  constructor(
    readonly name: string,
    private readonly recorder: Recorder,
    private readonly source: ScheduledSource,
  ) {}

  /** The id that a document says of itself. */
  idOf({ context }: Pick<D, 'context'>): number {
    return context.id;
  }

  /** Number of items, including failed ones. */
  get size(): number {
    return this.index.size;
  }

  /** Number of uncommitted documents. */
  get uncommitted(): number {
    return this.uncommittedDocuments.size;
  }

  /** Keys of the uncommitted documents. */
  uncommittedKeys(): string[] {
    return [...this.uncommittedDocuments.ids()].map((id) => this.keyOf(id));
  }

  /** Id of a document in the due index. */
  keyOf(id: number): string {
    return `${this.name}:${id}`;
  }

  /** Calls `listener` with the key of every item that is added, changed or removed, also by a revert. */
  watch(listener: ((key: string) => void) | undefined): void {
    this.listener = listener;
  }

  /**
   * Keeps the snapshot of an item.
   * @param before the one that it replaces: then only what differs is written
   */
  set(tx: DueRecorder, document: D, before?: D): D {
    const { id } = document.context;
    const restore = this.memory(id);
    this.recorder.record(this.writeOf(document, before), restore);
    this.index.put(rowOf(document), textLength(document));
    tx.schedule(DELIVERY_INDEX, this.keyOf(id), this.index.deadlineOf(id)!);
    this.uncommittedDocuments.put(id, { document, seq: tx.seq });
    this.cache.set(id, document);
    this.changed(id);
    return document;
  }

  /** Removes a document. */
  delete(tx: DueRecorder, id: number): void {
    const restore = this.memory(id);
    this.recorder.record({ op: 'delete', key: { collection: this.name, id: String(id) } }, restore);
    tx.schedule(DELIVERY_INDEX, this.keyOf(id), null);
    this.index.remove(id);
    this.uncommittedDocuments.put(id, undefined);
    this.cache.delete(id);
    this.changed(id);
  }

  /** Deletes the document of a delivered item; `wasDelivered` knows it for a while. */
  deliver(tx: DueRecorder, { context: { id, user_id } }: D): void {
    this.delete(tx, id);
    this.delivered.set(id, user_id);
    if (this.delivered.size <= REMEMBERED) return;
    for (const oldest of this.delivered.keys()) {
      this.delivered.delete(oldest);
      return;
    }
  }

  /** Whether an item of the user was delivered recently. */
  wasDelivered(id: number, userId: number): boolean {
    return !this.index.has(id) && this.delivered.get(id) === userId;
  }

  /**
   * Whether a new context would make the texts of all its owner's items longer than they may be, and longer than they are.
   */
  growsBeyond(limit: number, context: D['context']): boolean {
    const { index } = this;
    const { id, user_id } = context;
    const more = textLength({ context }) - index.lengthOf(id);
    return more > 0 && index.lengthOfUser(user_id) + more > limit;
  }

  /** Loads a document at start-up: only the index keeps it. */
  load(document: D): void {
    this.index.put(rowOf(document), textLength(document));
  }

  /** Applies changes that another node committed. */
  fold(changes: readonly EntryChange[], folding: Folding): void {
    for (const change of changes) {
      const id = Number(change.key.id);
      if (!applies(change, this.index.has(id), folding)) continue;
      if (change.op === 'delete') {
        this.index.remove(id);
        this.cache.delete(id);
      } else this.foldFields(id, change.fields as Partial<D>);
      this.changed(id);
    }
  }

  /** Applies the fields of a snapshot that another node wrote: all, the state alone, or the context, too. */
  private foldFields(id: number, fields: Partial<D>): void {
    const { index, cache } = this;
    const known = cache.peek(id);
    const { value = index.get(id)!.state, context } = fields;
    if (context) index.put(rowOf({ value, context }), textLength({ context }));
    else index.put({ ...index.get(id)!, state: value }, index.lengthOf(id));
    if (known) cache.set(id, { ...known, ...fields });
    else if (fields.machine !== undefined) cache.set(id, fields as D);
  }

  /** Records that the store has everything up to a journal position. */
  durable(seq: number): void {
    this.uncommittedDocuments.durable(seq);
  }

  /** The document, if it is in memory. */
  resident(id: number): D | undefined {
    return this.uncommittedDocuments.get(id)?.document ?? this.cache.get(id);
  }

  /**
   * Documents of the existing items that are readable; reads missing ones from the store. Damaged ones are reported,
   * and absent like removed ones.
   */
  async fetch(ids: readonly number[]): Promise<Map<number, D>> {
    const found = new Map<number, D>();
    let wanted = ids;
    for (;;) {
      wanted = wanted.filter((id) => {
        const document = this.index.has(id) ? this.resident(id) : undefined;
        if (document) found.set(id, document);
        return this.index.has(id) && !document;
      });
      if (wanted.length === 0) break;
      // What was written while the store was read is read again.
      wanted = await this.read(wanted, found);
    }
    for (const id of found.keys()) {
      if (!this.index.has(id)) found.delete(id);
      else found.set(id, this.resident(id) ?? found.get(id)!);
    }
    return found;
  }

  private async read(ids: readonly number[], found: Map<number, D>): Promise<number[]> {
    const written = new Set<number>();
    this.reads.add(written);
    const pause = new EventLoopYield();
    try {
      for (let from = 0; from < ids.length;) {
        const some = ids.slice(from, this.endOfRead(ids, from));
        await this.readSome(some, written, found);
        from += some.length;
        if (pause.isDue) await pause.take();
      }
      return ids.filter((id) => written.has(id));
    } finally {
      this.reads.delete(written);
    }
  }

  /** Behind the last of the ids that are read together with the first. */
  private endOfRead(ids: readonly number[], from: number): number {
    let end = from;
    let length = 0;
    while (end < ids.length && end - from < READ_AT_ONCE.documents) {
      length += this.index.lengthOf(ids[end]!);
      if (length > READ_AT_ONCE.length && end > from) break;
      end += 1;
    }
    return end;
  }

  private async readSome(
    ids: readonly number[],
    written: ReadonlySet<number>,
    found: Map<number, D>,
  ): Promise<void> {
    const keys = ids.map((id) => ({ collection: this.name, id: String(id) }));
    const documents = (await readApart(this.source.documents, keys)) as (
      | D
      | DamagedError
      | undefined
    )[];
    ids.forEach((id, i) => {
      if (written.has(id)) return;
      const document = this.checked(id, documents[i]);
      if (document instanceof DamagedError) this.source.damaged(document);
      else {
        this.cache.set(id, document);
        found.set(id, document);
      }
    });
  }

  /** What was read, or what is wrong with it: nobody acts on the snapshot of another machine, version or state. */
  private checked(id: number, read: D | DamagedError | undefined): D | DamagedError {
    if (read === undefined) return new DamagedError('the store', this.keyOf(id), 'it is missing');
    if (read instanceof DamagedError) return read;
    try {
      assertDocument('the store', this, String(id), read);
      return read;
    } catch (error) {
      if (error instanceof DamagedError) return error;
      throw error;
    }
  }

  /** That an item is neither in memory nor could be read. */
  damaged(id: number): DamagedError {
    return new DamagedError('the store', this.keyOf(id), 'it cannot be read');
  }

  /** Captures the state of a document in memory. @returns restores it */
  private memory(id: number): () => void {
    const row = this.index.get(id);
    const length = this.index.lengthOf(id);
    const written = this.uncommittedDocuments.get(id);
    const cached = this.cache.peek(id);
    return () => {
      if (row) this.index.put(row, length);
      else this.index.remove(id);
      this.uncommittedDocuments.put(id, written);
      if (cached) this.cache.set(id, cached);
      else this.cache.delete(id);
      this.delivered.delete(id);
      this.changed(id);
    };
  }

  /** The write of a snapshot: only what differs of the one before, which costs the journal less. */
  private writeOf(document: D, before: D | undefined): Write {
    const { id } = document.context;
    const key = { collection: this.name, id: String(id) };
    if (!before) return { op: 'set', key, document };
    const fields = {
      ...(document.value === before.value ? {} : { value: document.value }),
      ...(document.context === before.context ? {} : { context: document.context }),
    };
    return { op: 'merge', key, fields, document };
  }

  private changed(id: number): void {
    for (const written of this.reads) written.add(id);
    this.listener?.(this.keyOf(id));
  }
}

function rowOf({ value, context }: Pick<ScheduledDocument, 'value' | 'context'>): ScheduleRow {
  const { id, user_id, deliver_at } = context;
  return { id, owner: user_id, state: value, due: deliver_at * 1000 };
}

/** At most two bytes per character, and about a kilobyte for the rest of a document. */
function sizeInMemory(document: ScheduledDocument): number {
  return 1024 + 2 * textLength(document);
}

/** Length of a document's text and its HTML, UTF-16 units. */
function textLength({ context }: Pick<ScheduledDocument, 'context'>): number {
  return context.content.length + context.rendered_content.length;
}
