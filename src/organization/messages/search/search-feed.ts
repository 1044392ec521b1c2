import { pause as pauseFor, setTimeout, clearTimeout } from '../../../platform/timers.js';
import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import { endOf, positionOf, readFollowedEntry } from '../../../journal/entry-reading.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type {
  FedIndex,
  IndexAnswer,
  IndexQuery,
  OpenedIndex,
} from '../../../services/search-index/protocol.js';
import { BATCH, bringOlder } from './older-messages.js';
import type { SearchFeedOptions } from './search-feed-options.js';
import type { TextIndex } from '../../state/message-index/message-collection.js';

/**
 * Changes are collected for so long, or until they are so many: a message that is brought alone costs half a
 * millisecond of processor, and a search looks through the few that were not brought. Milliseconds.
 */
const COLLECTING_MS = 1000;
const ENOUGH = 100;
/** However many come, they are collected for so long, so that a busy server brings hundreds at a time. Milliseconds. */
const SHORTEST_MS = 100;
/** Fewer messages are searched by reading them: as many as are read anyway beside an index that waits for changes. */
const FEWEST = ENOUGH;
/** Journal entries read at a time. */
const ENTRIES = 500;
/** Positions after which an index without changes gets the journal's position. */
const SILENT_POSITIONS = 10_000;
/** Pause before the index is opened again after it ended; doubles up to the longest. Milliseconds. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** The history of a store from before histories had names. */
export const FIRST_HISTORY = 'first';

/** A message that changed since the index knew it. */
interface Change {
  /** Positions of the first and the newest change, at least. */
  readonly first: number;
  readonly newest: number;
}

/**
 * SearchFeed keeps the search index as new as the organization in memory, a second behind at most: what changed is
 * remembered when it changes, and brought to the index when it is durable. An index that is there at a start gets what
 * the journal has since its position; one that is missing, or of another history, gets all messages, the newest first.
 * While there are few messages there is no index, and none of its thread.
 * Life cycle: `start`, then `stop`.
 */
export class SearchFeed implements TextIndex {
  private readonly changes = new Map<number, Change>();
  private readonly ending = new AbortController();
  private running: Promise<void> | null = null;
  private index: FedIndex | null = null;
  private failure: Error | null = null;
  private covered = Infinity;
  private position = 0;
  private indexed = 0;
  private wake: () => void = () => undefined;
  /** How many changes end the wait for more. */
  private awaited = 1;

  constructor(private readonly options: SearchFeedOptions) {
    options.runtime.org.messages.textIndex = this;
  }

  get coveredFrom(): number {
    return this.index ? this.covered : Infinity;
  }

  /** Journal entries that the index may lack, and messages that it was brought. */
  figures(): { lag: number; indexed: number } {
    const { seq } = this.options.runtime.journal.durableHead;
    const isWhole = !this.isWorthIt || this.changes.size === 0;
    return { lag: isWhole ? 0 : seq - this.position, indexed: this.indexed };
  }

  /** Begins; called once the organization is loaded and the history is settled. Idempotent. */
  start(): void {
    this.running ??= this.run();
  }

  /** Ends in good order. Idempotent. */
  async stop(): Promise<void> {
    this.options.runtime.org.messages.textIndex = null;
    this.ending.abort();
    this.wake();
    await this.running;
  }

  /** Resolves when the index has everything that is durable now; for tests. */
  async caughtUp(): Promise<void> {
    while (!this.index || this.changes.size > 0 || this.hasOlder) {
      if (this.isEnding) return;
      await pauseFor(1);
    }
  }

  changed(ids: readonly number[]): void {
    if (ids.length === 0) return;
    const newest = this.options.runtime.journal.nextSeq;
    const fresh = { first: newest, newest };
    for (const id of ids) {
      const before = this.changes.get(id);
      this.changes.set(id, before ? { first: before.first, newest } : fresh);
    }
    if (this.changes.size >= this.awaited) this.wake();
  }

  changedBetween(lowest: number, highest: number): number[] {
    if (this.changes.size === 0) return [];
    return [...this.changes.keys()].filter((id) => id >= lowest && id <= highest);
  }

  find(query: IndexQuery): Promise<IndexAnswer> {
    if (!this.index) return Promise.reject(new Error('There is no search index now'));
    return this.index.find(query);
  }

  private get isEnding(): boolean {
    return this.ending.signal.aborted;
  }

  private get messages() {
    return this.options.runtime.org.messages;
  }

  /** Whether there are messages that the index was never brought. */
  private get hasOlder(): boolean {
    return this.messages.index.columns.idsBelow(this.covered, 1).length > 0;
  }

  /** Whether an index spares work. */
  private get isWorthIt(): boolean {
    const fewest = this.options.fewest ?? FEWEST;
    return this.index !== null || Math.max(this.messages.index.size, this.changes.size) >= fewest;
  }

  private async run(): Promise<void> {
    while (!this.isWorthIt && !this.isEnding) await this.untilChanged(this.changes.size + 1);
    for (
      let pause = FIRST_PAUSE_MS;
      !this.isEnding;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      const before = this.indexed;
      try {
        await this.runOnce();
      } catch (error) {
        if (this.isEnding) return;
        this.options.onError(error);
      }
      this.index = null;
      if (this.indexed > before) pause = FIRST_PAUSE_MS;
      await this.wait(pause);
    }
  }

  private async runOnce(): Promise<void> {
    this.failure = null;
    const { index, state } = await this.options.open((error) => {
      this.failure = error;
      this.index = null;
      this.wake();
    });
    try {
      await this.begin(index, state);
      this.index = index;
      while (!this.isEnding) {
        if (this.failure !== null) throw this.failure as Error;
        await this.bring(index);
      }
    } finally {
      this.index = null;
      await index.close();
    }
  }

  /** Goes on from the index's position, or from nothing. */
  private async begin(index: FedIndex, state: OpenedIndex): Promise<void> {
    const { org } = this.options.runtime;
    const history = org.history.current?.id ?? FIRST_HISTORY;
    this.position = state.position;
    this.covered = state.coveredFrom;
    const why = await this.unfitness(state, history);
    if (why === null) return;
    if (why !== '') this.options.onAnew(why, state.problem !== null);
    this.covered = this.messages.index.columns.lastId + 1;
    this.position = this.options.runtime.journal.durableHead.seq;
    await index.reset({ history, position: this.position, coveredFrom: this.covered });
  }

  /** Why an index cannot be gone on with, as a phrase after "it"; empty where there is none, null where it can. */
  private async unfitness(state: OpenedIndex, history: string): Promise<string | null> {
    if (state.problem !== null) return `was damaged: ${state.problem}`;
    if (state.history === null) return '';
    if (state.history !== history) return 'is of another history';
    if (!(await this.recall(state.position))) return 'is too old for the journal';
    return this.hasAll(state) ? null : 'has other messages than there are';
  }

  /** Whether the index can have what is there: a tool may have written messages past the journal. */
  private hasAll({ coveredFrom, messages, lastId }: OpenedIndex): boolean {
    const { columns, size } = this.messages.index;
    const newest = columns
      .idsBelow(columns.lastId + 1, this.changes.size + 1)
      .find((id) => !this.changes.has(id));
    if (newest !== undefined && newest >= coveredFrom && newest > lastId) return false;
    return coveredFrom > 0 || Math.abs(size - messages) <= this.changes.size;
  }

  /** Remembers what changed after a position, the last one of an entry; false where the journal lacks some of it. */
  private async recall(position: number): Promise<boolean> {
    const { store } = this.options;
    const head = this.options.runtime.journal.durableHead.seq;
    if (position > head || ((await store.firstSeq()) ?? Infinity) > position) return false;
    const [known] = await store.readJournal(position, position, 1);
    let next = known ? endOf(positionOf(known)) : position + 1;
    const pause = new EventLoopYield();
    while (next <= head && !this.isEnding) {
      const entries = await store.readJournal(next, head, ENTRIES);
      if (entries.length === 0) return false;
      for (const stored of entries) {
        const entry = readFollowedEntry(stored);
        if (!entry || stored.seq !== next) return false;
        next = endOf(entry.position);
        for (const { key } of entry.changes) {
          if (key.collection !== this.messages.name) continue;
          const id = Number(key.id);
          const newest = Math.max(stored.seq, this.changes.get(id)?.newest ?? 0);
          this.changes.set(id, { first: position + 1, newest });
        }
        if (pause.isDue) await pause.take();
      }
      await this.wait(0);
    }
    return true;
  }

  /** Brings something to the index, or waits. */
  private async bring(index: FedIndex): Promise<void> {
    if (await this.bringChanges(index)) return;
    // Many changes that are not durable come first, and must be waited for: not in one turn of the event loop.
    if (this.hasOlder && this.changes.size < ENOUGH) return this.bringOlder(index);
    const head = this.options.runtime.journal.durableHead.seq;
    if (this.changes.size === 0 && head - this.position > SILENT_POSITIONS) {
      await this.apply(index, [], []);
    }
    const longest = this.options.collectingMs ?? COLLECTING_MS;
    const shortest = Math.min(longest, SHORTEST_MS);
    await this.untilChanged(1);
    await this.wait(shortest);
    await this.untilChanged(ENOUGH, longest - shortest);
  }

  /** Resolves when so many messages have changed, after a time, or at the end. */
  private async untilChanged(count: number, ms = Infinity): Promise<void> {
    if (this.changes.size >= count || ms === 0 || this.isEnding) return;
    await new Promise<void>((resolve) => {
      const timer = ms < Infinity ? setTimeout(resolve, ms).unref() : undefined;
      this.awaited = count;
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = () => undefined;
  }

  /** @returns whether there were any that are durable */
  private async bringChanges(index: FedIndex): Promise<boolean> {
    const { durableHead, pending } = this.options.runtime.journal;
    const brought = new Map<number, Change>();
    for (const [id, change] of this.changes) {
      // What was taken back has no entry.
      if (change.newest <= durableHead.seq || pending === 0) brought.set(id, change);
      if (brought.size === BATCH) break;
    }
    if (brought.size === 0) return false;
    const documents = await this.documents([...brought.keys()]);
    // What changed meanwhile may not be durable.
    for (const [id, change] of brought) if (this.changes.get(id) !== change) brought.delete(id);
    const found = documents.filter(({ id }) => brought.has(id));
    const removed = new Set(brought.keys());
    for (const { id } of found) removed.delete(id);
    await this.apply(index, found, [...removed], brought, durableHead.seq);
    for (const [id, change] of brought)
      if (this.changes.get(id) === change) this.changes.delete(id);
    return true;
  }

  private bringOlder(index: FedIndex): Promise<void> {
    return bringOlder(this.covered, {
      columns: this.messages.index.columns,
      documents: (ids) => this.documents(ids),
      give: (documents, lowest) => this.bringBatch(index, documents, lowest),
      wait: (ms) => this.wait(ms),
      isOver: () => this.isEnding || this.failure !== null || this.changes.size >= ENOUGH,
    });
  }

  private async bringBatch(
    index: FedIndex,
    documents: readonly MessageDocument[],
    lowest: number,
  ): Promise<void> {
    // What changed meanwhile is brought when it is durable.
    const found = documents.filter(({ id }) => !this.changes.has(id));
    // The index has it before it is asked anything else.
    this.covered = Math.min(this.covered, lowest);
    await this.apply(index, found, []);
  }

  /** @param brought the changes that come with it */
  private async apply(
    index: FedIndex,
    documents: readonly MessageDocument[],
    removed: readonly number[],
    brought: ReadonlyMap<number, Change> = new Map(),
    head = this.options.runtime.journal.durableHead.seq,
  ): Promise<void> {
    let position = head;
    for (const [id, { first }] of this.changes) {
      if (first <= position && !brought.has(id)) position = first - 1;
    }
    this.position = Math.max(this.position, position);
    await index.apply({
      documents: documents.map(({ id, recipient_id, sender_id, topic, rendered_content }) => {
        return { id, recipient_id, sender_id, topic, rendered_content };
      }),
      removed,
      position: this.position,
      coveredFrom: this.covered,
    });
    this.indexed += documents.length;
  }

  /** Documents of the messages that exist and can be read. */
  private async documents(ids: readonly number[]): Promise<MessageDocument[]> {
    return [...(await this.messages.fetch(ids, false)).values()];
  }

  /** Ends early at the end. */
  private async wait(ms: number): Promise<void> {
    await pauseFor(ms, undefined, { signal: this.ending.signal, ref: false }).catch(() => null);
  }
}
