import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessageDocument } from '../../../schemas/documents/message.js';
import { LARGEST_ANCHOR } from '../../../schemas/limits.js';
import { MessageAccess } from './access.js';
import type { MessageQuery } from './narrow.js';
import { MergedWalk, type Direction } from './walk.js';

/** Messages a request looks at before others get a turn. */
const SLICE = 50_000;
/** Documents a text search reads at once. */
const TEXT_BATCH = 500;
/** Documents a text search may read per request; beyond, it answers with what it has. */
export const MAX_SEARCHED = 100_000;

/** What a page is asked for. */
export interface PageRequest {
  /** A message id; 0 means oldest, `LARGEST_ANCHOR` newest. */
  readonly anchor: number;
  readonly includeAnchor: boolean;
  readonly before: number;
  readonly after: number;
}

/** Messages around an anchor, ascending. */
export interface Page {
  readonly messages: readonly MessageDocument[];
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** As a page, of ids alone. */
export interface IdPage {
  readonly ids: readonly number[];
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

interface Side {
  /** In walking order. */
  readonly messages: MessageDocument[];
  /** Whether all of that side was looked at. */
  readonly complete: boolean;
}

const NOTHING: Side = { messages: [], complete: false };

interface IdSide {
  /** In walking order. */
  readonly ids: readonly number[];
  readonly complete: boolean;
}

const NO_IDS_THERE: IdSide = { ids: [], complete: false };

interface Slice {
  readonly ids: number[];
  /** Where to go on; undefined at the end. */
  readonly next: number | undefined;
}

/** Reads pages of one query. Costs what lies between the anchor and the ends of the page. */
export class PageReader {
  private searchBudget = MAX_SEARCHED;

  constructor(
    private readonly access: MessageAccess,
    private readonly query: MessageQuery,
  ) {}

  /** The messages around an anchor (endpoints.md section B.3, Selection). */
  async page(request: PageRequest): Promise<Page> {
    const { anchor } = request;
    const right = anchor >= LARGEST_ANCHOR;
    const left = anchor <= 0;
    const before = left ? NOTHING : await this.side('down', anchor - 1, request.before);
    const exact = left || right || !request.includeAnchor ? [] : await this.exactly(anchor);
    const after = right ? NOTHING : await this.side('up', anchor + 1, request.after);
    const { lastId } = this.access.org.messages.index.columns;
    return {
      messages: this.stillVisible([...before.messages.reverse(), ...exact, ...after.messages]),
      foundAnchor: exact.length > 0,
      foundOldest: left || (before.complete && before.messages.length < request.before),
      foundNewest:
        right || anchor >= lastId || (after.complete && after.messages.length < request.after),
    };
  }

  /** As `page`, without documents but for those that a text search has to ask. */
  async idPage(request: PageRequest): Promise<IdPage> {
    const { anchor } = request;
    const right = anchor >= LARGEST_ANCHOR;
    const left = anchor <= 0;
    const before = left ? NO_IDS_THERE : await this.idSide('down', anchor - 1, request.before);
    const exact = left || right || !request.includeAnchor ? [] : await this.exactly(anchor);
    const after = right ? NO_IDS_THERE : await this.idSide('up', anchor + 1, request.after);
    const { lastId } = this.access.org.messages.index.columns;
    return {
      ids: [...[...before.ids].reverse(), ...exact.map(({ id }) => id), ...after.ids],
      foundOldest: left || (before.complete && before.ids.length < request.before),
      foundNewest:
        right || anchor >= lastId || (after.complete && after.ids.length < request.after),
    };
  }

  /** The first match at or after an id, or undefined. */
  async first(from: number): Promise<MessageDocument | undefined> {
    return (await this.side('up', from, 1)).messages[0];
  }

  /** Those of the messages that match, ascending. */
  async among(ids: readonly number[]): Promise<MessageDocument[]> {
    const matching = [...new Set(ids)].filter((id) => this.query.matches(id)).sort((a, b) => a - b);
    return this.stillVisible(await this.documents(matching));
  }

  private async idSide(direction: Direction, start: number, count: number): Promise<IdSide> {
    if (this.query.needsText) {
      const { messages, complete } = await this.side(direction, start, count);
      return { ids: messages.map(({ id }) => id), complete };
    }
    if (count === 0) return { ids: [], complete: true };
    return this.found(direction, start, count);
  }

  /** Ids of a query that the index alone decides. */
  private async found(direction: Direction, start: number, count: number): Promise<IdSide> {
    const ids: number[] = [];
    let from: number | undefined = start;
    while (from !== undefined && ids.length < count) {
      const slice = this.slice(direction, from, count - ids.length);
      from = slice.next;
      ids.push(...slice.ids);
      if (from !== undefined && ids.length < count) await nextTurn();
    }
    return { ids, complete: from === undefined };
  }

  private exactly(id: number): Promise<MessageDocument[]> {
    return this.query.matches(id) ? this.documents([id]) : Promise.resolve([]);
  }

  private async side(direction: Direction, start: number, count: number): Promise<Side> {
    if (count === 0) return { messages: [], complete: true };
    if (!this.query.needsText) {
      const { ids, complete } = await this.found(direction, start, count);
      return { messages: await this.documents(ids), complete };
    }
    const messages: MessageDocument[] = [];
    let from: number | undefined = start;
    while (from !== undefined && messages.length < count) {
      const slice = this.slice(direction, from, TEXT_BATCH);
      from = slice.next;
      if (slice.ids.length > this.searchBudget) return { messages, complete: false };
      this.searchBudget -= slice.ids.length;
      messages.push(...(await this.documents(slice.ids)));
    }
    if (messages.length > count) messages.length = count;
    return { messages, complete: from === undefined };
  }

  /** Ids that match as far as the index knows; looks at a bounded number of candidates. */
  private slice(direction: Direction, start: number, wanted: number): Slice {
    const walk = new MergedWalk(this.query.sources, direction, start);
    const step = direction === 'up' ? 1 : -1;
    const ids: number[] = [];
    for (let looked = 0; ; looked++) {
      const id = walk.next();
      if (id === undefined) return { ids, next: undefined };
      if (looked >= SLICE) return { ids, next: id };
      if (this.query.matches(id)) ids.push(id);
      if (ids.length >= wanted) return { ids, next: id + step };
    }
  }

  /** Documents of ids that match as far as the index knows and whose text matches, in the same order. */
  private async documents(ids: readonly number[]): Promise<MessageDocument[]> {
    const found = await this.access.org.messages.fetch(ids);
    const documents = ids.flatMap((id) => found.get(id) ?? []);
    return this.query.needsText
      ? documents.filter((message) => this.query.matchesText(message))
      : documents;
  }

  /** What was moved out of sight while documents were read must not be shown. */
  private stillVisible(messages: MessageDocument[]): MessageDocument[] {
    const access = new MessageAccess(this.access.org, this.access.user);
    return messages.filter((message) => access.canSee(message.id));
  }
}
