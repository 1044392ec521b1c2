import { setImmediate } from '../../platform/timers.js';
import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { MissedMessagesDocument } from '../../../schemas/notifications/missed-messages-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { MAX_WAITING_MESSAGE_MAILS } from '../../../schemas/limits.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { queueMail } from '../mail/delivery.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import type { Notifier } from './notifier.js';
import { isStoreAway } from '../../store/port.js';
import { inBackground } from '../../turns/background.js';
import { earliest, NOW } from '../state/scheduled/next-due.js';

/** Users whose mails one transaction queues: each costs some 100 look-ups and a mail per conversation. */
const USERS_AT_ONCE = 10;
/** Receivers that one transaction asks of a message to many: about 5 ms where all are away. */
const ASKED_AT_ONCE = 500;
/** Pause where the store is failing or too many mails are waiting, milliseconds. */
const PAUSE_MS = 30_000;

/** Log of the worker for operators. */
export interface NotificationLog {
  info(context: object, message: string): void;
  error(context: object, message: string): void;
  warn(context: object, message: string): void;
}

/** Dependencies of {@link MissedMessageMails}. */
interface MissedMessageMailsOptions {
  readonly notifier: Notifier;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: NotificationLog;
}

const WAKE_UP = 'again';

/**
 * MissedMessageMails queues the mails about messages when a user's batching period is over: one per conversation that
 * is still unread. The list of a user is deleted in the transaction that queues them, so each message is mailed to each
 * user once, whatever is killed. It runs on the leader; the next one goes on with the lists that there are.
 */
export class MissedMessageMails {
  private readonly due = new Set<number>();
  private running = false;
  private stopped = false;

  constructor(
    private readonly runtime: Transactor,
    private readonly options: MissedMessageMailsOptions,
  ) {}

  /** Takes up what is waiting, and what will. */
  start(): void {
    const { missedMessages, notificationSweeps, settings } = this.org;
    settings.onPeriodChange = (userId) => this.periodChanged(userId);
    missedMessages.onAppear = (document) => this.arm(document);
    notificationSweeps.onAppear = () => this.wake();
    for (const document of missedMessages.values()) this.arm(document);
    if (notificationSweeps.size > 0) this.wake();
  }

  /** Begins nothing any more. */
  stop(): void {
    this.stopped = true;
    this.due.clear();
  }

  /** When the next batching period is over. */
  nextDue(): number {
    const { org } = this;
    if (this.running || this.hasWork) return NOW;
    return earliest([...org.missedMessages.values()].map((one) => dueAt(org, one)));
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private periodChanged(userId: number): void {
    const document = this.org.missedMessages.get(userId);
    if (document && !this.stopped) this.arm(document);
  }

  private arm(document: MissedMessagesDocument): void {
    const { user_id } = document;
    this.options.wheel.arm(String(user_id), dueAt(this.org, document), () => {
      this.due.add(user_id);
      this.wake();
    });
  }

  private wake(): void {
    if (this.running || this.stopped) return;
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
    if (this.stopped) return;
    this.options.log.warn({ err: error }, 'notifications of messages could not be made');
  }

  private async run(): Promise<void> {
    const pause = new EventLoopYield();
    try {
      while (!this.stopped && (this.mailSome() || (await this.askSome()))) {
        // One transaction at a time: what waits for the store stays little.
        await this.runtime.journal.barrier();
        if (pause.isDue) await pause.take();
      }
    } catch (error) {
      if (!isStoreAway(error)) this.failed(error);
      this.later();
    } finally {
      this.running = false;
    }
    // What came while it was found that there is nothing.
    if (!this.stopped && this.hasWork && !this.options.wheel.has(WAKE_UP)) this.wake();
  }

  private get hasWork(): boolean {
    return this.due.size > 0 || this.org.notificationSweeps.size > 0;
  }

  private later(): void {
    if (this.stopped) return;
    this.options.wheel.arm(WAKE_UP, this.org.now() + PAUSE_MS, () => this.wake());
  }

  /** @returns whether there was anything to do */
  private mailSome(): boolean {
    if (this.due.size === 0 || this.options.wheel.has(WAKE_UP)) return false;
    if (this.org.mails.size >= MAX_WAITING_MESSAGE_MAILS) {
      const waiting = this.org.mails.size;
      this.options.log.warn({ waiting }, 'too many mails wait; those about messages wait');
      this.later();
      return false;
    }
    const users = [...this.due].slice(0, USERS_AT_ONCE);
    this.runtime.transact((tx) => {
      for (const userId of users) this.mail(tx, userId);
    });
    for (const userId of users) {
      this.due.delete(userId);
      const left = this.org.missedMessages.get(userId);
      if (left) this.arm(left);
    }
    return true;
  }

  /** Queues the mails of a user whose time has come. */
  private mail(tx: Transaction, userId: number): void {
    const document = tx.org.missedMessages.get(userId);
    if (!document || dueAt(tx.org, document) > tx.now) return;
    tx.org.missedMessages.delete(userId);
    const user = tx.org.users.get(userId);
    if (!user?.is_active) return;
    let { more } = document;
    for (const messages of conversationsOf(new MessageAccess(tx.org, user), document)) {
      queueMail(tx, user.email, { kind: 'missed_messages', user_id: userId, messages, more });
      more = 0;
    }
  }

  /** @returns whether there was anything to do */
  private async askSome(): Promise<boolean> {
    const [sweep] = this.org.notificationSweeps.values();
    if (!sweep || this.options.wheel.has(WAKE_UP)) return false;
    const { message_id: id } = sweep;
    const message = (await this.org.messages.fetch([id])).get(id);
    if (this.stopped) return false;
    this.runtime.transact((tx) => {
      const { org } = tx;
      const current = org.notificationSweeps.get(id);
      if (!current) return;
      const users =
        message && org.messages.has(id) ? receiversAfter(org, message, current.after) : [];
      if (users.length > 0) {
        const isRead = (userId: number): boolean =>
          org.readState.isRead(userId, message!.recipient_id, id);
        this.options.notifier.ask(message!, users, isRead);
      }
      if (users.length < ASKED_AT_ONCE) org.notificationSweeps.delete(id);
      else org.notificationSweeps.update(id, { after: users[users.length - 1]! });
    });
    return true;
  }
}

/**
 * The next receivers of a message after a user, by ascending id. Users who subscribed since are among them, and are
 * told of nothing: what they did not receive is not unread for them.
 */
function receiversAfter(
  org: Organization,
  { stream_id, recipient_id }: Pick<MessageDocument, 'stream_id' | 'recipient_id'>,
  after: number,
): number[] {
  const all =
    stream_id === null
      ? (org.conversations.get(recipient_id)?.user_ids ?? [])
      : org.subscriptions.subscribers(stream_id);
  return smallestAbove(all, after, ASKED_AT_ONCE);
}

/** Up to `count` ids above `after`, ascending. */
function smallestAbove(ids: readonly number[], after: number, count: number): number[] {
  const above = Int32Array.from(ids.filter((id) => id > after)).sort();
  return [...above.subarray(0, count)];
}

/** When a user is told of their missed messages, milliseconds since 1970. */
function dueAt(org: Organization, { user_id, since }: MissedMessagesDocument): number {
  const seconds = org.settings.value(user_id, 'email_notifications_batching_period_seconds');
  return since + seconds * 1000;
}

/** Messages that are still unread, by conversation, in the order of their arrival. */
function conversationsOf(
  access: MessageAccess,
  { messages }: MissedMessagesDocument,
): MissedMessagesDocument['messages'][] {
  const byTopic = new Map<number, MissedMessagesDocument['messages']>();
  for (const one of messages) {
    const topic = access.org.messages.index.topicOf(one.id);
    if (!topic || !access.isUnread(one.id)) continue;
    const known = byTopic.get(topic.number);
    if (known) known.push(one);
    else byTopic.set(topic.number, [one]);
  }
  return [...byTopic.values()];
}
