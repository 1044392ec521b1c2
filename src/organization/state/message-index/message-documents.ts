import type { LRUCache } from 'lru-cache';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { lruOfBytes, type CacheLimits } from '../../../platform/lru.js';
import { DamagedError, type DocumentKey } from '../../../store/port.js';
import type { DamageReporter } from '../damaged-documents.js';
import type { MergedFields } from './merged-fields.js';
import { UncommittedDocuments, type Written } from './uncommitted-documents.js';

/** The collection of messages. */
export const COLLECTION = 'message';

export function messageKey(id: number): DocumentKey {
  return { collection: COLLECTION, id: String(id) };
}

/** Source of message documents that are not in memory. */
export interface MessageSource {
  /** Durable documents in the order of `ids`, or what is wrong with them; undefined where there is none. */
  getMany(ids: readonly number[]): Promise<(MessageDocument | DamagedError | undefined)[]>;
}

/** Bounds of the document cache. */
const CACHE_LIMITS: CacheLimits = { entries: 20_000, bytes: 64 * 1024 * 1024 };

/** Documents that are kept current while they are pinned; deleted ones may still be among them. */
export interface PinnedMessages {
  readonly documents: Map<number, MessageDocument>;
  /** How often one of them was written, or that was taken back. */
  readonly changes: number;
  release(): void;
}

const NO_PINS: readonly PinnedSet[] = [];

class PinnedSet implements PinnedMessages {
  readonly documents = new Map<number, MessageDocument>();
  changes = 0;

  constructor(private readonly pins: Set<PinnedSet>) {
    pins.add(this);
  }

  release(): void {
    this.pins.delete(this);
  }
}

/** The state of a message in memory before a write. */
interface Memory {
  readonly written: Written<MessageDocument> | undefined;
  readonly cached: MessageDocument | undefined;
}

/** One read of the store; a write to one of its ids in the meantime invalidates that part of it. */
interface Load {
  readonly done: Promise<ReadonlyMap<number, MessageDocument | DamagedError>>;
}

/** Documents that exist: those that could be read, and what is wrong with the others. */
interface Fetched {
  readonly found: Map<number, MessageDocument>;
  readonly damaged: ReadonlyMap<number, DamagedError>;
}

function hasAny(written: ReadonlyMap<number, unknown>, ids: Iterable<number>): boolean {
  for (const id of ids) if (written.has(id)) return true;
  return false;
}

/**
 * MessageDocuments has the documents of messages that are in memory: a bounded cache, the uncommitted ones, which
 * must not be read from the store, and those that somebody has pinned. It reads the others from the store.
 */
export abstract class MessageDocuments {
  private readonly cache: LRUCache<number, MessageDocument>;
  private readonly uncommittedDocuments = new UncommittedDocuments<MessageDocument>();
  private readonly loading = new Map<number, Load>();
  private readonly pins = new Set<PinnedSet>();

  constructor(
    private readonly source: MessageSource,
    readonly reportDamage: DamageReporter,
    limits: CacheLimits = CACHE_LIMITS,
  ) {
    this.cache = lruOfBytes(limits, sizeInMemory);
  }

  /** Whether a message exists. */
  abstract has(id: number): boolean;

  /** Number of uncommitted documents. */
  get uncommitted(): number {
    return this.uncommittedDocuments.size;
  }

  /** Records that the store has everything up to a journal position. */
  durable(seq: number): void {
    this.uncommittedDocuments.durable(seq);
  }

  /**
   * A set of documents that is kept current until `release`: a caller who loads many before it changes them
   * must not miss changes made in the meantime.
   */
  pin(): PinnedMessages {
    return new PinnedSet(this.pins);
  }

  /** The document, if it is in memory. */
  resident(id: number): MessageDocument | undefined {
    return this.uncommittedDocuments.get(id)?.document ?? this.cache.get(id);
  }

  /** Documents of the existing messages where all of them are in memory, else null. */
  inMemory(ids: readonly number[]): Map<number, MessageDocument> | null {
    const found = new Map<number, MessageDocument>();
    return ids.every((id) => this.takeResident(id, found)) ? found : null;
  }

  /**
   * Documents of the existing messages that are readable; reads missing ones from the store. Damaged ones are
   * reported, and absent like deleted ones.
   * @param cached false for so many that they would evict everything else from the cache
   */
  async fetch(ids: readonly number[], cached = true): Promise<Map<number, MessageDocument>> {
    return (await this.fetchApart(ids, cached)).found;
  }

  /** Like `fetch`, for callers who need all of them. @throws DamagedError for a damaged one */
  async fetchAll(ids: readonly number[], cached = true): Promise<Map<number, MessageDocument>> {
    const { found, damaged } = await this.fetchApart(ids, cached);
    for (const error of damaged.values()) throw error;
    return found;
  }

  private async fetchApart(ids: readonly number[], cached: boolean): Promise<Fetched> {
    const found = new Map<number, MessageDocument>();
    const damaged = new Map<number, DamagedError>();
    let wanted = ids.filter((id) => !this.takeResident(id, found));
    while (wanted.length > 0) {
      const loads = this.startLoads(wanted, cached);
      const answers = await Promise.all([...loads].map(([load]) => load.done));
      for (const [i, part] of [...loads.values()].entries()) {
        for (const id of part) {
          const document = answers[i]!.get(id);
          if (document instanceof DamagedError) damaged.set(id, document);
          else if (document) found.set(id, document);
        }
      }
      // What was written while the store was read is read again; deleted messages are dropped.
      wanted = wanted.filter((id) => !this.settled(id, found) && !damaged.has(id));
    }
    return { found, damaged };
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

  private async read(
    ids: number[],
    self: () => Load,
    cached: boolean,
  ): Promise<Map<number, MessageDocument | DamagedError>> {
    const valid = new Map<number, MessageDocument | DamagedError>();
    // A source that answers immediately must not overtake the entry in `loading`.
    await Promise.resolve();
    try {
      const documents = await this.source.getMany(ids);
      for (const [i, id] of ids.entries()) {
        // A write to the message removed this read from `loading`: the result may be outdated.
        if (this.loading.get(id) !== self()) continue;
        const document =
          documents[i] ?? new DamagedError('the store', `message:${id}`, 'it is missing');
        if (document instanceof DamagedError) this.reportDamage(document);
        else if (cached) this.cache.set(id, document);
        valid.set(id, document);
      }
    } finally {
      for (const id of ids) if (this.loading.get(id) === self()) this.loading.delete(id);
    }
    return valid;
  }

  /** Takes the document that the open transaction writes. @param seq its position */
  protected remember(document: MessageDocument, seq: number): void {
    this.uncommittedDocuments.put(document.id, { document, seq });
    this.keep(document);
  }

  /** Takes the newest document of a message; a read of an older one, still in progress, no longer counts. */
  protected keep(document: MessageDocument): void {
    const { id } = document;
    this.refresh(id, document);
    this.cache.set(id, document);
    this.loading.delete(id);
  }

  /** A message is deleted by a write that is not durable yet. */
  protected deleted(id: number): void {
    this.uncommittedDocuments.put(id, undefined);
    this.forget(id);
  }

  /**
   * Takes the writes of one entry to so many messages that their documents would evict everything else: pinned sets
   * fetch them again. Takes the map over.
   * @returns takes them back
   */
  protected putTogether(written: Map<number, Written<MessageDocument>>, seq: number): () => void {
    const ids = [...written.keys()];
    const forget = (): void => {
      for (const id of ids) {
        this.cache.delete(id);
        this.loading.delete(id);
      }
      // The smaller ones are walked over: hundreds of sets may have one message each.
      for (const pinned of this.pins) {
        const { documents } = pinned;
        if (!hasAny(written, documents.keys())) continue;
        // The whole set: ten who wait to move the same 10,000 messages have ten sets of them.
        documents.clear();
        pinned.changes += 1;
      }
    };
    forget();
    const putBack = this.uncommittedDocuments.putTogether(written, seq);
    return () => {
      forget();
      putBack();
    };
  }

  /** Updates documents of a message that are in memory. */
  protected mergeKept({ id, fields }: MergedFields): void {
    this.loading.delete(id);
    const cached = this.cache.peek(id);
    if (cached) this.cache.set(id, { ...cached, ...fields });
    for (const { documents } of this.touched(id)) {
      documents.set(id, { ...documents.get(id)!, ...fields });
    }
  }

  /** Drops the document of a message that has changed or is gone. */
  protected forget(id: number, pinned = false): void {
    this.cache.delete(id);
    this.loading.delete(id);
    for (const { documents } of this.touched(id)) if (pinned) documents.delete(id);
  }

  /** Updates pinned documents. */
  protected refresh(id: number, document: MessageDocument): void {
    for (const { documents } of this.touched(id)) documents.set(id, document);
  }

  /** The pinned sets that have a message which is written. */
  private touched(id: number): readonly PinnedSet[] {
    if (this.pins.size === 0) return NO_PINS;
    const sets = [...this.pins].filter(({ documents }) => documents.has(id));
    for (const one of sets) one.changes += 1;
    return sets;
  }

  /** What is there of a message before a write. */
  protected memory(id: number): Memory {
    return { written: this.uncommittedDocuments.get(id), cached: this.cache.peek(id) };
  }

  /** Takes a write back. */
  protected restore(id: number, { written, cached }: Memory): void {
    this.loading.delete(id);
    this.touched(id);
    this.uncommittedDocuments.put(id, written);
    if (cached) this.cache.set(id, cached);
    else this.cache.delete(id);
  }
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
