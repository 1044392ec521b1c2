import { EventLoopYield } from '../../event-loop-yield.js';
import type { CancelTimer, Clock } from '../../../actors/clock.js';
import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-message-document.js';
import { ApiError } from '../../errors.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { FencedError, StoreUnavailableError } from '../../store/port.js';
import type { Runtime } from '../state/runtime.js';
import type { ActiveTimers } from './active-timers.js';
import { deliverReminder } from './reminders.js';
import { deliverScheduledMessage, failScheduledMessage } from './scheduled-messages.js';
import { parseKey, type ScheduledItems } from './scheduled-items.js';

/** What deliveries are connected to. */
export interface DeliveryWorkerOptions {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly markdown: Markdown;
  readonly things: ScheduledItems;
  readonly soon: ActiveTimers;
  readonly lateLimitMs: number;
  readonly onError: (key: string, error: unknown) => void;
  /** A thing could neither be delivered nor marked. */
  readonly broken: (key: string) => void;
  /** A batch is done. */
  readonly progressed: () => void;
}

/** Documents read and entries made at a time. */
const BATCH = 200;
/** Entries on their way to the store, above which the next batch waits: a bound on their memory. */
const MAX_UNDURABLE = 1000;
/** While the store is away. */
const RETRY_MS = 250;

type Loaded =
  | { readonly kind: 'scheduled_message'; readonly document: ScheduledMessageDocument }
  | {
      readonly kind: 'reminder';
      readonly document: ReminderDocument;
      readonly message: MessageDocument | undefined;
    };

/** What became of one delivery; `unread` when its document is to be read again. */
type Outcome = 'delivered' | 'refused' | 'moved' | 'unread' | 'gone';

/**
 * Carries out what the actors ask for: one after the other in order of their times, in batches and in
 * short stretches, not too far ahead of the store. While the store is away they wait.
 */
export class DeliveryWorker {
  /** Keys whose time has come; at most one per actor. */
  private ready = new Set<string>();
  /** Documents of the batch under way that nobody has changed since they were read. */
  private readonly loaded = new Map<string, Loaded>();
  /** One for all batches: between two of them there may be nothing that waits. */
  private readonly stretch = new EventLoopYield();
  private running = false;
  private stopped = false;
  private endPause: (() => void) | undefined;

  constructor(private readonly options: DeliveryWorkerOptions) {}

  /** The time of a thing has come. */
  add(key: string): void {
    this.ready.add(key);
    if (this.running || this.stopped) return;
    this.running = true;
    void this.run().finally(() => (this.running = false));
  }

  /** The thing changed: what was read of it is old. */
  forget(key: string): void {
    this.loaded.delete(key);
  }

  /** Delivers nothing more. */
  stop(): void {
    this.stopped = true;
    this.endPause?.();
  }

  private async run(): Promise<void> {
    const { runtime, onError, progressed } = this.options;
    // Actors whose times come together are asked for together.
    await Promise.resolve();
    while (this.ready.size > 0 && !this.stopped) {
      const batch = this.takeBatch();
      try {
        await this.load(batch);
        await this.deliverAll(batch);
        if (runtime.journal.pending > MAX_UNDURABLE) await runtime.journal.barrier();
      } catch (error) {
        for (const key of batch) this.ready.add(key);
        if (!isOutage(error)) onError(batch[0]!, error);
        await this.pause();
      }
      this.loaded.clear();
      if (!this.stopped) progressed();
    }
  }

  /** The earliest of what is ready; keys that are taken are not ready any more. */
  private takeBatch(): string[] {
    const { soon } = this.options;
    const keys = [...this.ready].map((key) => ({
      key,
      at: soon.timeOf(key),
      id: parseKey(key)!.id,
    }));
    keys.sort((a, b) => a.at - b.at || a.id - b.id);
    const batch = keys.slice(0, BATCH).map(({ key }) => key);
    for (const key of batch) this.ready.delete(key);
    return batch;
  }

  /** Reads the documents of a batch, and the messages that its reminders are about. */
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
    // What was written while the later ones were read is in memory.
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

  /** @throws ApiError 503 when the store is away; what was not delivered is still to be */
  private async deliverAll(batch: readonly string[]): Promise<void> {
    const { soon } = this.options;
    for (const key of batch) {
      if (this.stopped) return;
      if (!soon.isDelivering(key)) continue;
      const outcome = this.deliver(key);
      if (outcome === 'unread') this.ready.add(key);
      else if (outcome === 'gone') soon.drop(key);
      else if (outcome !== 'moved') soon.ended(key, outcome);
      if (this.stretch.isDue) await this.stretch.take();
    }
  }

  private deliver(key: string): Outcome {
    const { things, soon } = this.options;
    const at = things.dueTime(key);
    if (at === undefined || at === null) return 'gone';
    if (at !== soon.timeOf(key)) {
      // Edited, and the actor does not know it yet.
      soon.changed(key, at);
      if (!soon.isDelivering(key)) return 'moved';
    }
    const loaded = this.loaded.get(key);
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

  /** @throws the error when it only says that the store is away */
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

/** Whether the store, not the work, is at fault; others tell of that. */
export function isOutage(error: unknown): boolean {
  if (error instanceof StoreUnavailableError || error instanceof FencedError) return true;
  return error instanceof ApiError && error.status === 503;
}
