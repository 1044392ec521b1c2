import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import { MAX_MISSED_IN_ALL, MAX_MISSED_MESSAGES } from '../../../schemas/limits.js';
import type { MessageNotifier } from '../state/hooks.js';
import type { Organization } from '../state/organization.js';
import { decide } from './decide.js';
import { candidatesOf, MessageFacts, MOST_AT_ONCE } from './facts.js';
import { hasPushTargets, pushTargetsOf, queuePush } from '../personal/outgoing-pushes.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { PresenceTracker } from '../presence/presence-tracker.js';

/** A user who has used no client for so long is not at one (event-queues.md#life-cycle, offline rule). Milliseconds. */
const UNUSED_MS = 10 * 60_000;

/**
 * Attention knows who is at a client that shows what comes; on the leader, which hears of the clients of all nodes.
 */
export class Attention {
  constructor(
    private readonly presence: Pick<PresenceTracker, 'statusOf' | 'isShared'>,
    private readonly queues: Pick<Queues, 'isAttended'>,
  ) {}

  /**
   * Whether nobody sees what comes for the user: none of their clients takes messages, or all say that nobody is
   * there. Of users who share no presence only the former is known.
   */
  isAway(userId: number): boolean {
    if (this.presence.isShared(userId) && this.presence.statusOf(userId) !== 'active') return true;
    return !this.queues.isAttended(userId, UNUSED_MS);
  }
}

/** Dependencies of {@link Notifier}. */
export interface NotifierOptions {
  readonly attention: Pick<Attention, 'isAway'>;
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
 * Notifier records, in the transaction of a message, who is to be notified of it by mail. A message whose
 * receivers are all there, or did not ask for mails, costs next to nothing.
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

  /** Decides for some receivers, and writes down what comes of it; in an open transaction. */
  ask(
    message: MessageDocument,
    userIds: Iterable<number>,
    isRead: (userId: number) => boolean,
  ): void {
    const { attention, mails, pushes } = this.options;
    let facts: MessageFacts | undefined;
    for (const userId of userIds) {
      if (userId === message.sender_id) continue;
      // First, because both are true of few: active users get no mail, and users without a device no push.
      const isAway = attention.isAway(userId);
      const hasDevice = pushes && hasPushTargets(this.org, userId);
      if (!hasDevice && !(isAway && mails)) continue;
      facts ??= new MessageFacts(this.org, message);
      const { email, push } = decide(facts.of(userId, isAway, isRead(userId)));
      if (mails && email !== null) this.add(userId, message.id, email);
      if (hasDevice && push !== null) this.push(userId, message.id, push);
    }
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
