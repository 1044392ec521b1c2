import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-message-document.js';
import { ApiError } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { FencedError, isStoreAway } from '../../store/port.js';
import type { Runtime } from '../state/transaction.js';
import type {
  ScheduledCollection,
  ScheduledDocument,
} from '../state/scheduled/scheduled-collection.js';
import type { ActiveTimers } from './active-timers.js';
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
  readonly timers: ActiveTimers;
  readonly lateLimitMs: number;
  readonly onError: (key: string, error: unknown) => void;
  /** Called for an item that could neither be delivered nor marked as failed. */
  readonly broken: (key: string) => void;
  /** Called after each batch. */
  readonly progressed: () => void;
}

/** Items per batch: documents read together. */
const BATCH = 200;
/** Uncommitted journal entries above which the next batch waits: bounds their memory. */
const MAX_UNCOMMITTED = 1000;
/** Pause between attempts while the store is away. */
const RETRY_MS = 250;

type Loaded =
  | { readonly kind: 'scheduled_message'; readonly document: ScheduledMessageDocument }
  | {
      readonly kind: 'reminder';
      readonly document: ReminderDocument;
      readonly message: MessageDocument | undefined;
    };

/** Outcome of one delivery; `unread` when its document must be read again. */
type Outcome = 'delivered' | 'refused' | 'moved' | 'unread' | 'gone';

/**
 * Delivers due items one after the other, in order of their times, in batches that yield to the event
 * loop and wait for the store. While the store is away it retries.
 */
export class DeliveryWorker {
  /** Keys of due items; at most one per actor. */
  private ready = new Set<string>();
  /** Documents of the current batch that have not changed since they were read. */
  private readonly loaded = new Map<string, Loaded>();
  /** One for all batches, because two batches may follow each other without an await. */
  /** Keys of the batch whose documents are damaged. */
  private readonly unreadable = new Set<string>();
  private readonly yielder = new EventLoopYield();
  private running = false;
  private stopped = false;
  private endPause: (() => void) | undefined;

  constructor(private readonly options: DeliveryWorkerOptions) {}

  /** Adds a due item. */
  add(key: string): void {
    this.ready.add(key);
    if (this.running || this.stopped) return;
    this.running = true;
    const work = this.run().finally(() => (this.running = false));
    inBackground(work, (error) => this.options.onError(key, error));
  }

  /** Call when an item changes: its loaded document is stale. */
  forget(key: string): void {
    this.loaded.delete(key);
    this.unreadable.delete(key);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.stopped = true;
    this.endPause?.();
  }

  private async run(): Promise<void> {
    const { runtime, onError, progressed } = this.options;
    // Items due at the same time form one batch.
    await Promise.resolve();
    while (this.ready.size > 0 && !this.stopped) {
      const batch = this.takeBatch();
      try {
        await this.load(batch);
        await this.deliverAll(batch);
        if (runtime.journal.pending > MAX_UNCOMMITTED) await runtime.journal.barrier();
      } catch (error) {
        for (const key of batch) this.ready.add(key);
        if (!isOutage(error)) onError(batch[0]!, error);
        await this.pause();
      }
      this.loaded.clear();
      this.unreadable.clear();
      if (!this.stopped) progressed();
    }
  }

  /** Takes the earliest due items out of `ready`. */
  private takeBatch(): string[] {
    const { timers } = this.options;
    const keys = [...this.ready].map((key) => ({
      key,
      at: timers.timeOf(key),
      id: parseKey(key)!.id,
    }));
    keys.sort((a, b) => a.at - b.at || a.id - b.id);
    const batch = keys.slice(0, BATCH).map(({ key }) => key);
    for (const key of batch) this.ready.delete(key);
    return batch;
  }

  /** Reads the documents of a batch, and the messages of its reminders. */
  private async load(batch: readonly string[]): Promise<void> {
    const { org } = this.options.runtime;
    const ids = { scheduled_message: [] as number[], reminder: [] as number[] };
    for (const key of batch) {
      const { kind, id } = parseKey(key)!;
      ids[kind].push(id);
    }
    const messages = await org.scheduledMessages.fetch(ids.scheduled_message);
    const reminders = await org.reminders.fetch(ids.reminder);
    const targets = await org.messages.fetch([
      ...new Set([...reminders.values()].map((reminder) => reminder.message_id)),
    ]);
    this.markUnreadable(org.scheduledMessages, ids.scheduled_message, messages);
    this.markUnreadable(org.reminders, ids.reminder, reminders);
    // A document written during the reads above is in memory.
    for (const [id, read] of messages) {
      const document = org.scheduledMessages.resident(id) ?? read;
      this.loaded.set(org.scheduledMessages.keyOf(id), { kind: 'scheduled_message', document });
    }
    for (const [id, read] of reminders) {
      const document = org.reminders.resident(id) ?? read;
      const message = targets.get(document.message_id);
      this.loaded.set(org.reminders.keyOf(id), { kind: 'reminder', document, message });
    }
  }

  private markUnreadable<D extends ScheduledDocument>(
    collection: ScheduledCollection<D>,
    ids: readonly number[],
    read: ReadonlyMap<number, D>,
  ): void {
    for (const id of ids) {
      if (!read.has(id) && collection.index.has(id)) this.unreadable.add(collection.keyOf(id));
    }
  }

  /** @throws ApiError 503 when the store is away; undelivered items stay due */
  private async deliverAll(batch: readonly string[]): Promise<void> {
    const { timers } = this.options;
    for (const key of batch) {
      if (this.stopped) return;
      if (!timers.isDelivering(key)) continue;
      const outcome = this.deliver(key);
      if (outcome === 'unread') this.ready.add(key);
      else if (outcome === 'gone') timers.drop(key);
      else if (outcome !== 'moved') timers.ended(key, outcome);
      if (this.yielder.isDue) await this.yielder.take();
    }
  }

  private deliver(key: string): Outcome {
    const { items, timers } = this.options;
    const at = items.dueTime(key);
    if (at === undefined || at === null) return 'gone';
    if (at !== timers.timeOf(key)) {
      // Edited, and the change has not reached the actor yet.
      timers.changed(key, at);
      if (!timers.isDelivering(key)) return 'moved';
    }
    const loaded = this.loaded.get(key);
    if (!loaded && this.unreadable.has(key)) {
      // The collection has reported the damage.
      this.options.broken(key);
      return 'gone';
    }
    if (!loaded) return 'unread';
    return loaded.kind === 'reminder'
      ? this.remind(key, loaded.document, loaded.message)
      : this.send(key, loaded.document);
  }

  private send(key: string, document: ScheduledMessageDocument): Outcome {
    const { runtime, markdown, lateLimitMs } = this.options;
    try {
      runtime.transact((tx) => deliverScheduledMessage(tx, markdown, document, lateLimitMs));
      return 'delivered';
    } catch (error) {
      if (isOutage(error)) throw error;
      return this.refuse(key, document, error);
    }
  }

  private refuse(key: string, document: ScheduledMessageDocument, error: unknown): Outcome {
    const { runtime, markdown, onError } = this.options;
    const isRefusal = error instanceof ApiError;
    if (!isRefusal) onError(key, error);
    const failure = isRefusal ? error.message : 'Internal server error';
    try {
      runtime.transact((tx) => failScheduledMessage(tx, markdown, document, failure));
      return 'refused';
    } catch (second) {
      return this.giveUp(key, second);
    }
  }

  private remind(
    key: string,
    document: ReminderDocument,
    read: MessageDocument | undefined,
  ): Outcome {
    const { runtime, markdown } = this.options;
    const { messages } = runtime.org;
    const message = messages.has(document.message_id)
      ? (messages.resident(document.message_id) ?? read)
      : undefined;
    try {
      runtime.transact((tx) => deliverReminder(tx, markdown, document, message));
      return 'delivered';
    } catch (error) {
      return this.giveUp(key, error);
    }
  }

  /** Reports an item as broken. @throws the error when only the store is away */
  private giveUp(key: string, error: unknown): Outcome {
    if (isOutage(error)) throw error;
    this.options.onError(key, error);
    this.options.broken(key);
    return 'gone';
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

/** Whether an error only says that the store is away, or led by another, which is reported elsewhere. */
export function isOutage(error: unknown): boolean {
  return error instanceof FencedError || isStoreAway(error);
}
