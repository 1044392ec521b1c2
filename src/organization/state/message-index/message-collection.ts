import { LRUCache } from 'lru-cache';
import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import {
  DamagedError,
  type DocumentKey,
  type EntryChange,
  type Write,
} from '../../../store/port.js';
import type { Recorder } from '../collection.js';
import type { Folding } from '../fold.js';
import { UncommittedDocuments, type Written } from '../uncommitted-documents.js';
import { MessageIndex, type IndexChange, type MessageSummary } from './message-index.js';
import type { MergedFields } from './merged-fields.js';
import type { Relocation } from './relocation.js';
import { isSearched, type TextIndex } from './text-index.js';

/** Source of message documents that are not in memory. */
export interface MessageSource {
  /** Durable documents in the order of `ids`; undefined where there is none. */
  getMany(ids: readonly number[]): Promise<(MessageDocument | undefined)[]>;
}

/** Bounds of the document cache; the least recently used ones are evicted first. */
interface MessageCacheLimits {
  readonly documents: number;
  /** Approximate, in bytes. */
  readonly bytes: number;
}

const COLLECTION = 'message';
const CACHE_LIMITS: MessageCacheLimits = { documents: 20_000, bytes: 64 * 1024 * 1024 };

/** From this number on messages that move together are written lazily. */
const MANY = 100;

/**
 * The write of a message that moved together with many others. Its document is made on first use: tens of
 * thousands of them are created in one turn of the event loop.
 */
class RelocatedMessage implements Written<MessageDocument> {
  readonly op = 'merge';
  private changed: Partial<MessageDocument> | undefined = undefined;
  private made: MessageDocument | undefined = undefined;

  constructor(
    private readonly previous: MessageDocument,
    private readonly relocation: Relocation,
    readonly seq: number,
  ) {}

  get key(): DocumentKey {
    return messageKey(this.previous.id);
  }

  get fields(): Partial<MessageDocument> {
    return (this.changed ??= this.relocation.fieldsOf(this.previous));
  }

  get document(): MessageDocument {
    return (this.made ??= { ...this.previous, ...this.fields });
  }
}

const NOTHING = (): void => undefined;

/** A change of a message, given its current document. */
type MessageUpdate = readonly [previous: MessageDocument, fields: Partial<MessageDocument>];

/** Documents that are kept current while they are pinned; deleted ones may still be among them. */
export interface PinnedMessages {
  readonly documents: Map<number, MessageDocument>;
  release(): void;
}

/** The state of a message in memory before a write. */
interface Memory {
  readonly written: Written<MessageDocument> | undefined;
  readonly cached: MessageDocument | undefined;
}

/** One read of the store; a write to one of its ids in the meantime invalidates that part of it. */
interface Load {
  readonly done: Promise<ReadonlyMap<number, MessageDocument>>;
}

/**
 * MessageCollection has all messages. Their documents stay in the store; memory has an index of all, a
 * bounded cache, and the uncommitted documents, which must not be read from the store.
 */
export class MessageCollection {
  readonly name = COLLECTION;
  private indexed = new MessageIndex();
  /** Finds messages by their words; null where nothing does. */
  textIndex: TextIndex | null = null;
  private readonly cache: LRUCache<number, MessageDocument>;
  private readonly uncommittedDocuments = new UncommittedDocuments<MessageDocument>();
  private readonly loading = new Map<number, Load>();
  private readonly pins = new Set<Map<number, MessageDocument>>();

  constructor(
    private readonly recorder: Recorder,
    private readonly source: MessageSource,
    limits: MessageCacheLimits = CACHE_LIMITS,
  ) {
    this.cache = new LRUCache({
      max: limits.documents,
      maxSize: limits.bytes,
      sizeCalculation: sizeInMemory,
    });
  }

  get index(): MessageIndex {
    return this.indexed;
  }

  /** Begins with an index that was made elsewhere, in place of loading every message. */
  begin(index: MessageIndex): void {
    this.indexed = index;
  }

  /** Messages that exist. */
  get size(): number {
    return this.index.size;
  }

  /** Whether a message exists. */
  has(id: number): boolean {
    return this.index.has(id);
  }

  /** The summary of a message from the index. */
  peek(id: number): MessageSummary | undefined {
    return this.index.peek(id);
  }

  /** Number of uncommitted documents. */
  get uncommitted(): number {
    return this.uncommittedDocuments.size;
  }

  /** Adds a message; its `seq` is that of the open transaction. */
  insert(document: MessageDocument): MessageDocument {
    const { id } = document;
    const memory = this.memory(id);
    this.record({ op: 'set', key: messageKey(id), document }, () => {
      this.index.remove(document);
      this.restore(id, memory);
      this.textIndex?.changed([id]);
    });
    this.index.add(document);
    this.remember(document, document.seq);
    this.textIndex?.changed([id]);
    return document;
  }

  /**
   * Changes top-level fields of a message, given its current document.
   * @param seq position of the open transaction
   * @throws Error when there is no such message
   */
  update(
    previous: MessageDocument,
    fields: Partial<MessageDocument>,
    seq: number,
  ): MessageDocument {
    this.updateAll([[previous, fields]], seq);
    return this.resident(previous.id)!;
  }

  /**
   * Changes many messages at once, which costs the index much less than one by one.
   * @param updates current documents, ascending by id, with the changes of each
   * @throws Error when one does not exist
   */
  updateAll(updates: readonly MessageUpdate[], seq: number): void {
    const gone = updates.find(([{ id }]) => !this.has(id));
    if (gone) throw new Error(`message:${gone[0].id} does not exist`);
    const changes = updates.map(([previous, fields]): IndexChange => [
      previous,
      { ...previous, ...fields },
    ]);
    const memories = changes.map(([{ id }]) => this.memory(id));
    const searched = updates.flatMap(([{ id }, fields]) => (isSearched(fields) ? [id] : []));
    // Reverts run from the last to the first: the first one restores all.
    const undo = (): void => {
      this.index.replaceAll(changes.map(([before, after]) => [after, before]));
      changes.forEach(([previous], i) => {
        this.restore(previous.id, memories[i]!);
        this.refresh(previous.id, previous);
      });
      this.textIndex?.changed(searched);
    };
    changes.forEach(([, document], i) => {
      const fields = updates[i]![1];
      const write = { op: 'merge', key: messageKey(document.id), fields, document } as const;
      this.record(write, i === 0 ? undo : NOTHING);
      this.remember(document, seq);
    });
    this.index.replaceAll(changes);
    this.textIndex?.changed(searched);
  }

  /**
   * Moves messages. Documents of many are made on first use, at the latest for the store, so that a move of
   * tens of thousands is quick.
   * @param messages current documents, ascending by id
   * @param seq position of the open transaction
   * @throws Error when one does not exist
   */
  relocateAll(messages: readonly MessageDocument[], relocation: Relocation, seq: number): void {
    if (messages.length < MANY) {
      const updates = messages.map((one): MessageUpdate => [one, relocation.fieldsOf(one)]);
      this.updateAll(updates, seq);
      return;
    }
    const { uncommittedDocuments, cache, loading, recorder } = this;
    const former =
      uncommittedDocuments.size === 0 ? [] : messages.map(({ id }) => uncommittedDocuments.get(id));
    let putBack = NOTHING;
    // Reverts run from the last to the first: the first one restores all.
    const undo = (): void => {
      putBack();
      messages.forEach(({ id }, i) => this.restore(id, { written: former[i], cached: undefined }));
      this.textIndex?.changed(messages.map(({ id }) => id));
    };
    let isFirst = true;
    for (const previous of messages) {
      const { id } = previous;
      if (!this.has(id)) throw new Error(`message:${id} does not exist`);
      const moved = new RelocatedMessage(previous, relocation, seq);
      recorder.record(moved, isFirst ? undo : NOTHING);
      isFirst = false;
      uncommittedDocuments.put(id, moved);
      // Not cached: so many would evict everything else.
      cache.delete(id);
      loading.delete(id);
    }
    // Pinned sets fetch them again.
    for (const pinned of this.pins) for (const { id } of messages) pinned.delete(id);
    putBack = this.index.relocateAll(messages, relocation);
    this.textIndex?.changed(messages.map(({ id }) => id));
  }

  /**
   * A set of documents that is kept current until `release`: a caller who loads many before it changes them
   * must not miss changes made in the meantime.
   */
  pin(): PinnedMessages {
    const documents = new Map<number, MessageDocument>();
    this.pins.add(documents);
    return { documents, release: () => this.pins.delete(documents) };
  }

  /** Deletes a message, given its current document; false when it does not exist. */
  delete(document: MessageDocument): boolean {
    const { id } = document;
    if (!this.has(id)) return false;
    const memory = this.memory(id);
    this.record({ op: 'delete', key: messageKey(id) }, () => {
      this.index.add(document);
      this.restore(id, memory);
      this.textIndex?.changed([id]);
    });
    this.textIndex?.changed([id]);
    this.index.remove(document);
    this.uncommittedDocuments.put(id, undefined);
    this.cache.delete(id);
    this.loading.delete(id);
    return true;
  }

  /**
   * Deletes many messages without their documents.
   * @param ids ascending; all of them exist
   */
  deleteAll(ids: readonly number[]): void {
    const memories = ids.map((id) => this.memory(id));
    const putBack = this.index.removeAll(ids);
    this.textIndex?.changed(ids);
    ids.forEach((id, i) => {
      this.record({ op: 'delete', key: messageKey(id) }, () => {
        // Reverts run from the last to the first: the index is restored as a whole.
        if (i === 0) {
          putBack();
          this.textIndex?.changed(ids);
        }
        this.restore(id, memories[i]!);
      });
      this.uncommittedDocuments.put(id, undefined);
      this.cache.delete(id);
      this.loading.delete(id);
    });
  }

  /** Loads a message at start-up: only the index keeps it. */
  load(document: MessageDocument): void {
    this.index.add(document);
  }

  /** Applies changes that another node committed; their documents are durable. */
  fold(changes: readonly EntryChange[], folding: Folding): void {
    const { added, merged, removed } = this.index.fold(changes, folding);
    this.textIndex?.changed([
      ...removed,
      ...added.map(({ id }) => id),
      ...merged.flatMap(({ id, fields }) => (isSearched(fields) ? [id] : [])),
    ]);
    for (const id of removed) this.forget(id);
    for (const document of added) this.keep(document);
    // So many would evict everything else; pinned sets fetch them again.
    const isLarge = merged.length >= MANY;
    for (const change of merged)
      if (isLarge) this.forget(change.id, true);
      else this.mergeKept(change);
  }

  /** Records that the store has everything up to a journal position. */
  durable(seq: number): void {
    this.uncommittedDocuments.durable(seq);
  }

  /** The document, if it is in memory. */
  resident(id: number): MessageDocument | undefined {
    return this.uncommittedDocuments.get(id)?.document ?? this.cache.get(id);
  }

  /**
   * Documents of the existing messages; reads missing ones from the store.
   * @param cached false for so many that they would evict everything else from the cache
   */
  async fetch(ids: readonly number[], cached = true): Promise<Map<number, MessageDocument>> {
    const found = new Map<number, MessageDocument>();
    let wanted = ids.filter((id) => !this.takeResident(id, found));
    while (wanted.length > 0) {
      const loads = this.startLoads(wanted, cached);
      const answers = await Promise.all([...loads].map(([load]) => load.done));
      for (const [i, part] of [...loads.values()].entries()) {
        for (const id of part) {
          const document = answers[i]!.get(id);
          if (document) found.set(id, document);
        }
      }
      // What was written while the store was read is read again; deleted messages are dropped.
      wanted = wanted.filter((id) => !this.settled(id, found));
    }
    return found;
  }

  private settled(id: number, found: Map<number, MessageDocument>): boolean {
    if (!this.has(id)) {
      found.delete(id);
      return true;
    }
    return this.takeResident(id, found) || found.has(id);
  }

  private takeResident(id: number, found: Map<number, MessageDocument>): boolean {
    if (!this.has(id)) return true;
    const document = this.resident(id);
    if (document) found.set(id, document);
    return document !== undefined;
  }

  /** Joins reads in progress and starts one for the rest. */
  private startLoads(ids: readonly number[], cached: boolean): Map<Load, number[]> {
    const loads = new Map<Load, number[]>();
    const fresh = ids.filter((id) => !this.loading.has(id));
    if (fresh.length > 0) {
      const load: Load = { done: this.read(fresh, () => load, cached) };
      for (const id of fresh) this.loading.set(id, load);
    }
    for (const id of ids) {
      const load = this.loading.get(id)!;
      const part = loads.get(load);
      if (part) part.push(id);
      else loads.set(load, [id]);
    }
    return loads;
  }

  /** @throws DamagedError when the store lacks a message that the index has */
  private async read(
    ids: number[],
    self: () => Load,
    cached: boolean,
  ): Promise<Map<number, MessageDocument>> {
    const valid = new Map<number, MessageDocument>();
    // A source that answers immediately must not overtake the entry in `loading`.
    await Promise.resolve();
    try {
      const documents = await this.source.getMany(ids);
      for (const [i, id] of ids.entries()) {
        // A write to the message removed this read from `loading`: the result may be outdated.
        if (this.loading.get(id) !== self()) continue;
        const document = documents[i];
        if (!document) throw new DamagedError('the store', `message:${id}`, 'it is missing');
        if (cached) this.cache.set(id, document);
        valid.set(id, document);
      }
    } finally {
      for (const id of ids) if (this.loading.get(id) === self()) this.loading.delete(id);
    }
    return valid;
  }

  private record(write: Write, undo: () => void): void {
    this.recorder.record(write, undo);
  }

  private remember(document: MessageDocument, seq: number): void {
    this.uncommittedDocuments.put(document.id, { document, seq });
    this.keep(document);
  }

  /** Takes the newest document of a message; a read of an older one, still in progress, no longer counts. */
  private keep(document: MessageDocument): void {
    const { id } = document;
    this.refresh(id, document);
    this.cache.set(id, document);
    this.loading.delete(id);
  }

  /** Updates documents of a message that are in memory. */
  private mergeKept({ id, fields }: MergedFields): void {
    this.loading.delete(id);
    const cached = this.cache.peek(id);
    if (cached) this.cache.set(id, { ...cached, ...fields });
    for (const pinned of this.pins) {
      const previous = pinned.get(id);
      if (previous) pinned.set(id, { ...previous, ...fields });
    }
  }

  /** Drops the document of a message that has changed or is gone. */
  private forget(id: number, pinned = false): void {
    this.cache.delete(id);
    this.loading.delete(id);
    if (pinned) for (const documents of this.pins) documents.delete(id);
  }

  /** Updates pinned documents. */
  private refresh(id: number, document: MessageDocument): void {
    for (const pinned of this.pins) if (pinned.has(id)) pinned.set(id, document);
  }

  private memory(id: number): Memory {
    return { written: this.uncommittedDocuments.get(id), cached: this.cache.peek(id) };
  }

  private restore(id: number, { written, cached }: Memory): void {
    this.loading.delete(id);
    this.uncommittedDocuments.put(id, written);
    if (cached) this.cache.set(id, cached);
    else this.cache.delete(id);
  }
}

function messageKey(id: number): DocumentKey {
  return { collection: COLLECTION, id: String(id) };
}

/** At most two bytes per character, and about a kilobyte for the rest of a document. */
function sizeInMemory(document: MessageDocument): number {
  let characters = document.content.length + document.rendered_content.length;
  for (const { prev_content, prev_rendered_content } of document.edit_history ?? []) {
    characters += 64 + (prev_content?.length ?? 0) + (prev_rendered_content?.length ?? 0);
  }
  for (const { content } of document.submessages ?? []) characters += 64 + content.length;
  return 1024 + 2 * characters + 200 * document.reactions.length;
}
