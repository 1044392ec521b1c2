import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-messages.js';
import { ApiError } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { isOutage } from '../../store/port.js';
import type { Transaction } from '../state/transaction.js';
import type { Runtime } from '../state/runtime.js';
import { bySchedule } from '../state/scheduled/loaded-items.js';
import { deliverReminder } from './reminders.js';
import { deliverScheduledMessage, failScheduledMessage } from './scheduled-messages.js';
import { parseKey, type ScheduledItems } from './scheduled-items.js';
import { inBackground } from '../../turns/background.js';

/** Dependencies of {@link DeliveryWorker}. */
interface DeliveryWorkerOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly markdown: Markdown;
  readonly items: ScheduledItems;
  readonly lateLimitMs: number;
  readonly onError: (key: string, error: unknown) => void;
  /** Called for an item that turns out to be due later, or never. */
  readonly notDue: (key: string) => void;
  /** Called for an item that can be neither read nor ended now; it is to be added again later. */
  readonly stuck: (key: string) => void;
  /** Called after each batch. */
  readonly progressed: () => void;
}

/** Items per batch: documents read together, and begun in one transaction. */
const BATCH = 200;
/** Uncommitted journal entries above which the next batch waits: bounds their memory. */
const MAX_UNCOMMITTED = 1000;
/** Pause between attempts while the store is away. */
const RETRY_MS = 250;

/** An item with its document; that of a reminder with the message it is about. */
type Loaded = { readonly key: string } & (
  | { readonly kind: 'scheduled_message'; document: ScheduledMessageDocument }
  | {
      readonly kind: 'reminder';
      document: ReminderDocument;
      readonly message: MessageDocument | undefined;
    }
);

/**
 * Delivers due items, in order of their times, in batches: one transaction tells the actors of a batch that their time has
 * come, then each delivery is a transaction of its own. Nothing waits for the store in between, because it keeps the
 * order of the journal. What a crash leaves in `delivering` is added at the next start. While the store is away it retries.
 */
export class DeliveryWorker {
  /** Keys of due items that wait. */
  private readonly ready = new Set<string>();
  /** Keys of the batch under way. */
  private batch: ReadonlySet<string> = new Set();
  /** Keys that changed since the documents of the batch were asked for. */
  private readonly stale = new Set<string>();
  /** One for all batches, because two batches may follow each other without an await. */
  private readonly yielder = new EventLoopYield();
  private running = false;
  private stopped = false;
  private endPause: (() => void) | undefined;

  constructor(private readonly options: DeliveryWorkerOptions) {}

  /** Items that are due and not delivered. */
  get size(): number {
    return this.ready.size + this.batch.size;
  }

  /** Whether an item is due and not delivered. */
  has(key: string): boolean {
    return this.ready.has(key) || this.batch.has(key);
  }

  /** Adds an item that is due, or whose delivery has begun. */
  add(key: string): void {
    if (this.stopped || this.batch.has(key)) return;
    this.ready.add(key);
    if (this.running) return;
    this.running = true;
    inBackground(
      () => this.run(),
      (error) => this.options.onError(key, error),
    );
  }

  /** Call when an item changes: its loaded document is stale. */
  changed(key: string): void {
    if (this.batch.has(key)) this.stale.add(key);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.stopped = true;
    this.endPause?.();
  }

  private async run(): Promise<void> {
    // Items due at the same time form one batch.
    await Promise.resolve();
    try {
      while (this.ready.size > 0 && !this.stopped) {
        const again = await this.runBatch(this.takeBatch());
        this.batch = new Set();
        for (const key of again) this.ready.add(key);
        if (!this.stopped) this.options.progressed();
      }
    } finally {
      this.running = false;
    }
  }

  /** @returns the keys of what is to be tried again at once */
  private async runBatch(keys: readonly string[]): Promise<readonly string[]> {
    const { journal } = this.options.runtime;
    this.batch = new Set(keys);
    this.stale.clear();
    try {
      const items = await this.load(keys);
      const stale = this.takeStale(items);
      this.begin(items);
      await this.endAll(items);
      if (journal.pending > MAX_UNCOMMITTED) await journal.barrier();
      return stale;
    } catch (error) {
      await this.pause();
      return this.interrupted(keys, error);
    }
  }

  /** What is tried again at once after an error: all, if only the store is away. */
  private interrupted(keys: readonly string[], error: unknown): readonly string[] {
    if (isOutage(error)) return keys;
    this.options.onError(keys[0]!, error);
    for (const key of keys) this.options.stuck(key);
    return [];
  }

  /** Takes the earliest due items out of `ready`. */
  private takeBatch(): string[] {
    const { items, clock, notDue } = this.options;
    const now = clock.now();
    const due = [];
    for (const key of this.ready) {
      const row = items.rowOf(key);
      const deadline = items.deadlineOf(key);
      const isDue = typeof deadline === 'number' ? deadline <= now : row?.state === 'delivering';
      if (row && isDue) due.push({ key, ...row });
      else {
        this.ready.delete(key);
        notDue(key);
      }
    }
    due.sort((a, b) => a.due - b.due || a.id - b.id);
    const keys = due.slice(0, BATCH).map(({ key }) => key);
    for (const key of keys) this.ready.delete(key);
    return keys;
  }

  /** Reads the documents of a batch, and the messages of its reminders; in order of their times. */
  private async load(keys: readonly string[]): Promise<Loaded[]> {
    const { items, runtime, stuck } = this.options;
    const { org } = runtime;
    const ids = { scheduled_message: [] as number[], reminder: [] as number[] };
    for (const key of keys) {
      const { kind, id } = parseKey(key)!;
      ids[kind].push(id);
    }
    const messages = await org.scheduledMessages.fetch(ids.scheduled_message);
    const reminders = await org.reminders.fetch(ids.reminder);
    const targets = await org.messages.fetch([
      ...new Set([...reminders.values()].map(({ context }) => context.message_id)),
    ]);
    const loaded = new Map<string, Loaded>();
    for (const [id, document] of messages) {
      const key = org.scheduledMessages.keyOf(id);
      loaded.set(key, { key, kind: 'scheduled_message', document });
    }
    for (const [id, document] of reminders) {
      const key = org.reminders.keyOf(id);
      const message = targets.get(document.context.message_id);
      loaded.set(key, { key, kind: 'reminder', document, message });
    }
    // The collection has reported the damage.
    for (const key of keys) if (!loaded.has(key) && items.rowOf(key)) stuck(key);
    return [...loaded.values()].sort((a, b) => bySchedule(a.document, b.document));
  }

  /** Takes what changed during the reads out of the batch. @returns their keys */
  private takeStale(items: Loaded[]): string[] {
    const keys = [...this.stale];
    for (let i = items.length - 1; i >= 0; i--) {
      if (this.stale.has(items[i]!.key)) items.splice(i, 1);
    }
    return keys;
  }

  /** Tells the actors that their time has come. @throws ApiError 503 when the store is away */
  private begin(items: readonly Loaded[]): void {
    const { runtime } = this.options;
    const { scheduledMessages, reminders } = runtime.org;
    const waiting = items.filter(
      ({ key }) => typeof this.options.items.deadlineOf(key) === 'number',
    );
    if (waiting.length === 0 || this.stopped) return;
    runtime.transact((tx) => {
      for (const item of waiting) {
        if (item.kind === 'reminder') item.document = reminders.actors.wake(tx, item.document);
        else item.document = scheduledMessages.actors.wake(tx, item.document);
      }
    });
  }

  /** @throws ApiError 503 when the store is away; undelivered items stay in `delivering` */
  private async endAll(items: readonly Loaded[]): Promise<void> {
    for (const item of items) {
      if (this.stopped) return;
      // It may have been removed, or its beginning taken back.
      if (this.options.items.stateOf(item.key) === 'delivering') this.end(item);
      if (this.yielder.isDue) await this.yielder.take();
    }
  }

  private end(item: Loaded): void {
    const { runtime, onError, stuck } = this.options;
    try {
      runtime.transact((tx) => this.deliver(tx, item));
    } catch (error) {
      if (isOutage(error)) throw error;
      const isRefusal = error instanceof ApiError;
      if (!isRefusal) onError(item.key, error);
      try {
        const failure = isRefusal ? error.message : 'Internal server error';
        runtime.transact((tx) => this.refuse(tx, item, failure));
      } catch (second) {
        if (isOutage(second)) throw second;
        onError(item.key, second);
        stuck(item.key);
      }
    }
  }

  private deliver(tx: Transaction, item: Loaded): void {
    const { markdown, lateLimitMs } = this.options;
    if (item.kind === 'scheduled_message') {
      return deliverScheduledMessage(tx, markdown, item.document, lateLimitMs);
    }
    const { messages } = tx.org;
    const { message_id } = item.document.context;
    const message = messages.has(message_id)
      ? (messages.resident(message_id) ?? item.message)
      : undefined;
    deliverReminder(tx, markdown, item.document, message);
  }

  private refuse(tx: Transaction, item: Loaded, failure: string): void {
    const { reminders } = tx.org;
    if (item.kind === 'scheduled_message') {
      failScheduledMessage(tx, this.options.markdown, item.document, failure);
    } else reminders.actors.send(tx, item.document, { type: 'refused', failure });
  }

  private pause(): Promise<void> {
    if (this.stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel: CancelTimer = this.options.clock.setTimer(RETRY_MS, resolve);
      this.endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
