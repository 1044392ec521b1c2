import { serviceUnavailable } from '../../../errors/index.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { LARGEST_ANCHOR } from '../../../../schemas/limits.js';
import { monotonicTime } from '../../../platform/time.js';
import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import { MessageAccess } from '../message-access.js';
import type { MessageQuery } from './narrow.js';
import { MergedCursor, type Direction } from '../../state/message-index/merged-cursor.js';
import { TextCandidates, type Slice } from './text-candidates.js';

/** Ids that a text search collects at a time; each part starts a new cursor. */
const TEXT_IDS = 500;
/** Messages of everybody that are tested in vain, some 0.2 ms, and for how many of them a match makes up. */
const TRIED_IN_VAIN = 512;
const TRIED_PER_MATCH = 16;
/** Documents read at a time: long ones take about 5 ms to parse. */
const DOCUMENT_BATCH = 32;
/** Documents that a text search reads per request once it has found something; then it replies with that. */
export const MAX_SEARCHED = 100_000;
/** Documents that a text search reads before it replies that it found nothing so far. */
const MAX_SEARCHED_IN_VAIN = 1_000_000;
/**
 * How long a text search reads documents, milliseconds: while the index is built, a word that is rare or absent would
 * have all of them read, which takes a minute for a million. Clients wait for 15 s and more.
 */
const MAX_SEARCH_MS = 3000;

/** A request for a page. */
export interface MessagePageRequest {
  /** A message id; 0 means oldest, `LARGEST_ANCHOR` newest. */
  readonly anchor: number;
  readonly includeAnchor: boolean;
  readonly before: number;
  readonly after: number;
}

/** Text of messages from which on a page counts as large, UTF-16 units. */
const LARGE_LENGTH = 128 * 1024;

/** Bound of a page's text; a page has at least one message on each side that has one. */
export interface PageBudget {
  readonly total: number;
  lengthOf(message: MessageDocument): number;
  /** How long a text search may read, milliseconds; absent: `MAX_SEARCH_MS`. */
  readonly searchMs?: number;
  /** Resolves when a large page may be read; absent: at once. @throws ApiError when it may not */
  large?(): Promise<void>;
}

/** Messages around an anchor, ascending. */
interface MessagePage {
  readonly messages: readonly MessageDocument[];
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
  /** The anchor that continues a search that has found nothing so far; else undefined. */
  readonly continueAt: number | undefined;
}

/** Like a page, with ids only. */
export interface IdPage {
  readonly ids: readonly number[];
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** Matches on one side of the anchor, in the order of the cursor. */
interface Side<T> {
  readonly found: readonly T[];
  /** Whether all of that side was scanned. */
  readonly complete: boolean;
  /** Where to go on; undefined at the end. */
  readonly next: number | undefined;
}

const NOT_ASKED: Side<never> = { found: [], complete: false, next: undefined };

const UNLIMITED: PageBudget = { total: Infinity, lengthOf: () => 0 };

/**
 * PageReader reads pages of one query and yields to the event loop in between. It costs what lies between
 * the anchor and the ends of the page. A page that is cut, because of its length or a long search, does not
 * claim to have found the end, and the next page continues from its last message.
 */
export class PageReader {
  private readonly pause: EventLoopYield;
  /** Messages tested in vain; matches make up for some. Where there are too many, only the query's own lists serve. */
  private inVain = 0;
  private isRare = false;
  private searched = 0;
  private readonly began = monotonicTime();
  /** Length of the texts of the documents that matched so far. */
  private length = 0;
  private isLarge = false;
  private candidates: TextCandidates | undefined;

  constructor(
    private readonly access: MessageAccess,
    private readonly query: MessageQuery,
    private readonly budget: PageBudget = UNLIMITED,
  ) {
    this.pause = EventLoopYield.of(access.org.accountOf(access.user.user_id));
  }

  /** The messages around an anchor (endpoints-messages.md#read-messages, Selection). */
  async page(request: MessagePageRequest): Promise<MessagePage> {
    const { total } = this.budget;
    const half = request.before > 0 && request.after > 0 ? total / 2 : total;
    const side = (direction: Direction, start: number, count: number) =>
      this.messages(direction, start, count, half);
    const { before, exact, after, foundOldest, foundNewest } = await this.around(request, side);
    const inVain = [before, after].find((one) => one.next !== undefined && one.found.length === 0);
    return {
      messages: this.stillVisible([...before.found].reverse().concat(exact, after.found)),
      foundAnchor: exact.length > 0,
      foundOldest,
      foundNewest,
      continueAt: inVain && (inVain === before ? inVain.next! + 1 : inVain.next! - 1),
    };
  }

  /**
   * Like `page`, without documents except those that a text search must test.
   * @throws ApiError 503 where a text search has found nothing in its time: nothing would say where to go on
   */
  async idPage(request: MessagePageRequest): Promise<IdPage> {
    const side = (direction: Direction, start: number, count: number) =>
      this.query.text
        ? this.search(direction, start, count, ({ id }) => id)
        : this.indexed(direction, start, count);
    const { before, exact, after, ...found } = await this.around(request, side);
    if ([before, after].some((one) => one.next !== undefined && one.found.length === 0)) {
      throw serviceUnavailable('The search takes too long');
    }
    const anchor = exact.map(({ id }) => id);
    return { ids: [...[...before.found].reverse(), ...anchor, ...after.found], ...found };
  }

  /** The first match at or after an id, or undefined. */
  async first(from: number): Promise<MessageDocument | undefined> {
    return (await this.messages('up', from, 1, Infinity)).found[0];
  }

  /**
   * The matching ones among some messages, ascending.
   * @returns null where they are longer than the budget
   */
  async among(ids: readonly number[]): Promise<MessageDocument[] | null> {
    const matching: number[] = [];
    for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
      if (this.query.matches(id)) matching.push(id);
      if (this.pause.isDue) await this.pause.take();
    }
    const messages: MessageDocument[] = [];
    let length = 0;
    for (let i = 0; i < matching.length; i += DOCUMENT_BATCH) {
      for (const message of await this.pageDocuments(matching.slice(i, i + DOCUMENT_BATCH))) {
        length += this.budget.lengthOf(message);
        if (length > this.budget.total) return null;
        messages.push(message);
      }
    }
    return this.stillVisible(messages);
  }

  private async around<T>(
    { anchor, includeAnchor, before, after }: MessagePageRequest,
    side: (direction: Direction, start: number, count: number) => Promise<Side<T>>,
  ) {
    const right = anchor >= LARGEST_ANCHOR;
    const left = anchor <= 0;
    const below: Side<T> = left ? NOT_ASKED : await side('down', anchor - 1, before);
    const exact = left || right || !includeAnchor ? [] : await this.exactly(anchor);
    const above: Side<T> = right ? NOT_ASKED : await side('up', anchor + 1, after);
    const { lastId } = this.access.org.messages.index.columns;
    return {
      before: below,
      exact,
      after: above,
      foundOldest: left || (below.complete && below.found.length < before),
      foundNewest: right || anchor >= lastId || (above.complete && above.found.length < after),
    };
  }

  private exactly(id: number): Promise<MessageDocument[]> {
    return this.query.matches(id) ? this.documents([id]) : Promise.resolve([]);
  }

  private async messages(
    direction: Direction,
    start: number,
    count: number,
    maxLength: number,
  ): Promise<Side<MessageDocument>> {
    let length = 0;
    const fits = (message: MessageDocument, isFirst: boolean): boolean =>
      (length += this.budget.lengthOf(message)) <= maxLength || isFirst;
    if (this.query.text) return this.search(direction, start, count, (one) => one, fits);
    const { found: ids, complete } = await this.indexed(direction, start, count);
    const messages: MessageDocument[] = [];
    for (let i = 0; i < ids.length; i += DOCUMENT_BATCH) {
      for (const message of await this.pageDocuments(ids.slice(i, i + DOCUMENT_BATCH))) {
        if (!fits(message, messages.length === 0)) {
          return { found: messages, complete: false, next: message.id };
        }
        messages.push(message);
      }
    }
    return { found: messages, complete, next: undefined };
  }

  /** Results of a query that the index alone decides. */
  private async indexed(direction: Direction, start: number, count: number): Promise<Side<number>> {
    const ids: number[] = [];
    let next: number | undefined = start;
    while (next !== undefined && ids.length < count) {
      const slice = this.slice(direction, next, count - ids.length);
      next = slice.next;
      for (const id of slice.ids) ids.push(id);
      if (this.pause.isDue) await this.pause.take();
    }
    return { found: ids, complete: next === undefined || count === 0, next: undefined };
  }

  /** Results of a query that tests the documents. */
  private async search<T>(
    direction: Direction,
    start: number,
    count: number,
    keep: (message: MessageDocument) => T,
    fits: (message: MessageDocument, isFirst: boolean) => boolean = () => true,
  ): Promise<Side<T>> {
    const found: T[] = [];
    if (count === 0) return { found, complete: true, next: undefined };
    let next: number | undefined = start;
    this.candidates ??= new TextCandidates(this.access, this.query, this.pause);
    while (next !== undefined) {
      const slice: Slice =
        (await this.candidates.slice(direction, next, count)) ??
        this.slice(direction, next, TEXT_IDS);
      for (let i = 0; i < slice.ids.length; i += DOCUMENT_BATCH) {
        const ids = slice.ids.slice(i, i + DOCUMENT_BATCH);
        const most = found.length > 0 ? MAX_SEARCHED : MAX_SEARCHED_IN_VAIN;
        if (this.searched >= most || (this.searched > 0 && this.isLate)) {
          return { found, complete: false, next: ids[0] };
        }
        this.searched += ids.length;
        for (const message of await this.pageDocuments(ids, false)) {
          if (!fits(message, found.length === 0)) {
            return { found, complete: false, next: message.id };
          }
          found.push(keep(message));
          if (found.length === count) return { found, complete: false, next: undefined };
        }
      }
      next = slice.next;
      if (next !== undefined && (this.candidates.isExhausted || this.isLate))
        return { found, complete: false, next };
      if (this.pause.isDue) await this.pause.take();
    }
    return { found, complete: true, next: undefined };
  }

  private get isLate(): boolean {
    return monotonicTime() - this.began > (this.budget.searchMs ?? MAX_SEARCH_MS);
  }

  /** Ids that match according to the index; ends early when the time slice is over. */
  private slice(direction: Direction, start: number, wanted: number): Slice {
    const { ofEverybody } = this.query;
    const tries = ofEverybody !== null && !this.isRare;
    const lists = tries ? ofEverybody : this.query.sources();
    const cursor = new MergedCursor(lists, direction, start);
    const step = direction === 'up' ? 1 : -1;
    const ids: number[] = [];
    for (let tried = 1; ; tried++) {
      const id = cursor.next();
      if (id === undefined) return { ids, next: undefined };
      if (this.query.matches(id)) {
        ids.push(id);
        this.inVain = Math.max(0, this.inVain - TRIED_PER_MATCH);
      } else this.inVain += 1;
      if (ids.length >= wanted) return { ids, next: id + step };
      if (tries && this.inVain >= TRIED_IN_VAIN) {
        this.isRare = true;
        return { ids, next: id + step };
      }
      if (tried % this.query.testedAtOnce === 0 && this.pause.isDue)
        return { ids, next: id + step };
    }
  }

  /** As `documents`, for a page: once it is large it waits for its turn, and meanwhile has none of them in memory. */
  private async pageDocuments(ids: readonly number[], cached = true): Promise<MessageDocument[]> {
    const documents = await this.documents(ids, cached);
    if (this.isLarge || !this.budget.large) return documents;
    for (const { content, rendered_content } of documents) {
      this.length += content.length + rendered_content.length;
    }
    if (this.length <= LARGE_LENGTH) return documents;
    this.isLarge = true;
    documents.length = 0;
    await this.budget.large();
    return this.documents(ids, cached);
  }

  /**
   * Documents of ids that match according to the index and whose text matches, in the same order.
   * @param cached false where they are only searched
   */
  private async documents(ids: readonly number[], cached = true): Promise<MessageDocument[]> {
    const { messages } = this.access.org;
    const read = messages.inMemory(ids) ?? (await messages.fetch(ids, cached));
    if (this.pause.isDue) await this.pause.take();
    const documents: MessageDocument[] = [];
    for (const id of ids) {
      const message = read.get(id);
      if (!message || (this.query.text && !this.query.matchesText(message))) continue;
      documents.push(message);
      if (this.query.text && this.pause.isDue) await this.pause.take();
    }
    return documents;
  }

  /** Removes messages that the user may no longer see because they were moved while documents were read. */
  private stillVisible(messages: MessageDocument[]): MessageDocument[] {
    const access = new MessageAccess(this.access.org, this.access.user);
    return messages.filter((message) => access.canSee(message.id));
  }
}
