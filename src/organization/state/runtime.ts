import type { QueueDocument } from '../../../schemas/queues/register.js';
import type { EntryChange, Write } from '../../store/port.js';
import {
  type Audience,
  subjectOf,
  type EntryContent,
  type PendingEntry,
} from '../../journal/entry.js';
import { restsOnState, serviceUnavailable, storeUnavailable } from '../../errors/index.js';
import { monotonicTime } from '../../platform/time.js';
import { SERVER, type Actor } from './audited.js';
import type { Organization } from './organization.js';
import { changesOf, type FollowedEntry } from '../../journal/entry-reading.js';
import type { Journal, JournalReader } from '../../journal/journal.js';
import type { Queues } from '../../journal/queues/queues.js';
import { SharedEvent } from '../../journal/queues/delivery.js';
import type { EventRenderers } from '../../journal/renderers/event-renderer.js';
import { recordSettings } from './audit.js';
import { Hooks } from './hooks.js';
import { endQueues, QUEUE_COLLECTION } from './queue-documents.js';
import { Transaction } from './transaction.js';

/** An entry that became durable, as those who watch the journal see it; its events go on to be delivered. */
export interface WatchedEntry {
  readonly seq: number;
  readonly changes: readonly Pick<Write, 'op' | 'key'>[];
  readonly events: readonly WatchedEvent[];
}

interface WatchedEvent {
  readonly shared: SharedEvent;
  /** For the audience `subscribers`: their ids. */
  readonly subscribers: readonly number[] | null;
}

/** What background work needs of {@link Runtime}: transactions, and to know when they are durable. */
export interface Transactor extends Pick<Runtime, 'org' | 'transact'> {
  readonly journal: Pick<JournalReader, 'barrier'>;
}

/** Subscribers of the channels in the audiences of a pending entry, as they were when it was made. */
type Resolved = (readonly number[] | null)[];

/**
 * Runtime runs transactions: memory first, then the journal, then the events (architecture.md#message-path).
 * It is the only writer of the journal on this node.
 */
export class Runtime {
  /** Entries that were reverted in memory: the store refused them, or they wait for its replicas. */
  takenBackEntries = 0;
  /** When that was the last time, by the monotonic clock. */
  private takenBackAt = -Infinity;
  readonly hooks = new Hooks();
  private reader: JournalReader | null = null;
  private appends: Journal | null = null;
  private readonly resolved = new Map<number, Resolved>();
  /** Work to run once an entry is durable, by its position; nearly always empty. */
  private readonly afterwards = new Map<number, readonly (() => void)[]>();

  constructor(
    readonly org: Organization,
    readonly queues: Queues,
    private readonly renderers: EventRenderers,
  ) {}

  /** The journal as far as this node has it. @throws Error before `use` */
  get journal(): JournalReader {
    if (this.reader === null) throw new Error('There is no journal yet');
    return this.reader;
  }

  /** The journal that entries go to. @throws ApiError 503 on a node that follows */
  get writer(): Journal {
    if (this.appends !== null) return this.appends;
    throw serviceUnavailable('This node follows: only the leader writes');
  }

  /**
   * Uses a journal from now on. It is opened after this object, which listens to it; where a follower takes the lead
   * another one takes its place.
   * @param writer the same journal on the leader, null on a follower
   */
  use(journal: JournalReader, writer: Journal | null): void {
    this.reader = journal;
    this.appends = writer;
  }

  /**
   * Runs `work` as one transaction, and records who changed which settings. Its result must not be published before it
   * is durable.
   * @throws whatever `work` throws, with nothing changed; ApiError 503 while the store is failing
   */
  transact<T>(work: (tx: Transaction) => T, actor: Actor = SERVER): T {
    const { journal, org } = this;
    const tx = new Transaction(org, journal.nextSeq, org.now(), actor, this.hooks);
    const { result, content, undo } = org.unit.run(tx, (open) => {
      const value = work(open);
      if (org.unit.settings.length > 0 || open.deeds.length > 0) recordSettings(open);
      if (open.withoutQueues.size > 0) this.endQueues(open);
      // Checked last, so that reads continue while the store is failing.
      if (org.unit.hasWrites || open.events.length > 0 || open.due.length > 0) {
        const { writer } = this;
        writer.assertWritable(writer.isReadOnly && org.unit.frees);
      }
      return value;
    });
    if (content.writes.length > 0 || content.events.length > 0 || content.due.length > 0) {
      this.append(content, tx, undo);
    }
    return result;
  }

  /** Ends the queues that a transaction wants to end: their documents with it, themselves once it is durable. */
  private endQueues(tx: Transaction): void {
    for (const userId of tx.withoutQueues) {
      endQueues(tx, this.queues, this.queues.of(userId), 'overflow');
    }
  }

  /** Commits an empty entry. @param room ids that it leaves free. @throws ApiError 503 while the store is failing */
  async tick(room = 0): Promise<void> {
    this.mark(room);
    await this.journal.barrier();
  }

  /**
   * Appends an empty entry. @returns its position, up to which memory has everything
   * @throws ApiError 503 while the store is failing
   */
  mark(room = 0): number {
    const { writer } = this;
    writer.assertWritable();
    return writer.append({ writes: [], events: [], due: [], room }).seq;
  }

  /** Told what each durable entry changes, before its events are delivered, on every node. */
  onDurableChanges: (changes: readonly Pick<Write, 'key'>[]) => void = () => undefined;

  /** Told of each entry that becomes durable, after its events. */
  readonly watchers = new Set<(entry: WatchedEntry) => void>();

  /** Journal listener: delivers the events of a durable entry. */
  deliver(entry: PendingEntry): void {
    const { seq } = entry.position;
    const lists = this.resolved.get(seq);
    if (lists) this.resolved.delete(seq);
    this.org.messages.durable(seq);
    // Every write of a scheduled item moves it in the due index.
    if (entry.content.due.length > 0) {
      this.org.scheduledMessages.durable(seq);
      this.org.reminders.durable(seq);
    }
    if (this.afterwards.size > 0) {
      this.afterwards.get(seq)?.forEach((work) => work());
      this.afterwards.delete(seq);
    }
    this.onDurableChanges(entry.content.writes);
    const { activeGuests: guests } = this.org.users;
    const { subscriptions: membership } = this.org;
    let id = this.queues.ids.at(seq);
    let index = 0;
    const watched: WatchedEvent[] | null = this.watchers.size > 0 ? [] : null;
    for (const event of entry.content.events) {
      const subject = event.subject ? subjectOf(entry.content, event.subject) : undefined;
      const shared = new SharedEvent(event, subject, seq, id, this.renderers);
      const subscribers = lists?.[index++] ?? null;
      watched?.push({ shared, subscribers });
      this.queues.fanOut.deliver({ shared, subscribers, membership, guests });
      id += event.slots;
    }
    if (watched) this.tell({ seq, changes: entry.content.writes, events: watched });
  }

  /** Delivers the events of an entry that another node committed, once its changes are folded. */
  deliverFollowed({ position, events, changes }: FollowedEntry): void {
    this.onDurableChanges(changes);
    const { activeGuests: guests } = this.org.users;
    const { subscriptions: membership } = this.org;
    let id = this.queues.ids.at(position.seq);
    const watched: WatchedEvent[] | null = this.watchers.size > 0 ? [] : null;
    for (const { event, subject } of events) {
      const shared = new SharedEvent(event, subject, position.seq, id, this.renderers);
      const subscribers = this.resolve(event.audience);
      watched?.push({ shared, subscribers });
      this.queues.fanOut.deliver({ shared, subscribers, membership, guests });
      id += event.slots;
    }
    if (watched) this.tell({ seq: position.seq, changes, events: watched });
  }

  private tell(entry: WatchedEntry): void {
    for (const watcher of this.watchers) watcher(entry);
  }

  /**
   * Null where everything in memory is durable, else resolves when it is. What was deferred is left out. Whoever tells
   * somebody of the state waits for this, or for what is made of it below (architecture.md#durability).
   * @throws ApiError 503 when some of it is taken back, or the store fails
   */
  get durable(): Promise<void> | null {
    if (!this.journal.owes) return null;
    const { writer } = this;
    return new Promise((done, failed) => writer.whenDurable(done, failed));
  }

  /**
   * The same for what was read since a time of the monotonic clock.
   * @throws ApiError 503 also when some of it was taken back
   */
  durableSince(begun: number): Promise<void> | null {
    return this.takenBackAt >= begun ? Promise.reject(storeUnavailable()) : this.durable;
  }

  /**
   * The answer that work gives, or its refusal, once everything that it may rest on is durable.
   * @throws whatever `work` throws; ApiError 503 as `durableSince`
   */
  async told<T>(work: () => T | Promise<T>): Promise<T> {
    const begun = monotonicTime();
    try {
      const answer = await work();
      await this.durableSince(begun);
      return answer;
    } catch (error) {
      if (restsOnState(error)) await this.durableSince(begun);
      throw error;
    }
  }

  /** Journal listener: the entries were reverted in memory, and may be durable later. */
  withheld(entries: readonly PendingEntry[]): void {
    this.takenBackEntries += entries.length;
    this.takenBackAt = monotonicTime();
  }

  /** Journal listener: an entry that was withheld is durable. */
  applyAgain({ position }: PendingEntry, text: string): void {
    const { seq } = position;
    const { queues, org } = this;
    // Queues that the entry ended end when it is delivered.
    const apart = (change: EntryChange): void => {
      if (change.op === 'delete' || change.key.collection !== QUEUE_COLLECTION) return;
      queues.put(change.fields as QueueDocument);
    };
    org.fold(changesOf({ seq, text }).changes, seq, { apart });
  }

  /** Journal listener: the entries were reverted in memory and will not be durable. */
  takenBack(entries: readonly PendingEntry[]): void {
    this.withheld(entries);
    for (const { position } of entries) {
      this.resolved.delete(position.seq);
      this.afterwards.delete(position.seq);
    }
  }

  private append(
    content: EntryContent,
    { afterwards, takenBack, deferMs }: Transaction,
    undo: () => void,
  ): void {
    const dropped = takenBack.length > 0 ? () => takenBack.forEach((work) => work()) : undefined;
    const { seq } = this.writer.append(content, undo, deferMs, dropped);
    if (afterwards.length > 0) this.afterwards.set(seq, afterwards);
    if (content.events.some((event) => event.audience.to === 'subscribers')) {
      this.resolved.set(
        seq,
        content.events.map((event) => this.resolve(event.audience)),
      );
    }
  }

  private resolve(audience: Audience): readonly number[] | null {
    if (audience.to !== 'subscribers') return null;
    const subscribers = this.org.subscriptions.subscribers(audience.channel);
    return audience.also?.length ? [...subscribers, ...audience.also] : subscribers;
  }
}
