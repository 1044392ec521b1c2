import type { EntryContent } from '../../journal/entry.js';
import { LARGE_ENTRY_WRITES, foldWrites } from '../../journal/entry-text.js';
import type { Document, EntryChange, Write } from '../../store/port.js';
import { unstorable } from '../../store/storable.js';
import type { CollectionDescriptor } from '../../../schemas/collection.js';
import { COLLECTIONS } from '../../../schemas/collections.js';
import { isAudited, type AuditedChange } from './audited.js';
import type { Keyed } from './document-check.js';
import { applies, type Foldable, type Folding } from './fold.js';
import { nameKey } from '../../services/text/stored-text.js';

/** Records the writes of collections; only an open transaction accepts them. */
export interface Recorder {
  /** Records a write and how to revert it. @throws Error outside a transaction */
  record(write: Write, undo: () => void): void;
  /** Records writes and how to revert all of them. @throws Error outside a transaction */
  recordAll(writes: readonly Write[], undo: () => void): void;
  /** Notes a change of what is audited. */
  recordSetting(change: AuditedChange): void;
}

/** Bounds of a transaction that frees space: its writes, and the text that it adds, UTF-16 units. */
const MOST_FREEING = 1000;

const MOST_ADDED = 64 * 1024;

function revert(undo: readonly (() => void)[]): void {
  for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
}

/** The events and due changes of a transaction whose work is done. */
type TransactionContent = Pick<EntryContent, 'events' | 'due'>;

/** UnitOfWork collects the writes of the open transaction and reverts them when it fails. */
export class UnitOfWork implements Recorder {
  private writes: Write[] = [];
  private undo: (() => void)[] = [];
  private open = false;
  private audited: AuditedChange[] = [];

  /**
   * Whether the open transaction frees space: it deletes documents and adds little, so that it may be tried
   * on a full store.
   */
  get frees(): boolean {
    if (this.writes.length > MOST_FREEING) return false;
    let added = 0;
    let removed = 0;
    for (const write of this.writes) {
      if (write.op === 'delete') removed += 1;
      else added += JSON.stringify(write.document).length;
    }
    return removed > 0 && added <= MOST_ADDED;
  }

  /** Whether the open transaction has changed anything. */
  get hasWrites(): boolean {
    return this.writes.length > 0;
  }

  record(write: Write, undo: () => void): void {
    if (!this.open) throw new Error('A collection was changed outside a transaction');
    this.writes.push(write);
    this.undo.push(undo);
  }

  recordAll(writes: readonly Write[], undo: () => void): void {
    if (!this.open) throw new Error('A collection was changed outside a transaction');
    this.writes = this.writes.concat(writes);
    this.undo.push(undo);
  }

  recordSetting(change: AuditedChange): void {
    this.audited.push(change);
  }

  /** What the open transaction changed of what is audited, in order; a document may have several changes. */
  get settings(): readonly AuditedChange[] {
    return this.audited;
  }

  /**
   * Runs `work` and reverts its changes of memory if it throws. The returned `undo` reverts it later, after
   * everything that followed it.
   * @throws whatever `work` throws; UnstorableError for a document that no store keeps
   */
  run<Tx extends TransactionContent, T>(
    tx: Tx,
    work: (tx: Tx) => T,
  ): { result: T; content: EntryContent; undo: () => void } {
    if (this.open) throw new Error('A transaction is already open');
    this.open = true;
    try {
      const result = work(tx);
      const fault = unstorable(this.writes);
      if (fault !== null) throw fault;
      const { undo } = this;
      return {
        result,
        content: { writes: this.foldedWrites(), events: tx.events, due: tx.due },
        undo: () => revert(undo),
      };
    } catch (error) {
      revert(this.undo);
      throw error;
    } finally {
      this.open = false;
      this.writes = [];
      this.undo = [];
      if (this.audited.length > 0) this.audited = [];
    }
  }

  /** One write per document; large numbers of writes are folded when the journal encodes them. */
  private foldedWrites(): Write[] {
    return this.writes.length >= LARGE_ENTRY_WRITES ? this.writes : foldWrites(this.writes);
  }
}

/**
 * Collection is a typed set of documents in memory, the fold of the journal. Documents are immutable: an
 * update makes a new object, so that a reader may keep the old one.
 *
 * Subclasses maintain their indexes in `reindex`, which is called once for every change: writes, reverted
 * writes, loading, and folding what another node wrote.
 */
export class Collection<Id extends number | string, D extends object> {
  protected readonly documents = new Map<Id, D>();
  private readonly isAudited: boolean;
  private changeCount = 0;

  constructor(
    readonly name: string,
    protected readonly recorder: Recorder,
    readonly idOf: (document: D) => Id,
  ) {
    this.isAudited = isAudited(name);
  }

  /** Number of documents. */
  get size(): number {
    return this.documents.size;
  }

  /** Number of changes, those that were taken back included: equal numbers mean that nothing changed. */
  get version(): number {
    return this.changeCount;
  }

  /** The document with this id, if it exists. */
  get(id: Id): D | undefined {
    return this.documents.get(id);
  }

  /** Whether there is a document of this id. */
  has(id: Id): boolean {
    return this.documents.has(id);
  }

  /** All documents, in the order of their insertion. */
  values(): IterableIterator<D> {
    return this.documents.values();
  }

  /** All documents by id, in the order of their insertion. */
  byId(): IterableIterator<[Id, D]> {
    return this.documents.entries();
  }

  /** Adds or replaces a whole document. */
  insert(document: D): D {
    const id = this.idOf(document);
    const previous = this.documents.get(id);
    this.recorder.record({ op: 'set', key: this.key(id), document: document as Document }, () =>
      this.place(id, previous),
    );
    this.note(id, previous, document);
    this.place(id, document);
    return document;
  }

  /** Changes top-level fields of a document that exists. @throws Error when it does not */
  update(id: Id, fields: Partial<D>): D {
    const previous = this.documents.get(id);
    if (!previous) throw new Error(`${this.name}:${id} does not exist`);
    const document = { ...previous, ...fields };
    this.recorder.record(
      {
        op: 'merge',
        key: this.key(id),
        fields: fields as Document,
        document: document as Document,
      },
      () => this.place(id, previous),
    );
    this.note(id, previous, document);
    this.place(id, document);
    return document;
  }

  /** Removes a document; false when there was none. */
  delete(id: Id): boolean {
    const previous = this.documents.get(id);
    if (!previous) return false;
    this.recorder.record({ op: 'delete', key: this.key(id) }, () => this.place(id, previous));
    this.note(id, previous, undefined);
    this.place(id, undefined);
    return true;
  }

  /** Loads a document from the store at start-up. */
  load(document: D): void {
    this.place(this.idOf(document), document);
  }

  /** Applies changes that another node committed. */
  fold(changes: readonly EntryChange[], folding: Folding): void {
    for (const change of changes) this.foldOne(change, folding);
  }

  private foldOne(change: EntryChange, folding: Folding): void {
    const id = this.knownId(change.key.id);
    if (!applies(change, id !== undefined, folding)) return;
    const previous = id === undefined ? undefined : this.documents.get(id);
    // Tolerant: memory may have newer documents than the entry. Others that are folded meanwhile may have
    // taken a unique name of this one, so it is indexed anew.
    if (id !== undefined && (change.op === 'delete' || folding.tolerant)) this.place(id, undefined);
    if (change.op === 'set') this.load(change.fields as D);
    else if (change.op === 'merge') this.load({ ...previous!, ...(change.fields as Partial<D>) });
  }

  /** Id of a document that is there, by the text of its key: a collection's ids are all texts or all numbers. */
  private knownId(text: string): Id | undefined {
    for (const id of [text, Number(text)] as Id[]) if (this.documents.has(id)) return id;
    return undefined;
  }

  protected key(id: Id): { collection: string; id: string } {
    return { collection: this.name, id: String(id) };
  }

  /** Updates indexes; `previous` or `next` is undefined when a document is added or removed. */
  protected reindex(_previous: D | undefined, _next: D | undefined): void {}

  private note(id: Id, previous: D | undefined, next: D | undefined): void {
    if (!this.isAudited) return;
    this.recorder.recordSetting({ collection: this.name, id, previous, next });
  }

  private place(id: Id, next: D | undefined): void {
    const previous = this.documents.get(id);
    this.changeCount += 1;
    if (next === undefined) this.documents.delete(id);
    else this.documents.set(id, next);
    this.reindex(previous, next);
  }
}

/** Releases a unique name unless another document has taken it since. */
export function release<K>(ids: Map<K, number>, name: K, id: number): void {
  if (ids.get(name) === id) ids.delete(name);
}

/** Anything that takes documents at start-up, and their changes afterwards. */
export interface Loadable extends Foldable, Keyed {
  load(document: object): void;
}

function isLoadable(field: object): field is Loadable {
  return 'load' in field && 'name' in field;
}

/**
 * Collections among the fields of an object, by name and in order. The fields of the organization are the
 * only list of collections: loading and folding follow from it.
 * @throws Error unless they are exactly the collections that the schemas declare
 */
export function collectionsOf(
  holder: object,
  declared: ReadonlyMap<string, CollectionDescriptor> = COLLECTIONS,
): ReadonlyMap<string, Loadable> {
  const fields = Object.values(holder).filter(
    (field): field is object => typeof field === 'object' && field !== null,
  );
  const found = new Map(fields.filter(isLoadable).map((one) => [one.name, one]));
  for (const name of found.keys()) {
    if (!declared.has(name)) throw new Error(`No schema declares the collection ${name}`);
  }
  for (const [name, { apart }] of declared) {
    if (!apart && !found.has(name)) throw new Error(`No field has the collection ${name}`);
  }
  return found;
}

/** Adds a value to the set of a key, created on first use. */
export function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

/** Removes a value from the set of a key; empty sets are deleted. */
export function removeFrom<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}

/** Adds a value to the set of a key, or removes it. */
export function toggle<K, V>(sets: Map<K, Set<V>>, key: K, value: V, present: boolean): void {
  if (present) addTo(sets, key, value);
  else removeFrom(sets, key, value);
}

/**
 * NameIndex maps names to ids. Names that look alike are equal (`services/text/stored-text.ts`); where a store
 * from before that rule has two of them, each is still found by its own spelling.
 */
export class NameIndex {
  private readonly bySpelling = new Map<string, number>();
  /** Names whose key differs from their spelling in lower case. */
  private readonly byKey = new Map<string, number>();

  find(name: string): number | undefined {
    const exact = this.bySpelling.get(name.toLowerCase());
    if (exact !== undefined) return exact;
    const key = nameKey(name);
    return this.bySpelling.get(key) ?? this.byKey.get(key);
  }

  set(name: string, id: number): void {
    const spelling = name.toLowerCase();
    this.bySpelling.set(spelling, id);
    const key = nameKey(name);
    if (key !== spelling) this.byKey.set(key, id);
  }

  release(name: string, id: number): void {
    release(this.bySpelling, name.toLowerCase(), id);
    release(this.byKey, nameKey(name), id);
  }
}
