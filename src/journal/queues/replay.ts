import { LRUCache } from 'lru-cache';
import { badEventQueueId } from '../../errors/index.js';
import type { Store } from '../../store/port.js';
import { type EventIds, excludes, includes, type Membership, type Position } from '../entry.js';
import { readEntry, type ReplayedEntry } from '../entry-reading.js';
import { type EventQueue, type QueueLimits, type EventText } from './event-queue.js';
import { SharedEvent } from './delivery.js';
import type { EventRenderers } from '../renderers/event-renderer.js';
import { isAllPublic } from './queue-filter.js';
import { onceSettled } from '../../turns/background.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';

/** Positions per cached block of the journal. */
const BLOCK = 256;
/** Entries that are read first of a block: how long they are is known afterwards. */
const FIRST_READ = 16;
/** Text of entries that is read at a time, UTF-16 units: their checksums take two milliseconds, which nothing divides. */
const READ_TEXT = 128 * 1024;
/**
 * Decoded blocks kept, so that the journal is decoded once for a hundred thousand queues that are restored
 * together.
 */
const MAX_BLOCKS = 64;
/**
 * Length of the entries in all cached blocks, UTF-16 units; decoded and serialized they take a few times
 * that.
 */
const MAX_CACHED_TEXT = 32 * 1024 * 1024;

/** The events of `BLOCK` positions; replaced by a longer block while the journal grows. */
interface Block {
  /** The journal was read up to here, inclusive. */
  readonly through: number;
  /** Position of the first entry; infinite where there is none. */
  readonly first: number;
  /** Where the entry after the last one must begin; null where there is none. */
  readonly end: number | null;
  /** Entries before this position are missing or damaged; 0 where none is. */
  readonly brokenBefore: number;
  readonly events: readonly SharedEvent[];
  /** Length of the entries' texts. */
  readonly size: number;
}

interface CachedBlock {
  /** The `through` of `block` once it is read. */
  readonly through: number;
  readonly block: Promise<Block>;
}

/** Replay restores queues from the journal after a restart or a change of the leader. */
export class Replay {
  private readonly blocks = new LRUCache<number, CachedBlock>({
    max: MAX_BLOCKS,
    maxSize: MAX_CACHED_TEXT,
  });

  constructor(
    private readonly options: {
      readonly store: Store;
      readonly renderers: EventRenderers;
      readonly membership: Membership;
      readonly ids: EventIds;
      readonly limits: QueueLimits;
      /** The newest durable entry. */
      readonly head: () => Position;
      /** Called with an entry that cannot be read, each time it is tried. */
      readonly onDamage: (seq: number) => void;
      /** Guests: they do not see public channels that they are not subscribed to. */
      readonly guests?: ReadonlySet<number>;
    },
  ) {}

  /** Ids of events and cursors. */
  get ids(): EventIds {
    return this.options.ids;
  }

  /**
   * Fills a queue with the events that its client has not acknowledged and makes it live.
   *
   * @param cursor newest id the client has received, or -1 for everything since the registration
   * @throws ApiError `BAD_EVENT_QUEUE_ID` when the journal no longer reaches back that far, the cursor is
   *   from another journal, a needed entry is damaged or missing, or the events exceed the bounds of a
   *   queue
   */
  async restore(queue: EventQueue, cursor: number): Promise<void> {
    const { head, ids } = this.options;
    const seen = Math.max(cursor, queue.acknowledgedId);
    if (seen >= ids.endOf(head())) throw badEventQueueId(queue.queueId);
    const from = Math.max(ids.seqOf(seen + 1), queue.since + 1);
    // Nothing is read for a client that has everything.
    if (ids.at(from) < ids.endOf(head())) await this.read(queue, seen, from);
    else this.fill(queue, seen, []);
  }

  /**
   * Makes a queue live with the events of all durable entries. The caller has read them up to the head and has awaited
   * nothing since: an entry that becomes durable in between is delivered to live queues only.
   */
  private fill(queue: EventQueue, seen: number, texts: EventText[]): void {
    const { ids, head } = this.options;
    // The client may have received any id before the next entry's as a heartbeat.
    if (queue.needsReplay) queue.replayed(texts, seen, ids.endOf(head()) - 1);
  }

  /** Fills a queue with the events behind an id, from the entry that covers a position. @throws as `restore` */
  private async read(queue: EventQueue, seen: number, from: number): Promise<void> {
    const { store, head, limits } = this.options;
    const waiting = new Waiting(queue.queueId, limits);
    const first = (await store.firstSeq()) ?? from;
    if (first > from) throw badEventQueueId(queue.queueId);
    const chain = new Chain(queue.queueId, from);
    const pause = new EventLoopYield();
    let number = await this.blockHolding(from, first);
    let through = -1;
    // Entries that become durable while the journal is read are read, too.
    for (; through < head().seq; number++) {
      const block = await this.block(number);
      const next = chain.follow(block);
      for (const event of block.events) {
        if (event.seq <= Math.max(queue.since, through) || event.lastId <= seen) continue;
        const text = this.textFor(queue, event);
        if (text && text.id > seen) waiting.add(text.after(seen));
        if (pause.isDue) await pause.take();
      }
      through = block.through;
      // The block has grown since it was read, or its end is not durable yet.
      if (through < (number + 1) * BLOCK - 1) number--;
      // An entry with many events takes more positions than a block has.
      else number = Math.max(number, Math.floor(next / BLOCK) - 1);
    }
    this.fill(queue, seen, waiting.texts);
  }

  /**
   * Number of the block in which the entry that covers a position begins. Where that is an earlier one, it is looked for by
   * halves: an entry with many events may have begun a hundred thousand blocks before.
   * @param first position of an entry that is not behind `seq`
   */
  private async blockHolding(seq: number, first: number): Promise<number> {
    const number = Math.floor(seq / BLOCK);
    if ((await this.block(number)).first <= seq) return number;
    const { store, head } = this.options;
    const read = (from: number, limit: number) =>
      store.readJournal(from, seq, limit, seq <= head().seq);
    let high = number * BLOCK;
    let low = Math.max(first, high - BLOCK);
    for (let step = 2 * BLOCK; low > first && (await read(low, 1)).length === 0; step *= 2) {
      high = low;
      low = Math.max(first, low - step);
    }
    while (high - low > BLOCK) {
      const middle = Math.floor((low + high) / 2);
      if ((await read(middle, 1)).length > 0) low = middle;
      else high = middle;
    }
    const holding = (await read(low, BLOCK)).at(-1);
    return holding ? Math.floor(holding.seq / BLOCK) : number;
  }

  private textFor(queue: EventQueue, event: SharedEvent): EventText | null {
    if (!queue.admits(event.type)) return null;
    const { userId, queueId, filter } = queue;
    const { membership, guests } = this.options;
    const { audience } = event.event;
    if (includes(audience, userId, event.seq, membership)) return event.textFor(queue);
    if (!event.isPublic || !isAllPublic(filter)) return null;
    if (excludes(audience, userId) || guests?.has(userId)) return null;
    return event.textFor({ userId, queueId, filter, inAudience: false });
  }

  /** A block as far as it is durable; queues that are restored together share its reading. */
  private block(number: number): Promise<Block> {
    const start = number * BLOCK;
    const through = Math.min(start + BLOCK - 1, this.options.head().seq);
    const cached = this.blocks.get(number);
    if (cached && cached.through >= through) return cached.block;
    const block = cached
      ? cached.block.then((former) =>
          this.extend(former, Math.max(former.through + 1, start), through),
        )
      : this.extend(EMPTY, start, through);
    this.keep(number, { through, block });
    return block;
  }

  private keep(number: number, cached: CachedBlock): void {
    const { blocks } = this;
    blocks.set(number, cached, { size: 1 });
    onceSettled(
      cached.block,
      ({ size }) => {
        if (blocks.peek(number) === cached) blocks.set(number, cached, { size: size + 1 });
      },
      () => {
        if (blocks.peek(number) === cached) blocks.delete(number);
      },
    );
  }

  /** A block with what is stored up to `through`, read and decoded in stretches: entries may be as long as messages are. */
  private async extend(former: Block, from: number, through: number): Promise<Block> {
    const pause = new EventLoopYield();
    const events = [...former.events];
    let { size, first, end, brokenBefore } = former;
    for (let next = from, limit = FIRST_READ; ;) {
      const stored = await this.options.store.readJournal(next, through, limit, true);
      const before = size;
      for (const entry of stored) {
        if (end !== null && entry.seq > end) brokenBefore = entry.seq;
        const read = readEntry(entry);
        if (read) events.push(...this.eventsOf(read));
        else this.options.onDamage(entry.seq);
        first = Math.min(first, entry.seq);
        end = read ? entry.seq + read.position.span : entry.seq;
        size += entry.text.length;
        if (pause.isDue) await pause.take();
      }
      if (stored.length < limit) return { through, first, end, brokenBefore, events, size };
      next = stored.at(-1)!.seq + 1;
      const average = Math.max(1, size - before) / stored.length;
      limit = Math.min(BLOCK, Math.max(1, Math.floor(READ_TEXT / average)));
    }
  }

  private eventsOf({ position, at, events }: ReplayedEntry): SharedEvent[] {
    const { renderers, ids } = this.options;
    const madeAt = Math.floor(at / 1000);
    let id = ids.at(position.seq);
    return events.map(({ event, subject }) => {
      const shared = new SharedEvent(event, subject, position.seq, id, renderers, madeAt);
      id += event.slots;
      return shared;
    });
  }
}

const EMPTY: Block = {
  through: -1,
  first: Infinity,
  end: null,
  brokenBefore: 0,
  events: [],
  size: 0,
};

/** Chain checks that every entry a queue needs begins where the one before it ends. */
class Chain {
  private expected: number | null = null;

  /** @param from position of the first entry the queue needs */
  constructor(
    private readonly queueId: string,
    private readonly from: number,
  ) {}

  /**
   * @returns where the next entry begins, as far as that is known
   * @throws ApiError `BAD_EVENT_QUEUE_ID` where an entry is missing or damaged
   */
  follow({ first, end, brokenBefore, through }: Block): number {
    const isGap = first > (this.expected ?? this.from) && first > this.from;
    if (end !== null && (isGap || brokenBefore > this.from)) throw badEventQueueId(this.queueId);
    this.expected = end ?? this.expected;
    // It would be in this block, or in an earlier one.
    const next = this.expected ?? this.from;
    if (next <= through) throw badEventQueueId(this.queueId);
    return next;
  }
}

/** The events of a restored queue, within the bounds of a queue. */
class Waiting {
  readonly texts: EventText[] = [];
  private bytes = 0;

  constructor(
    private readonly queueId: string,
    private readonly limits: QueueLimits,
  ) {}

  /** @throws ApiError `BAD_EVENT_QUEUE_ID` when the bounds of a queue are exceeded */
  add(text: EventText): void {
    this.texts.push(text);
    this.bytes += text.size;
    if (this.texts.length > this.limits.maxEvents || this.bytes > this.limits.maxBytes) {
      throw badEventQueueId(this.queueId);
    }
  }
}
