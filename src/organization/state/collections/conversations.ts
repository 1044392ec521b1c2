import type { ConversationDocument } from '../../../../schemas/messages/message.js';
import { Collection, type Recorder } from '../collection.js';

const NONE: ReadonlySet<number> = new Set();

/** Direct conversations: sets of users who have written to each other. */
export class ConversationCollection extends Collection<number, ConversationDocument> {
  private readonly byUsers = new Map<string, number>();
  private readonly byUser = new Map<number, Set<number>>();

  constructor(recorder: Recorder) {
    super('conversation', recorder, (conversation) => conversation.recipient_id);
  }

  /** The conversation with exactly these participants, ascending. */
  between(userIds: readonly number[]): ConversationDocument | undefined {
    const id = this.byUsers.get(userIds.join());
    return id === undefined ? undefined : this.get(id);
  }

  /** Ids of the conversations that a user takes part in. */
  ofUser(userId: number): ReadonlySet<number> {
    return this.byUser.get(userId) ?? NONE;
  }

  protected override reindex(previous?: ConversationDocument, next?: ConversationDocument): void {
    if (previous) this.forget(previous);
    if (!next) return;
    this.byUsers.set(next.user_ids.join(), next.recipient_id);
    for (const userId of next.user_ids) {
      let own = this.byUser.get(userId);
      if (!own) this.byUser.set(userId, (own = new Set()));
      own.add(next.recipient_id);
    }
  }

  private forget(conversation: ConversationDocument): void {
    this.byUsers.delete(conversation.user_ids.join());
    for (const userId of conversation.user_ids) {
      this.byUser.get(userId)?.delete(conversation.recipient_id);
    }
  }
}
