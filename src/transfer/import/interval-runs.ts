/** Which messages of a conversation something is true of, as runs of neighbours: `[first, last, first, last …]`. */
type Runs = number[];

/**
 * Runs of messages by user and conversation. Each message is added once, in the order of ids, with the users for whom
 * it is true; one who is named twice counts once. A user who was there all the time has one run, however many messages there are.
 */
export class IntervalRuns {
  private readonly runs = new Map<string, Runs>();
  private readonly newest = new Map<number, number>();

  /** Notes a message of a conversation. @param userIds for whom it is true */
  add(conversation: number, messageId: number, userIds: readonly number[]): void {
    const before = this.newest.get(conversation);
    for (const userId of userIds) {
      const key = `${userId}:${conversation}`;
      const own = this.runs.get(key);
      if (!own) this.runs.set(key, [messageId, messageId]);
      else if (own.at(-1) === messageId) continue;
      else if (own.at(-1) === before) own[own.length - 1] = messageId;
      else own.push(messageId, messageId);
    }
    this.newest.set(conversation, messageId);
  }

  /** Newest message of a conversation, or undefined. */
  last(conversation: number): number | undefined {
    return this.newest.get(conversation);
  }

  /** Runs of a user, ascending, first and last of each inclusive. */
  of(userId: number, conversation: number): [number, number][] {
    const own = this.runs.get(`${userId}:${conversation}`) ?? [];
    const pairs: [number, number][] = [];
    for (let i = 0; i < own.length; i += 2) pairs.push([own[i]!, own[i + 1]!]);
    return pairs;
  }

  /** What lies between the runs, from 1 to the newest message. */
  outside(userId: number, conversation: number): [number, number][] {
    const gaps: [number, number][] = [];
    let from = 1;
    for (const [first, last] of this.of(userId, conversation)) {
      if (first > from) gaps.push([from, first - 1]);
      from = last + 1;
    }
    const end = this.last(conversation) ?? 0;
    if (end >= from) gaps.push([from, end]);
    return gaps;
  }
}
