import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import {
  MAX_MISSED_IN_ALL,
  MAX_MISSED_MESSAGES,
  MAX_NOTIFICATION_WATCHES,
} from '../../../schemas/limits.js';
import type { MessageNotifier } from '../state/hooks.js';
import type { Organization } from '../state/organization.js';
import { MessageAccess } from '../messages/message-access.js';
import { decide } from '../reasons/decide.js';
import { candidatesOf, MessageFacts, MOST_AT_ONCE } from '../reasons/facts.js';
import { hasPushTargets, pushTargetsOf, queuePush } from '../personal/outgoing-pushes.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { PresenceTracker } from '../presence/presence-tracker.js';

/** A user who has used no client for so long is not at one (event-queues.md#life-cycle, offline rule). Milliseconds. */
export const UNUSED_MS = 10 * 60_000;

/** What notifications ask of who is there. */
export interface Attentive {
  /** Whether nobody sees what comes for the user. */
  isAway(userId: number): boolean;
  /** Whether a client of the user takes messages. */
  takesMessages(userId: number): boolean;
  /** How long ago one did, milliseconds; infinite where that is not known. */
  unusedFor(userId: number): number;
  /** Calls a listener when a client of a user has left; null ends that. See `Queues.onLost`. */
  watch(listener: ((userId: number, unusedMs: number, expired: boolean) => void) | null): void;
}

/**
 * Attention knows who is at a client that shows what comes; on the leader, which hears of the clients of all nodes.
 */
export class Attention implements Attentive {
  constructor(
    private readonly presence: Pick<PresenceTracker, 'statusOf' | 'isShared'>,
    private readonly queues: Pick<Queues, 'isAttended' | 'unusedFor' | 'onLost'>,
  ) {}

  takesMessages(userId: number): boolean {
    return this.queues.isAttended(userId, UNUSED_MS);
  }

  unusedFor(userId: number): number {
    return this.queues.unusedFor(userId);
  }

  watch(listener: Queues['onLost'] | null): void {
    this.queues.onLost = listener ?? (() => undefined);
  }

  /**
   * Whether nobody sees what comes for the user: none of their clients takes messages, or all say that nobody is
   * there. Of users who share no presence only the former is known.
   */
  isAway(userId: number): boolean {
    if (this.presence.isShared(userId) && this.presence.statusOf(userId) !== 'active') return true;
    return !this.takesMessages(userId);
  }
}

/** Dependencies of {@link Notifier}. */
export interface NotifierOptions {
  readonly attention: Pick<Attentive, 'isAway'>;
  /** Whether mails about messages are sent. */
  readonly mails: boolean;
  /** Whether pushes are. */
  readonly pushes: boolean;
  /** Messages are being deleted, or moved out of reach, which devices may show. */
  readonly onWithdrawn: (ids: readonly number[]) => void;
  /** A message found no room. */
  readonly onFull: () => void;
}

/**
 * Notifier records, in the transaction of a message, who is to be notified of it by mail. A message costs next to nothing
 * of which nobody asked to be told, and a small document where those who did are there.
 */
export class Notifier implements MessageNotifier {
  constructor(
    private readonly org: Organization,
    private readonly options: NotifierOptions,
  ) {}

  sent(message: MessageDocument, readers: readonly number[]): void {
    const { org } = this;
    const candidates = candidatesOf(org, message);
    if (candidates === null) {
      org.notificationSweeps.insert({ message_id: message.id, at: org.now(), after: 0 });
    } else this.ask(message, candidates, (userId) => readers.includes(userId));
  }

  edited(before: MessageDocument, now: MessageDocument): void {
    const known = new Set(before.mentioned);
    const named = now.mentioned.filter((userId) => !known.has(userId));
    if (named.length === 0 || named.length > MOST_AT_ONCE) return;
    // Those whom the message concerned before were notified then, or were active.
    const former = new MessageFacts(this.org, before);
    const unconcerned = named.filter((userId) => {
      const { email, push } = decide(former.of(userId, true, false));
      return email === null && push === null;
    });
    const { id, recipient_id } = now;
    this.ask(now, unconcerned, (userId) => this.org.readState.isRead(userId, recipient_id, id));
  }

  withdrawn(ids: readonly number[]): void {
    this.options.onWithdrawn(ids);
  }

  /**
   * Decides for some receivers, and writes down what comes of it; in an open transaction. Those who are there are put on
   * a watch, if they are to be told of the message where their clients turn out to have vanished.
   */
  ask(
    message: MessageDocument,
    userIds: Iterable<number>,
    isRead: (userId: number) => boolean,
  ): void {
    const { attention, mails, pushes } = this.options;
    let facts: MessageFacts | undefined;
    const watched: number[] = [];
    const pushed: number[] = [];
    for (const userId of userIds) {
      if (userId === message.sender_id) continue;
      const hasDevice = pushes && hasPushTargets(this.org, userId);
      if (!hasDevice && !mails) continue;
      facts ??= new MessageFacts(this.org, message);
      const ifAway = facts.of(userId, true, isRead(userId));
      const { email, push } = decide(ifAway);
      const canMail = mails && email !== null;
      const canPush = hasDevice && push !== null;
      if (!canMail && !canPush) continue;
      if (attention.isAway(userId)) {
        if (canMail) this.add(userId, message.id, email);
        if (canPush) this.push(userId, message.id, push);
        continue;
      }
      const now = canPush ? decide({ ...ifAway, isAway: false }).push : null;
      if (now !== null) this.push(userId, message.id, now);
      if (now !== null && !canMail) continue;
      watched.push(userId);
      if (now !== null) pushed.push(userId);
    }
    if (watched.length > 0) this.watch(message.id, watched, pushed);
  }

  /**
   * Tells users whose clients have vanished since a message came, if it is still unread; in an open transaction.
   * @param pushed those who got a push then
   */
  tellVanished(
    message: MessageDocument,
    userIds: Iterable<number>,
    pushed: ReadonlySet<number>,
  ): void {
    const { mails, pushes } = this.options;
    const facts = new MessageFacts(this.org, message);
    for (const userId of userIds) {
      const user = this.org.users.get(userId);
      if (!user || !new MessageAccess(this.org, user).isUnread(message.id)) continue;
      const { email, push } = decide(facts.of(userId, true, false));
      if (mails && email !== null) this.add(userId, message.id, email);
      const hasDevice = pushes && !pushed.has(userId) && hasPushTargets(this.org, userId);
      if (hasDevice && push !== null) this.push(userId, message.id, push);
    }
  }

  private watch(message_id: number, users: number[], pushed: number[]): void {
    const { notificationWatches: watches } = this.org;
    if (watches.size >= MAX_NOTIFICATION_WATCHES) {
      this.options.onFull();
      return;
    }
    const sorted = [...users].sort((a, b) => a - b);
    const first = sorted[0]!;
    const known = watches.get(`${message_id}:${first}`);
    const all = known ? [...new Set([...known.users, ...sorted])].sort((a, b) => a - b) : sorted;
    watches.insert({
      ...{ message_id, first, at: this.org.now(), users: all },
      pushed: [...(known?.pushed ?? []), ...pushed],
    });
  }

  private push(userId: number, message_id: number, trigger: Trigger): void {
    const content = { kind: 'message', message_id, trigger } as const;
    const found = queuePush(this.org, userId, content, pushTargetsOf(this.org, userId));
    if (!found) this.options.onFull();
  }

  private add(userId: number, id: number, trigger: Trigger): void {
    const { missedMessages } = this.org;
    const known = missedMessages.get(userId);
    if (missedMessages.waiting >= MAX_MISSED_IN_ALL) {
      this.options.onFull();
      return;
    }
    const one = { id, trigger };
    if (!known) {
      missedMessages.insert({ user_id: userId, since: this.org.now(), messages: [one], more: 0 });
    } else if (known.messages.length < MAX_MISSED_MESSAGES) {
      missedMessages.update(userId, { messages: [...known.messages, one] });
    } else missedMessages.update(userId, { more: known.more + 1 });
  }
}
