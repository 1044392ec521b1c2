import type { EventLoopYield } from '../../../turns/event-loop-yield.js';
import type { MessageAccess } from '../message-access.js';
import {
  MergedCursor,
  sizeOf,
  type Direction,
  type Source,
} from '../../state/message-index/merged-cursor.js';
import type { TextIndex } from '../../state/message-index/message-collection.js';
import type { MessageQuery } from './narrow.js';

/** Ids that the index is asked for at first, and at most, at a time. */
const FIRST_IDS = 64;
const MOST_IDS = 8192;
/** How many times as many each further time: most of those before were not for the viewer. */
const GROWTH = 4;
/** Messages among which a narrow's own lists restrict the search. */
const FEW = 2048;
/** Candidates of one search that may be looked at: some 200 ms of work, in stretches. */
const MOST_TRIED = 500_000;

/** Ids, in the order of a direction. */
export interface Slice {
  readonly ids: number[];
  /** Where to go on; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * TextCandidates asks the search index which messages may match a query. Whatever changed since the index knew it is
 * a candidate, too, so that a message is found as soon as it is there.
 */
export class TextCandidates {
  private asked = FIRST_IDS;
  private tried = 0;
  private few: Uint32Array | null | undefined;
  /** Made for the second question: at first the index is asked for a few of everybody's, which mostly does. */
  private many: Uint32Array | undefined;

  constructor(
    private readonly access: MessageAccess,
    private readonly query: MessageQuery,
    private readonly pause: EventLoopYield,
  ) {}

  private get lists(): readonly Source[] {
    return this.query.ofEverybody ?? this.query.sources();
  }

  /** Whether one search has looked at enough. */
  get isExhausted(): boolean {
    return this.tried >= MOST_TRIED;
  }

  /**
   * Candidates from `start` on that match as far as can be said without their text; null where the index doesn't
   * know that part of the history.
   */
  async slice(direction: Direction, start: number, wanted: number): Promise<Slice | null> {
    const { messages } = this.access.org;
    const { textIndex } = messages;
    const { lastId } = messages.index.columns;
    if (!textIndex || this.lists.length === 0) return null;
    const { coveredFrom } = textIndex;
    const from = direction === 'down' ? Math.min(start, lastId) : start;
    if (from < coveredFrom) return null;
    const to = direction === 'down' ? coveredFrom : lastId;
    if (direction === 'up' && from > to) return { ids: [], next: undefined };
    const answer = await this.ask(textIndex, direction, from, to, wanted);
    if (!answer) return null;
    const ids: number[] = [];
    for (const [i, id] of answer.ids.entries()) {
      if (this.query.matches(id)) ids.push(id);
      if (i % this.query.testedAtOnce === 0 && this.pause.isDue) await this.pause.take();
    }
    this.tried += answer.ids.length;
    const end = direction === 'down' && coveredFrom > 0 ? coveredFrom - 1 : undefined;
    return { ids, next: answer.next ?? end };
  }

  /** What the index finds and what changed meanwhile; null where it cannot be asked. */
  private async ask(
    index: TextIndex,
    direction: Direction,
    from: number,
    to: number,
    wanted: number,
  ): Promise<Slice | null> {
    const { clauses, manyRecipients, senders } = this.query.text!;
    const isFirst = this.asked === FIRST_IDS;
    if (!isFirst) this.many ??= manyRecipients?.();
    const recipients = this.query.text!.recipients ?? this.many;
    const isUp = direction === 'up';
    // Before the index is asked: its answer has what is added to it meanwhile.
    const changed = isUp ? index.changedBetween(from, to) : index.changedBetween(to, from);
    const limit = Math.min(MOST_IDS, Math.max(this.asked, wanted));
    this.asked = Math.min(MOST_IDS, limit * GROWTH);
    const ids = this.fewIds();
    try {
      const places = { recipients, senders, ids: ids ?? undefined };
      const found = await index.find({ clauses, direction, from, to, limit, ...places });
      const reached = found.next ?? (isUp ? to + 1 : to - 1);
      const late = changed.filter((id) => (isUp ? id < reached : id > reached));
      const all = late.length === 0 ? [...found.ids] : [...new Set([...found.ids, ...late])];
      if (late.length > 0) all.sort((a, b) => (isUp ? a - b : b - a));
      return { ids: all, next: found.next };
    } catch {
      return null;
    }
  }

  /** All messages that the narrow's own lists have, where they are few. */
  private fewIds(): Uint32Array | null {
    if (this.few !== undefined) return this.few;
    if (sizeOf(this.lists) > FEW) return (this.few = null);
    const ids: number[] = [];
    const cursor = new MergedCursor(this.lists, 'up', 0);
    for (let id = cursor.next(); id !== undefined; id = cursor.next()) ids.push(id);
    return (this.few = Uint32Array.from(ids));
  }
}
