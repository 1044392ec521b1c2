import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import { MAX_MISSED_IN_ALL, MAX_MISSED_MESSAGES } from '../../../schemas/limits.js';
import type { MessageNotifier } from '../state/message-notifier.js';
import type { Organization } from '../state/organization.js';
import type { Attention } from './attention.js';
import { decide } from './decide.js';
import { candidatesOf, MessageFacts } from './facts.js';

/** Dependencies of {@link Notifier}. */
export interface NotifierOptions {
  readonly attention: Pick<Attention, 'isAway'>;
  /** Messages found no room, of all users. */
  readonly onFull: () => void;
}

/**
 * Notifier writes down, in the transaction of a message, who is to be told of it by mail. It costs a message next to
 * nothing whose receivers are there, or who did not ask for it.
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

  /** Decides for some receivers, and writes down what comes of it; in an open transaction. */
  ask(
    message: MessageDocument,
    userIds: Iterable<number>,
    isRead: (userId: number) => boolean,
  ): void {
    let facts: MessageFacts | undefined;
    for (const userId of userIds) {
      // First, because it is true of few: nobody who is there is told by mail.
      if (userId === message.sender_id || !this.options.attention.isAway(userId)) continue;
      facts ??= new MessageFacts(this.org, message);
      const { email } = decide(facts.of(userId, true, isRead(userId)));
      if (email !== null) this.add(userId, message.id, email);
    }
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
