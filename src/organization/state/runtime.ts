import {
  subjectOf,
  type Audience,
  type EntryContent,
  type PendingEntry,
} from '../../journal/entry.js';
import type { FollowedEntry } from '../../journal/entry-text.js';
import type { EntryLog } from '../../journal/followed-journal.js';
import type { Queues } from '../../journal/queues/queues.js';
import { SharedEvent } from '../../journal/queues/delivery.js';
import type { EventRenderers } from '../../journal/renderers/event-renderer.js';
import type { Write } from '../../store/port.js';
import type { Organization } from './organization.js';
import { recordSettings } from './audit.js';
import { forgetQueues } from './queue-documents.js';
import { SERVER, type Actor } from './audited.js';
import { Transaction } from './transaction.js';

/** An entry that became durable, as who watches the journal sees it; its events go on to be delivered. */
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
  readonly journal: Pick<EntryLog, 'barrier'>;
}

/** Subscribers of the channels in the audiences of a pending entry, as they were when it was made. */
type Resolved = (readonly number[] | null)[];

/**
 * Runtime runs transactions: memory first, then the journal, then the events (architecture.md#message-path).
 * It is the only writer of the journal on this node.
 */
export class Runtime {
  /** Entries that the store refused, and that were reverted in memory. */
  takenBackEntries = 0;
  private log: EntryLog | null = null;
  private readonly resolved = new Map<number, Resolved>();
  /** Work to run once an entry is durable, by its position; nearly always empty. */
  private readonly afterwards = new Map<number, readonly (() => void)[]>();

  constructor(
    readonly org: Organization,
    readonly queues: Queues,
    private readonly renderers: EventRenderers,
  ) {}

  /** The journal that entries go to. @throws Error before `use` */
  get journal(): EntryLog {
    if (this.log === null) throw new Error('There is no journal yet');
    return this.log;
  }

  /**
   * Uses a journal from now on. It is opened after this object, which listens to it; where a follower takes the lead
   * another one takes its place.
   */
  use(journal: EntryLog): void {
    this.log = journal;
  }

  /**
   * Runs `work` as one transaction, and records who changed which settings. Its result must not be published before it is durable.
   * @throws whatever `work` throws, with nothing changed; ApiError 503 while the store is failing
   */
  transact<T>(work: (tx: Transaction) => T, actor: Actor = SERVER): T {
    const { journal, org } = this;
    const tx = new Transaction(org, journal.nextSeq, org.now(), actor);
    const { result, content, undo } = org.unit.run(tx, (open) => {
      const value = work(open);
      if (org.unit.settings.size > 0) recordSettings(open);
      if (open.withoutQueues.size > 0) this.endQueues(open);
      // Checked last, so that reads continue while the store is failing.
      if (org.unit.hasWrites || open.events.length > 0) {
        journal.assertWritable(journal.isReadOnly && org.unit.frees);
      }
      return value;
    });
    if (content.writes.length > 0 || content.events.length > 0) {
      this.append(content, tx, undo);
    }
    return result;
  }

  /** Ends the queues that a transaction wants to end: their documents with it, themselves once it is durable. */
  private endQueues(tx: Transaction): void {
    for (const userId of tx.withoutQueues) {
      const queues = this.queues.of(userId);
      forgetQueues(
        tx,
        queues.map(({ queueId }) => queueId),
      );
      tx.onceDurable(() => queues.forEach((queue) => this.queues.end(queue, 'overflow')));
    }
  }

  /** Commits an empty entry. @throws ApiError 503 while the store is failing */
  async tick(): Promise<void> {
    const { journal } = this;
    journal.assertWritable();
    journal.append({ writes: [], events: [], due: [] });
    await journal.barrier();
  }

  /**
   * Appends an empty entry. @returns its position, up to which memory has everything
   * @throws ApiError 503 while the store is failing
   */
  mark(): number {
    const { journal } = this;
    journal.assertWritable();
    return journal.append({ writes: [], events: [], due: [] }).seq;
  }

  /** Told of each entry that becomes durable, while somebody watches the journal. */
  watcher: ((entry: WatchedEntry) => void) | null = null;

  /** Journal listener: delivers the events of a durable entry. */
  deliver(entry: PendingEntry): void {
    const { seq } = entry.position;
    const lists = this.resolved.get(seq);
    this.resolved.delete(seq);
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
    const { activeGuests: guests } = this.org.users;
    const { subscriptions: membership } = this.org;
    let slot = 0;
    const watched: WatchedEvent[] | null = this.watcher ? [] : null;
    entry.content.events.forEach((event, index) => {
      const subject = event.subject ? subjectOf(entry.content, event.subject) : undefined;
      const shared = new SharedEvent(event, subject, seq, slot, this.renderers);
      const subscribers = lists?.[index] ?? null;
      watched?.push({ shared, subscribers });
      this.queues.deliver({ shared, subscribers, membership, guests });
      slot += event.slots;
    });
    if (watched) this.watcher?.({ seq, changes: entry.content.writes, events: watched });
  }

  /** Delivers the events of an entry that another node committed, once its changes are folded. */
  deliverFollowed({ position, events, changes }: FollowedEntry): void {
    const { activeGuests: guests } = this.org.users;
    const { subscriptions: membership } = this.org;
    let slot = 0;
    const watched: WatchedEvent[] | null = this.watcher ? [] : null;
    for (const { event, subject } of events) {
      const shared = new SharedEvent(event, subject, position.seq, slot, this.renderers);
      const subscribers = this.resolve(event.audience);
      watched?.push({ shared, subscribers });
      this.queues.deliver({ shared, subscribers, membership, guests });
      slot += event.slots;
    }
    if (watched) this.watcher?.({ seq: position.seq, changes, events: watched });
  }

  /** Journal listener: the entries were reverted in memory and will not be durable. */
  takenBack(entries: readonly PendingEntry[]): void {
    this.takenBackEntries += entries.length;
    for (const { position } of entries) {
      this.resolved.delete(position.seq);
      this.afterwards.delete(position.seq);
    }
  }

  private append(
    content: EntryContent,
    { afterwards, deferMs }: Transaction,
    undo: () => void,
  ): void {
    const { seq } = this.journal.append(content, undo, deferMs);
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
