import { addressOf, type View } from './view.js';

/** The section `unread_msgs` of the snapshot, as far as it is used. */
interface UnreadSection {
  readonly pms?: readonly { other_user_id: number; unread_message_ids: readonly number[] }[];
  readonly huddles?: readonly { user_ids_string: string; unread_message_ids: readonly number[] }[];
  readonly streams?: readonly {
    stream_id: number;
    topic: string;
    unread_message_ids: readonly number[];
  }[];
}

interface Conversation {
  readonly address: string;
  readonly ids: Set<number>;
  /** Undefined where the newest one has gone: it is looked for when it is asked for. */
  newest: number | undefined;
}

/** Unread messages by conversation. */
export class Unread {
  private readonly byConversation = new Map<string, Conversation>();
  private readonly conversationOf = new Map<number, string>();
  private readonly byChannel = new Map<number, number>();

  constructor(section: UnreadSection, me: number) {
    for (const { other_user_id, unread_message_ids } of section.pms ?? []) {
      this.addAll({ kind: 'direct', userIds: [other_user_id] }, unread_message_ids);
    }
    for (const { user_ids_string, unread_message_ids } of section.huddles ?? []) {
      const ids = user_ids_string.split(',').map(Number);
      const userIds = ids.filter((id) => id !== me).sort((a, b) => a - b);
      this.addAll({ kind: 'direct', userIds }, unread_message_ids);
    }
    for (const { stream_id, topic, unread_message_ids } of section.streams ?? []) {
      this.addAll({ kind: 'channel', channelId: stream_id, topic }, unread_message_ids);
    }
  }

  get total(): number {
    return this.conversationOf.size;
  }

  has(id: number): boolean {
    return this.conversationOf.has(id);
  }

  /** Of a channel or a conversation. */
  count(view: View): number {
    if (view.kind === 'channel' && view.topic === undefined) {
      return this.byChannel.get(view.channelId) ?? 0;
    }
    return this.byConversation.get(keyOf(view))?.ids.size ?? 0;
  }

  /** All of a channel or a conversation. */
  all(view: View): number[] {
    const key = keyOf(view);
    const isWhole = view.kind === 'channel' && view.topic === undefined;
    return [...this.byConversation]
      .filter(([at]) => at === key || (isWhole && at.startsWith(`${key}/`)))
      .flatMap(([, { ids }]) => [...ids]);
  }

  /** The oldest of a channel or a conversation. */
  first(view: View): number | undefined {
    return this.all(view).reduce<number | undefined>(
      (first, id) => (first === undefined || id < first ? id : first),
      undefined,
    );
  }

  ids(): number[] {
    return [...this.conversationOf.keys()];
  }

  addAll(view: View, ids: readonly number[]): void {
    const key = keyOf(view);
    const known = this.byConversation.get(key);
    const unread = known?.ids ?? new Set<number>();
    let newest = known ? newestOf(known) : 0;
    let added = 0;
    for (const id of ids) {
      newest = Math.max(newest, id);
      if (this.conversationOf.has(id)) continue;
      unread.add(id);
      this.conversationOf.set(id, key);
      added += 1;
    }
    // As the newest message names it.
    this.byConversation.set(key, { address: addressOf(view), ids: unread, newest });
    this.count_(key, added);
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) {
      const key = this.conversationOf.get(id);
      if (key === undefined) continue;
      this.conversationOf.delete(id);
      const conversation = this.byConversation.get(key)!;
      conversation.ids.delete(id);
      if (conversation.newest === id) conversation.newest = undefined;
      if (conversation.ids.size === 0) this.byConversation.delete(key);
      this.count_(key, -1);
    }
  }

  clear(): void {
    this.byConversation.clear();
    this.conversationOf.clear();
    this.byChannel.clear();
  }

  /** Addresses of conversations with unread messages, those with the newest first. */
  conversations(): { address: string; count: number; newest: number }[] {
    return [...this.byConversation.values()]
      .map((one) => ({ address: one.address, count: one.ids.size, newest: newestOf(one) }))
      .sort((a, b) => b.newest - a.newest);
  }

  private count_(key: string, step: number): void {
    const channel = /^#\/channel\/(\d+)/.exec(key);
    if (!channel) return;
    const id = Number(channel[1]);
    this.byChannel.set(id, (this.byChannel.get(id) ?? 0) + step);
  }
}

function newestOf(conversation: Conversation): number {
  return (conversation.newest ??= Math.max(...conversation.ids));
}

function keyOf(view: View): string {
  if (view.kind !== 'channel') return addressOf(view);
  // Topics differ in case at most as names of the same one.
  return addressOf({ ...view, topic: view.topic?.toLowerCase() });
}
