import { setImmediate } from '../../platform/timers.js';
import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { NotificationWatchDocument } from '../../../schemas/notifications/missed-messages-document.js';
import { isStoreAway } from '../../store/port.js';
import { inBackground } from '../../turns/background.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import type { NotificationLog } from './missed-message-mails.js';
import { type Attentive, type Notifier, UNUSED_MS } from './notifier.js';
import { NEVER, NOW } from '../state/scheduled/next-due.js';

/**
 * A client that used its queue so long after a message has shown it. One that vanished before is noticed later: a socket
 * or stream without a sign of life ends after two minutes at the latest, and counts as in use until then. Milliseconds.
 */
const SHOWN_MS = 3 * 60_000;
/** A client that ends its queue perhaps registers again, as a page that is loaded anew does. Milliseconds. */
const RETURN_MS = 10_000;
/** Watches that one transaction looks at: each may have 500 receivers, of whom nearly all are there or gone. */
const WATCHES_AT_ONCE = 5;
/** Pause where the store is failing, milliseconds. */
const PAUSE_MS = 30_000;
const WAKE_UP = 'vanished again';

/** Dependencies of {@link VanishedUsers}. */
interface VanishedUsersOptions {
  readonly attention: Attentive;
  readonly notifier: Notifier;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: NotificationLog;
}

/**
 * VanishedUsers tells users of messages that came when a client of theirs was there, as it seemed, and had vanished: when
 * their last queue for messages ends, or none was used for ten minutes. Whoever is told is taken off the watch in the
 * same transaction, so each is told once, whatever is killed. It runs on the leader; the next one goes on with the watches
 * that there are.
 */
export class VanishedUsers {
  private readonly due = new Set<string>();
  /** Users without a queue, and when a client of theirs was last there, milliseconds since 1970. */
  private readonly gone = new Map<number, number>();
  private running = false;
  private stopped = false;

  constructor(
    private readonly runtime: Transactor,
    private readonly options: VanishedUsersOptions,
  ) {}

  /** Takes up what is watched, and what will be. */
  start(): void {
    const { notificationWatches: watches } = this.org;
    watches.onAppear = (id, { at }) => this.arm(id, at + UNUSED_MS);
    // What former leaders knew of clients is not known here: those that are there will be heard of.
    for (const document of watches.values()) this.arm(idOf(document), this.org.now() + UNUSED_MS);
    this.options.attention.watch((userId, unusedMs, expired) =>
      this.left(userId, unusedMs, expired),
    );
  }

  /** Begins nothing any more. */
  stop(): void {
    this.stopped = true;
    this.due.clear();
    this.gone.clear();
    this.options.attention.watch(null);
  }

  /** Watches end within some minutes, and what is known of clients only this process knows. */
  nextDue(): number {
    const { running, due, gone } = this;
    return running || due.size + gone.size + this.org.notificationWatches.size > 0 ? NOW : NEVER;
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private arm(id: string, at: number): void {
    this.options.wheel.arm(id, at, () => {
      this.due.add(id);
      this.wake();
    });
  }

  /** A queue of a user has ended; perhaps not the last one. */
  private left(userId: number, unusedMs: number, expired: boolean): void {
    if (this.org.notificationWatches.of(userId).length === 0) return;
    const last = this.org.now() - unusedMs;
    const gone = (): void => {
      if (this.options.attention.takesMessages(userId)) return;
      this.gone.set(userId, Math.max(last, this.gone.get(userId) ?? -Infinity));
      this.wake();
    };
    if (expired) gone();
    else this.options.wheel.arm(`user ${userId}`, this.org.now() + RETURN_MS, gone);
  }

  private wake(): void {
    if (this.running || this.stopped || this.options.wheel.has(WAKE_UP)) return;
    this.running = true;
    // Behind the transaction that may be open.
    setImmediate(() =>
      inBackground(
        () => this.run(),
        (error) => this.failed(error),
      ),
    );
  }

  private failed(error: unknown): void {
    this.options.log.warn({ err: error }, 'users who vanished could not be told of messages');
  }

  private async run(): Promise<void> {
    const pause = new EventLoopYield();
    try {
      while (!this.stopped && (await this.askSome())) {
        // One transaction at a time: what waits for the store stays little.
        await this.runtime.journal.barrier();
        if (pause.isDue) await pause.take();
      }
    } catch (error) {
      if (this.stopped) return;
      if (!isStoreAway(error)) this.failed(error);
      this.options.wheel.arm(WAKE_UP, this.org.now() + PAUSE_MS, () => this.wake());
    } finally {
      this.running = false;
    }
    if (this.due.size + this.gone.size > 0) this.wake();
  }

  /** @returns whether there was anything to do */
  private async askSome(): Promise<boolean> {
    const { notificationWatches: watches } = this.org;
    for (const [userId, last] of this.gone) {
      const ids = watches.of(userId).slice(0, WATCHES_AT_ONCE);
      if (ids.length === 0) this.gone.delete(userId);
      else {
        const isGone = (one: number): number | null => (one === userId ? last : null);
        await this.ask(ids, isGone, () => undefined);
        return true;
      }
    }
    const ids = [...this.due].slice(0, WATCHES_AT_ONCE);
    if (ids.length === 0) return false;
    const vanished = (userId: number): number | null =>
      this.options.attention.takesMessages(userId) ? null : -Infinity;
    await this.ask(ids, vanished, (tx, id) => this.look(tx, id));
    for (const id of ids) this.due.delete(id);
    return true;
  }

  /**
   * Tells those on watches who have vanished, and takes them off.
   * @param lastOf when a client of a user was last there; null for one that is
   * @param look at those who are left
   */
  private async ask(
    ids: readonly string[],
    lastOf: (userId: number) => number | null,
    look: (tx: Transaction, id: string) => void,
  ): Promise<void> {
    const { org } = this;
    const wanted = ids.flatMap((id) => org.notificationWatches.get(id)?.message_id ?? []);
    const messages = await org.messages.fetch(wanted);
    if (this.stopped) return;
    this.runtime.transact((tx) => {
      for (const id of ids) {
        const watch = tx.org.notificationWatches.get(id);
        if (!watch) continue;
        const taken = new Set<number>();
        const told: number[] = [];
        for (const userId of watch.users) {
          const last = lastOf(userId);
          if (last === null) continue;
          taken.add(userId);
          if (last < watch.at + SHOWN_MS) told.push(userId);
        }
        const message = messages.get(watch.message_id);
        if (message && tx.org.messages.has(watch.message_id)) {
          this.options.notifier.tellVanished(message, told, new Set(watch.pushed));
        }
        tx.org.notificationWatches.take(id, taken);
        look(tx, id);
      }
    });
  }

  /** Takes those off a watch whose clients have shown the message, and looks again when the others may be gone. */
  private look({ org, now }: Transaction, id: string): void {
    const watch = org.notificationWatches.get(id);
    if (!watch) return;
    const shown = new Set<number>();
    let next = Infinity;
    for (const userId of watch.users) {
      const unused = this.options.attention.unusedFor(userId);
      if (now - unused >= watch.at + SHOWN_MS) shown.add(userId);
      else next = Math.min(next, Number.isFinite(unused) ? now + UNUSED_MS - unused : Infinity);
    }
    org.notificationWatches.take(id, shown);
    // Of whom nothing is known, somebody knows within ten minutes.
    if (org.notificationWatches.has(id)) {
      this.arm(id, Math.max(now + 1, Math.min(next, now + UNUSED_MS)));
    }
  }
}

function idOf({ message_id, first }: NotificationWatchDocument): string {
  return `${message_id}:${first}`;
}
