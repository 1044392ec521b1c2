import type { Body, WireEvent } from './client.js';

/** Where an unread message stands in `unread_msgs` (register-structures.md#unread-msgs). */
type Place =
  | { readonly kind: 'pms'; readonly other: number }
  | { readonly kind: 'streams'; readonly streamId: number; readonly topic: string }
  | { readonly kind: 'huddles'; readonly userIds: string };

interface Unread {
  readonly mentions: readonly number[];
  readonly pms: readonly { other_user_id: number; unread_message_ids: number[] }[];
  readonly streams: readonly { stream_id: number; topic: string; unread_message_ids: number[] }[];
  readonly huddles: readonly { user_ids_string: string; unread_message_ids: number[] }[];
}

interface Message {
  readonly id: number;
  readonly type: string;
  readonly stream_id: number;
  readonly subject: string;
  readonly display_recipient: string | readonly { readonly id: number }[];
}

interface Details {
  readonly type: string;
  readonly mentioned?: boolean;
  readonly user_ids: readonly number[];
  readonly stream_id: number;
  readonly topic: string;
}

interface Edit {
  readonly message_id: number;
  readonly message_ids: readonly number[];
  readonly new_stream_id?: number;
  readonly subject?: string;
}

const MENTIONS = ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'];

/** What a client knows about messages without fetching any, kept current from events alone. */
export class MessageState {
  private newest: number;
  private readonly places = new Map<number, Place>();
  private readonly mentions: Set<number>;
  private readonly starred: Set<number>;
  /**
   * Fields of the snapshot that named a message that was deleted since: what takes its place no event
   * tells, and clients ask where they need it.
   */
  readonly unknown = new Set<string>();
  /** Newest message by the other participants' ids. */
  private readonly conversations = new Map<string, number>();

  constructor(
    private readonly userId: number,
    snapshot: Body,
  ) {
    this.newest = (snapshot.max_message_id as number | undefined) ?? -1;
    this.starred = new Set((snapshot.starred_messages as number[] | undefined) ?? []);
    const unread = snapshot.unread_msgs as Unread | undefined;
    this.mentions = new Set(unread?.mentions);
    for (const { other_user_id: other, unread_message_ids } of unread?.pms ?? []) {
      this.put(unread_message_ids, { kind: 'pms', other });
    }
    for (const { stream_id: streamId, topic, unread_message_ids } of unread?.streams ?? []) {
      this.put(unread_message_ids, { kind: 'streams', streamId, topic });
    }
    for (const { user_ids_string: userIds, unread_message_ids } of unread?.huddles ?? []) {
      this.put(unread_message_ids, { kind: 'huddles', userIds });
    }
    const recent = snapshot.recent_private_conversations as
      | { user_ids: number[]; max_message_id: number }[]
      | undefined;
    for (const { user_ids, max_message_id } of recent ?? []) {
      this.conversations.set(user_ids.join(','), max_message_id);
    }
  }

  apply(event: WireEvent): void {
    if (event.type === 'message') {
      this.arrived(event.message as Message, event.flags as string[]);
    } else if (event.type === 'update_message_flags') this.flagged(event);
    else if (event.type === 'update_message') this.edited(event);
    else if (event.type === 'delete_message') this.deleted(event);
  }

  /**
   * The fields of a snapshot that this state gives, lists in one order.
   * @param isMuted whether the messages of a topic do not count
   */
  fields(isMuted: (streamId: number, topic: string) => boolean): Body {
    const entries = [...this.places];
    const counted = entries.filter(
      ([, p]) => p.kind !== 'streams' || !isMuted(p.streamId, p.topic),
    );
    return {
      max_message_id: this.newest,
      starred_messages: ascending(this.starred),
      recent_private_conversations: [...this.conversations]
        .sort(([, a], [, b]) => b - a)
        .map(([others, max_message_id]) => ({
          user_ids: others === '' ? [] : others.split(',').map(Number),
          max_message_id,
        })),
      unread_msgs: {
        count: counted.length,
        mentions: ascending(this.mentions),
        conversations: conversations(entries),
      },
    };
  }

  private put(ids: readonly number[], place: Place): void {
    for (const id of ids) {
      if (this.places.has(id)) throw new Error(`message ${id} is unread twice`);
      this.places.set(id, place);
    }
  }

  private arrived(message: Message, flags: readonly string[]): void {
    const { id } = message;
    this.newest = Math.max(this.newest, id);
    this.unknown.delete('max_message_id');
    if (message.type === 'private') {
      this.conversations.set(this.others(participants(message)).join(','), id);
    }
    if (flags.includes('starred')) this.starred.add(id);
    if (flags.includes('read')) return;
    this.put([id], this.placeOf(message));
    if (flags.some((flag) => MENTIONS.includes(flag))) this.mentions.add(id);
  }

  private flagged(event: WireEvent): void {
    const messages = event.messages as number[];
    if (event.flag === 'starred') {
      for (const id of messages) {
        if (event.op === 'add') this.starred.add(id);
        else this.starred.delete(id);
      }
    }
    if (event.flag !== 'read') return;
    if (event.op === 'add') {
      for (const id of event.all === true ? [...this.places.keys()] : messages) {
        this.places.delete(id);
        this.mentions.delete(id);
      }
      return;
    }
    const details = event.message_details as Record<string, Details>;
    for (const id of messages) {
      const { type, user_ids, stream_id, topic, mentioned } = details[id]!;
      const place: Place =
        type === 'stream'
          ? { kind: 'streams', streamId: stream_id, topic }
          : this.direct(this.others(user_ids));
      this.put([id], place);
      if (mentioned) this.mentions.add(id);
    }
  }

  private edited(event: WireEvent): void {
    const { message_id, message_ids, new_stream_id, subject } = event as unknown as Edit;
    for (const id of message_ids) {
      const place = this.places.get(id);
      if (place?.kind !== 'streams') continue;
      const moved = { streamId: new_stream_id ?? place.streamId, topic: subject ?? place.topic };
      this.places.set(id, { kind: 'streams', ...moved });
    }
    if (!this.places.has(message_id)) return;
    const flags = event.flags as string[];
    if (flags.some((flag) => MENTIONS.includes(flag))) this.mentions.add(message_id);
    else this.mentions.delete(message_id);
  }

  private deleted(event: WireEvent): void {
    for (const id of (event.message_ids as number[] | undefined) ?? [event.message_id as number]) {
      this.places.delete(id);
      this.mentions.delete(id);
      this.starred.delete(id);
      if (id === this.newest) this.unknown.add('max_message_id');
      if ([...this.conversations.values()].includes(id)) {
        this.unknown.add('recent_private_conversations');
      }
    }
  }

  private placeOf(message: Message): Place {
    return message.type === 'stream'
      ? { kind: 'streams', streamId: message.stream_id, topic: message.subject }
      : this.direct(this.others(participants(message)));
  }

  private direct(others: readonly number[]): Place {
    if (others.length < 2) return { kind: 'pms', other: others[0] ?? this.userId };
    return { kind: 'huddles', userIds: ascending([...others, this.userId]).join(',') };
  }

  private others(userIds: readonly number[]): number[] {
    return ascending(userIds).filter((id) => id !== this.userId);
  }
}

function participants(message: Message): number[] {
  return (message.display_recipient as { id: number }[]).map((user) => user.id);
}

function ascending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}

/** Unread ids by conversation; topics differ by more than case. */
function conversations(entries: readonly (readonly [number, Place])[]): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const [id, place] of [...entries].sort(([a], [b]) => a - b)) {
    const key = JSON.stringify(place).toLowerCase();
    (found[key] ??= []).push(id);
  }
  return found;
}
