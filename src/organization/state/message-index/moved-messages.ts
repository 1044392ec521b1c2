import type { MessageDocument, MessageRoute } from '../../../../schemas/messages/message.js';
import { NO_IDS, runsOf, type Intervals } from './intervals.js';
import { PostingList } from './posting-lists.js';

/** Messages of one conversation with the same origin and route. */
export class MovedGroup implements MessageRoute {
  readonly list = new PostingList();
  private runs: Intervals = NO_IDS;
  /** The state that the runs were computed from. */
  private known = '';

  constructor(
    readonly recipientId: number,
    readonly from: MessageRoute['from'],
    readonly hops: MessageRoute['hops'],
  ) {}

  /** Its messages as intervals that contain no other messages of the conversation. */
  runsIn(conversation: PostingList): Intervals {
    const now = `${conversation.shifts} ${this.list.shifts} ${this.list.length}`;
    if (this.known !== now) {
      this.runs = runsOf(this.list, conversation);
      this.known = now;
    }
    return this.runs;
  }
}

/** Messages of one conversation with the same origin and route. */
export type MovedImage = readonly [recipientId: number, route: MessageRoute, ids: Uint32Array];

const NONE: readonly MovedGroup[] = [];
const EMPTY = new PostingList();

/** Whether messages went the same way. */
export function isSameRoute(one: MessageRoute, other: MessageRoute): boolean {
  return (
    one.from === other.from &&
    one.hops.length === other.hops.length &&
    one.hops.every(([stream, seq], i) => {
      const [theirs, at] = other.hops[i]!;
      return stream === theirs && seq === at;
    })
  );
}

/** Names the messages of one conversation with the same route. */
export function groupKey(recipientId: number, { from, hops }: MessageRoute): string {
  return `${recipientId}:${from}:${hops.join(';')}`;
}

/**
 * MovedMessages has the messages that are, or were, in another channel than the one they were sent to.
 * Messages moved together share one group, so that a moved topic of a hundred thousand messages costs a few
 * numbers per message and nothing per user.
 */
export class MovedMessages {
  private readonly groups = new Map<string, MovedGroup>();
  private readonly byConversation = new Map<number, readonly MovedGroup[]>();
  private readonly byOrigin = new Map<number, PostingList>();
  private readonly byId = new Map<number, MovedGroup>();

  /** The groups of an image. */
  static of(groups: readonly MovedImage[]): MovedMessages {
    const made = new MovedMessages();
    for (const [recipientId, route, ids] of groups) {
      made.addAllTo(made.groupFor(recipientId, route), ids);
    }
    return made;
  }

  /** A copy of the groups. */
  image(): MovedImage[] {
    return Array.from(this.groups.values(), ({ recipientId, from, hops, list }): MovedImage => {
      return [recipientId, { from, hops }, list.toColumn()];
    });
  }

  /** Groups of a conversation's messages; all other messages were sent there. */
  into(recipientId: number): readonly MovedGroup[] {
    return this.byConversation.get(recipientId) ?? NONE;
  }

  /** Messages sent to a channel and moved out of it, including those that were moved back. */
  outOf(streamId: number): PostingList {
    return this.byOrigin.get(streamId) ?? EMPTY;
  }

  /** Whether a message arrived in a channel at or after a journal position, even if it was moved on. */
  passedThrough(streamId: number, seq: number): boolean {
    for (const { hops } of this.groups.values()) {
      if (hops.some(([stream, arrived]) => stream === streamId && arrived >= seq)) return true;
    }
    return false;
  }

  /** The route of a message; undefined for one that never changed its channel. */
  of(id: number): MovedGroup | undefined {
    return this.byId.get(id);
  }

  /** Whether a message arrived in a conversation on this route. */
  isOn(id: number, recipientId: number, route: MessageRoute): boolean {
    const group = this.byId.get(id);
    return group?.recipientId === recipientId && isSameRoute(group, route);
  }

  /** Adds a message that arrived in its conversation on a route. */
  add({ id, recipient_id }: MessageDocument, route: MessageRoute): void {
    this.addTo(this.groupFor(recipient_id, route), id);
  }

  remove(id: number): void {
    const group = this.byId.get(id);
    if (!group) return;
    this.byId.delete(id);
    this.byOrigin.get(group.from)!.remove(id);
    group.list.remove(id);
    if (group.list.length === 0) this.drop(group);
  }

  /**
   * Removes many messages.
   * @param ids ascending
   * @returns reverts the removal
   */
  removeAll(ids: readonly number[]): () => void {
    const removed = new Map<MovedGroup, number[]>();
    // Most messages never changed their channel.
    for (const id of this.byId.size > 0 ? ids : []) {
      const group = this.byId.get(id);
      if (!group) continue;
      const part = removed.get(group);
      if (part) part.push(id);
      else removed.set(group, [id]);
      this.byId.delete(id);
    }
    for (const [group, part] of removed) {
      this.byOrigin.get(group.from)!.removeAll(part);
      group.list.removeAll(part);
      if (group.list.length === 0) this.drop(group);
    }
    return () => {
      for (const [{ recipientId, from, hops }, part] of removed) {
        this.addAllTo(this.groupFor(recipientId, { from, hops }), part);
      }
    };
  }

  /**
   * Records that messages arrived in a conversation on one route.
   * @param ids ascending
   * @returns reverts the change
   */
  rerouteAll(recipientId: number, route: MessageRoute, ids: readonly number[]): () => void {
    const former = new Map<MovedGroup | undefined, number[]>();
    const group = this.groupFor(recipientId, route);
    for (const id of ids) {
      const before = this.byId.get(id);
      const part = former.get(before);
      if (part) part.push(id);
      else former.set(before, [id]);
      this.byId.set(id, group);
    }
    group.list.addAll(ids);
    for (const [before, part] of former) {
      if (before?.from !== group.from) this.originOf(group).addAll(part);
      if (!before) continue;
      before.list.removeAll(part);
      if (before.from !== group.from) this.originOf(before).removeAll(part);
      if (before.list.length === 0) this.drop(before);
    }
    return () => {
      this.removeAll(ids);
      for (const [before, part] of former) {
        if (before) this.addAllTo(this.groupFor(before.recipientId, before), part);
      }
    };
  }

  /** Adds messages that are not in the group, ascending. */
  private addAllTo(group: MovedGroup, ids: readonly number[] | Uint32Array): void {
    group.list.addAll(ids);
    this.originOf(group).addAll(ids);
    for (const id of ids) this.byId.set(id, group);
  }

  private addTo(group: MovedGroup, id: number): void {
    group.list.add(id);
    this.byId.set(id, group);
    this.originOf(group).add(id);
  }

  /** All moved messages with the same origin as a group. */
  private originOf({ from }: MovedGroup): PostingList {
    let list = this.byOrigin.get(from);
    if (!list) this.byOrigin.set(from, (list = new PostingList()));
    return list;
  }

  private groupFor(recipientId: number, { from, hops }: MessageRoute): MovedGroup {
    const key = groupKey(recipientId, { from, hops });
    let group = this.groups.get(key);
    if (!group) {
      group = new MovedGroup(recipientId, from, hops);
      this.groups.set(key, group);
      this.byConversation.set(recipientId, [...this.into(recipientId), group]);
    }
    return group;
  }

  private drop(group: MovedGroup): void {
    const { recipientId } = group;
    this.groups.delete(groupKey(recipientId, group));
    const rest = this.into(recipientId).filter((one) => one !== group);
    if (rest.length === 0) this.byConversation.delete(recipientId);
    else this.byConversation.set(recipientId, rest);
  }
}
