import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { EntryChange, Write } from '../../../store/port.js';
import type { CacheLimits } from '../../../platform/lru.js';
import type { Recorder } from '../collection.js';
import {
  COLLECTION,
  MessageDocuments,
  messageKey,
  type MessageSource,
  type PinnedMessages,
} from './message-documents.js';
import type { DamageReporter } from '../damaged-documents.js';
import type { Folding } from '../fold.js';
import { MessageIndex, type IndexChange, type MessageSummary } from './message-index.js';
import { MovingMessages, type StateKeyOf } from './moving-messages.js';
import type { Relocation } from './relocation.js';
import type { IndexAnswer, IndexQuery } from '../../../services/search-index/protocol.js';

/** Finds messages by their words. It never decides what somebody may see. */
export interface TextIndex {
  /** Smallest id from which on it has all messages, except those that changed of late; Infinity while it has none. */
  readonly coveredFrom: number;
  /** Called when messages were added, or removed, or what a search finds of them changed, or that was taken back. */
  changed(ids: readonly number[]): void;
  /** Messages of a range of ids that changed of late, which it may know as they were; in no order. */
  changedBetween(lowest: number, highest: number): number[];
  /** @throws Error where it cannot be asked now */
  find(query: IndexQuery): Promise<IndexAnswer>;
}

/** Fields that decide whether and where a search finds a message. */
const SEARCHED: readonly (keyof MessageDocument)[] = ['rendered_content', 'topic', 'recipient_id'];

/** Whether a search is concerned by a change of these fields. */
function isSearched(fields: Partial<MessageDocument>): boolean {
  return SEARCHED.some((name) => name in fields);
}

/** From this number on messages that move together are written lazily. */
const MANY = 100;

const NOTHING = (): void => undefined;

/** A change of a message, given its current document. */
type MessageUpdate = readonly [previous: MessageDocument, fields: Partial<MessageDocument>];

/**
 * MessageCollection has all messages: it changes them, in memory as in the entry, and takes changes back. Their
 * documents stay in the store ({@link MessageDocuments}); memory has an index of all.
 */
export class MessageCollection extends MessageDocuments {
  readonly name = COLLECTION;
  private indexed = new MessageIndex();
  /** Finds messages by their words; null where nothing does. */
  textIndex: TextIndex | null = null;
  private rewritings = 0;
  private placings = 0;

  constructor(
    private readonly recorder: Recorder,
    source: MessageSource,
    reportDamage: DamageReporter = NOTHING,
    limits?: CacheLimits,
  ) {
    super(source, reportDamage, limits);
  }

  get index(): MessageIndex {
    return this.indexed;
  }

  /**
   * How often messages changed in their text or place, or went: while it is the same, there are all that were there,
   * with whom they mention, and newer ones perhaps.
   */
  get rewritten(): number {
    return this.rewritings;
  }

  /**
   * How often messages came to a conversation otherwise than as its newest: moved from another, or taken back. While it
   * is the same, a conversation has what it had, without what was deleted, and newer messages perhaps.
   */
  get placed(): number {
    return this.placings;
  }

  /** Begins with an index that was made elsewhere, in place of loading every message. */
  begin(index: MessageIndex): void {
    this.indexed = index;
    this.placings += 1;
  }

  /** The id that a document says of itself. */
  idOf({ id }: Pick<MessageDocument, 'id'>): number {
    return id;
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

  /** Adds a message; its `seq` is that of the open transaction. */
  insert(document: MessageDocument): MessageDocument {
    const { id } = document;
    const memory = this.memory(id);
    this.record({ op: 'set', key: messageKey(id), document }, () => {
      this.index.remove(document);
      this.restore(id, memory);
      this.takenBack([id]);
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
      this.takenBack(searched);
    };
    changes.forEach(([, document], i) => {
      const fields = updates[i]![1];
      const write = { op: 'merge', key: messageKey(document.id), fields, document } as const;
      this.record(write, i === 0 ? undo : NOTHING);
      this.remember(document, seq);
    });
    this.index.replaceAll(changes);
    this.rewrote(searched);
    if (updates.some(([, fields]) => 'recipient_id' in fields)) this.placings += 1;
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
    const moving = this.moving(relocation.routeOf !== null);
    for (const message of messages) moving.add(message);
    this.relocate(moving, relocation, seq);
  }

  /** Begins to gather messages that are about to move together; see `relocateAll`. */
  moving(
    leavesChannel: boolean,
    pinned: PinnedMessages | null = null,
    stateKeyOf: StateKeyOf | null = null,
  ): MovingMessages {
    return new MovingMessages(this.index, leavesChannel, pinned, stateKeyOf);
  }

  /**
   * Like `relocateAll`, for messages that were gathered before.
   * @param moving still current, and not moved before
   */
  relocate(moving: MovingMessages, relocation: Relocation, seq: number): void {
    const { ids, writes } = moving;
    moving.move(relocation, seq);
    let putBack = NOTHING;
    let restore = NOTHING;
    this.recorder.recordAll([...writes.values()], () => {
      putBack();
      restore();
      this.takenBack(ids);
    });
    restore = this.putTogether(writes, seq);
    putBack = this.index.relocateAll(moving.parts, relocation);
    this.rewrote(ids);
    if (relocation.routeOf !== null) this.placings += 1;
  }

  /** Deletes a message, given its current document; false when it does not exist. */
  delete(document: MessageDocument): boolean {
    const { id } = document;
    if (!this.has(id)) return false;
    const memory = this.memory(id);
    this.record({ op: 'delete', key: messageKey(id) }, () => {
      this.index.add(document);
      this.restore(id, memory);
      this.takenBack([id]);
    });
    this.rewrote([id]);
    this.index.remove(document);
    this.deleted(id);
    return true;
  }

  /**
   * Deletes many messages without their documents.
   * @param ids ascending; all of them exist
   */
  deleteAll(ids: readonly number[]): void {
    const memories = ids.map((id) => this.memory(id));
    const putBack = this.index.removeAll(ids);
    this.rewrote(ids);
    ids.forEach((id, i) => {
      this.record({ op: 'delete', key: messageKey(id) }, () => {
        // Reverts run from the last to the first: the index is restored as a whole.
        if (i === 0) {
          putBack();
          this.takenBack(ids);
        }
        this.restore(id, memories[i]!);
      });
      this.deleted(id);
    });
  }

  /** Loads a message at start-up: only the index keeps it. */
  load(document: MessageDocument): void {
    this.index.add(document);
  }

  /** Applies changes that another node committed; their documents are durable. */
  fold(changes: readonly EntryChange[], folding: Folding): void {
    const { lastId } = this.index.columns;
    const { added, merged, removed } = this.index.fold(changes, folding);
    if (
      added.some(({ id }) => id <= lastId) ||
      merged.some(({ fields }) => 'recipient_id' in fields)
    )
      this.placings += 1;
    this.textIndex?.changed(added.map(({ id }) => id));
    this.rewrote([
      ...removed,
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

  private takenBack(ids: readonly number[]): void {
    this.placings += 1;
    this.rewrote(ids);
  }

  private rewrote(ids: readonly number[]): void {
    if (ids.length === 0) return;
    this.rewritings += 1;
    this.textIndex?.changed(ids);
  }

  private record(write: Write, undo: () => void): void {
    this.recorder.record(write, undo);
  }
}
