import { isDeepStrictEqual } from 'node:util';
import { changesOf } from '../../../src/journal/entry-reading.js';
import { unsealEntry } from '../../../src/store/checksum.js';
import type { Document, DocumentKey, EntryChange } from '../../../src/store/port.js';
import { kinds } from './machine-states.js';

/** A document as the store has it, and what it says when it is read. */
export interface StoredDocument {
  readonly text: string | null;
  readonly document: Document | undefined;
}

/** What a store has, of either kind. */
export interface StoreContents {
  document(key: DocumentKey): StoredDocument;
  /** All that there are. */
  keys(): Iterable<DocumentKey>;
  /** Position of the newest entry, 0 where there is none. */
  newest(): number;
  /** Who has the role of the writer: another name for each time that it was given. */
  session(): string;
}

/** How a store goes on that lost positions: with another history, with what it lost, or with something else. */
export type GoesOn = 'anew' | 'again' | 'behind';

/** Positions that are gone: those behind the first, up to the second. What is written again is gone no more. */
export interface Loss {
  after: number;
  readonly through: number;
  /** Ids of the messages that were made there. */
  readonly messages: readonly number[];
}

/**
 * Watches what reaches the store, change by change: positions only grow, a session that was replaced commits nothing
 * more, and the documents are what the entries of the journal make of them.
 */
export class StoreCheck {
  /** How many commits there were, and by how many sessions. */
  commits = 0;
  readonly sessions: string[] = [];
  /** The messages that were made, by id, in order, with the text that each began with. */
  readonly createdMessages = new Map<number, string>();
  private readonly createdAt = new Map<number, number>();
  private last = 0;
  /** The newest position and message that there ever were: both are given once. */
  private newest = { position: 0, message: 0 };
  /** Told of each entry after positions were lost, until it is another one than before. */
  private goesOn: ((how: GoesOn, seq: number) => void) | null = null;
  private loss: Loss | null = null;
  /** Texts that messages begin with, by position, which are not durable yet. */
  private untold: { readonly seq: number; readonly text: string }[] = [];
  /** Whether entries are durable as soon as the store has them; otherwise `kept` says so. */
  isDurableAtOnce = true;
  /** Told of the text that a message begins with, as soon as it is durable. */
  created: (text: string) => void = () => undefined;
  /** Told of each queue, and from which position its ids count. */
  registered: (queueId: string, origin: number) => void = () => undefined;
  /** Told where another history begins although no positions were lost just before. */
  anew: (seq: number) => void = () => undefined;
  /** Entries as they are stored, by position: what is lost may be written again. */
  private readonly entries = new Map<number, string>();
  private session = '';
  /** Sessions that have committed: none of them may again once another took over. */
  private readonly committers = new Set<string>();
  /** The present session committed before another took over; nobody may use the role that it was given again. */
  private isReplaced = false;
  private readonly documents = new Map<string, Document>();
  /** Documents that entries of the present commit changed. */
  private readonly changed = new Set<string>();

  constructor(
    private readonly contents: StoreContents,
    private readonly fault: (what: string) => void,
  ) {}

  /**
   * Another server took over, with what it has. What nobody can have been told of is as if it had never been.
   * @param told the newest position that anybody can have been told of
   * @param goesOn told of the next entries, where positions were lost
   */
  failedOver(told: number, goesOn: (how: GoesOn, seq: number) => void): Loss {
    const { contents, last } = this;
    const after = contents.newest();
    const through = Math.max(after, Math.min(last, told));
    this.last = after;
    const messages: number[] = [];
    const loss = { after, through, messages };
    if (after === last && this.isDurableAtOnce) return loss;
    this.untold = this.untold.filter(({ seq }) => seq <= after);
    for (const [id, at] of this.createdAt) {
      if (at <= after) continue;
      messages.push(id);
      this.createdAt.delete(id);
      this.createdMessages.delete(id);
    }
    this.documents.clear();
    for (const key of contents.keys()) {
      const { document } = contents.document(key);
      if (document) this.documents.set(`${key.collection}:${key.id}`, document);
    }
    this.session = contents.session();
    // One that was given out in what is lost may be given out again.
    const given = this.sessions.splice(this.sessions.lastIndexOf(this.session) + 1);
    for (const session of given) this.committers.delete(session);
    this.isReplaced = false;
    if (after === through) {
      this.newest.position = after;
      this.newest.message = Math.max(0, ...this.createdMessages.keys());
    } else {
      this.goesOn = goesOn;
      this.loss = loss;
    }
    return loss;
  }

  /** Entries up to there are durable. */
  kept(position: number): void {
    const ready = this.untold.filter(({ seq }) => seq <= position);
    this.untold = this.untold.filter(({ seq }) => seq > position);
    for (const { text } of ready) this.created(text);
  }

  /** Where documents of the store differ from what its entries say; all of them. */
  differences(): string[] {
    const found: string[] = [];
    for (const name of this.documents.keys()) found.push(...this.difference(name));
    return found;
  }

  /** An entry was added to the journal. */
  entry(seq: number, stored: string): void {
    const before = this.goesOn ? this.last : this.newest.position;
    if (seq <= before) this.fault(`position ${seq} was given after ${before}`);
    this.last = seq;
    const text = unsealEntry(seq, stored);
    if (text === null) {
      this.fault(`entry ${seq} has another checksum`);
      return;
    }
    const { changes } = changesOf({ seq, text });
    const isAnother = changes.some(({ key }) => key.collection === 'history');
    if (this.goesOn) this.went(seq, stored, isAnother);
    else if (isAnother && this.newest.position > 0) this.anew(seq);
    this.newest.position = Math.max(this.newest.position, seq);
    this.entries.set(seq, stored);
    for (const change of changes) this.fold(change, seq);
  }

  /** An entry after positions were lost. */
  private went(seq: number, stored: string, isAnother: boolean): void {
    const { goesOn, newest } = this;
    const loss = this.loss!;
    const isAgain = !isAnother && this.entries.get(seq) === stored;
    if (isAgain) loss.after = seq;
    if (!isAgain || seq >= loss.through) this.goesOn = null;
    goesOn!(isAnother ? 'anew' : isAgain ? 'again' : 'behind', seq);
    // What nobody was told of may be given again.
    newest.position = seq;
    newest.message = Math.max(0, ...this.createdMessages.keys());
  }

  private fold(change: EntryChange, seq: number): void {
    const { collection, id } = change.key;
    const name = `${collection}:${id}`;
    this.changed.add(name);
    if (collection === 'message' && change.op === 'set' && !this.createdMessages.has(Number(id))) {
      this.createdMessages.set(Number(id), change.fields.content as string);
      const text = change.fields.content as string;
      if (this.isDurableAtOnce) this.created(text);
      else this.untold.push({ seq, text });
      this.createdAt.set(Number(id), seq);
      if (Number(id) <= this.newest.message) this.fault(`message ${id} was made a second time`);
      this.newest.message = Math.max(this.newest.message, Number(id));
    }
    if (collection === 'queue' && change.op === 'set' && !this.documents.has(name)) {
      this.registered(id, Number(this.documents.get('history:history')?.ids_from));
    }
    if (change.op === 'delete') this.documents.delete(name);
    else if (change.op === 'set') this.documents.set(name, change.fields);
    else this.documents.set(name, { ...this.documents.get(name), ...change.fields });
    const document = this.documents.get(name);
    const illegal = document && kinds.objection(document);
    if (illegal) this.fault(`${name}: ${illegal}`);
  }

  /** The role of the writer was given to a session. */
  began(session: string): void {
    this.session = session;
    // A request for the role that nobody waits for any more may arrive late, or be repeated for its reply.
    const isAgain = this.sessions.includes(session);
    this.isReplaced = isAgain && this.committers.has(session);
    this.sessions.push(session);
  }

  /** A document was written otherwise than an entry says: what it says must be the same as before. */
  wrote({ collection, id }: DocumentKey): void {
    this.changed.add(`${collection}:${id}`);
  }

  /** The entries and documents of a commit are all there. */
  committed(): void {
    this.commits++;
    if (this.session === '') this.fault('a commit without a session');
    if (this.isReplaced) this.fault('a session that was replaced commits again');
    this.committers.add(this.session);
    for (const name of this.changed) {
      for (const difference of this.difference(name)) this.fault(difference);
    }
    this.changed.clear();
  }

  private difference(name: string): string[] {
    const [collection = ''] = name.split(':', 1);
    const key = { collection, id: name.slice(collection.length + 1) };
    const { text, document } = this.contents.document(key);
    if (isDeepStrictEqual(document, this.documents.get(name))) return [];
    const expected = JSON.stringify(this.documents.get(name));
    return [`document ${name} is ${text}, and its entries say ${expected}`];
  }
}
