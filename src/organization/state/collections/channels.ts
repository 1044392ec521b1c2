import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { Collection, type Recorder, NameIndex, toggle } from '../collection.js';
import type { ChannelFolderDocument } from '../../../../schemas/channels/channel-folders.js';
import { nameKey } from '../../../services/text/stored-text.js';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import { RangeVersions } from '../user-collections.js';

/** Channels, archived ones included. */
export class ChannelCollection extends Collection<number, ChannelDocument> {
  private readonly idByName = new NameIndex();
  private readonly idByRecipient = new Map<number, number>();

  constructor(recorder: Recorder) {
    super('channel', recorder, (channel) => channel.stream_id);
  }

  /** The channel with this name or one that looks alike. */
  byName(name: string): ChannelDocument | undefined {
    const id = this.idByName.find(name);
    return id === undefined ? undefined : this.get(id);
  }

  /** The channel with this conversation id. */
  byRecipient(recipientId: number): ChannelDocument | undefined {
    const id = this.idByRecipient.get(recipientId);
    return id === undefined ? undefined : this.get(id);
  }

  /** Ids of the channels that new accounts are subscribed to, ascending. */
  defaults(): number[] {
    const ids: number[] = [];
    for (const channel of this.values()) {
      if (channel.is_default && !channel.is_archived) ids.push(channel.stream_id);
    }
    return ids.sort((a, b) => a - b);
  }

  protected override reindex(previous?: ChannelDocument, next?: ChannelDocument): void {
    if (previous && previous.name !== next?.name) {
      this.idByName.release(previous.name, previous.stream_id);
    }
    if (previous && !next) this.idByRecipient.delete(previous.recipient_id);
    if (!next) return;
    if (next.name !== previous?.name) this.idByName.set(next.name, next.stream_id);
    this.idByRecipient.set(next.recipient_id, next.stream_id);
  }
}

/** Folders of channels, archived ones included. */
export class ChannelFolderCollection extends Collection<number, ChannelFolderDocument> {
  constructor(recorder: Recorder) {
    super('channel_folder', recorder, (folder) => folder.id);
  }

  /** All folders in their order. */
  ordered(): ChannelFolderDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order);
  }

  /** The unarchived folder with this name or one that looks alike. */
  live(name: string): ChannelFolderDocument | undefined {
    const key = nameKey(name);
    for (const folder of this.values()) {
      if (!folder.is_archived && nameKey(folder.name) === key) return folder;
    }
    return undefined;
  }
}

type SubscriptionsByChannel = Map<number, SubscriptionDocument>;

const NONE: ReadonlyMap<number, SubscriptionDocument> = new Map();
const NOBODY: readonly number[] = [];
const NO_ONE: ReadonlySet<number> = new Set();
/** After all journal positions. */
const NEVER = Infinity;

/** The active subscribers of one channel, for callers who ask about thousands of users. */
export interface Subscribers {
  /** Whether the user subscribes now. */
  has(userId: number): boolean;
  /** Whether the user is a subscriber now and was one all the time since a journal position. */
  hasSince(userId: number, seq: number): boolean;
}

/** The active subscribers of one channel; a list that was returned is copied before the next change. */
class SubscriberList implements Subscribers {
  private ids: number[] = [];
  /** Journal positions from which each has been subscribed until now, in the order of `ids`. */
  private readonly since: number[] = [];
  private readonly places = new Map<number, number>();
  private handedOut = false;
  /** Created on first use. */
  private changes: RangeVersions | undefined;

  /** The present subscribers; the array never changes afterwards. */
  snapshot(): readonly number[] {
    this.handedOut = true;
    return this.ids;
  }

  get size(): number {
    return this.ids.length;
  }

  has(userId: number): boolean {
    return this.places.has(userId);
  }

  hasSince(userId: number, seq: number): boolean {
    const place = this.places.get(userId);
    return place !== undefined && this.since[place]! <= seq;
  }

  /** Versions of the subscribers by range of user ids. */
  watched(): RangeVersions {
    return (this.changes ??= new RangeVersions());
  }

  add(userId: number, since: number): void {
    const place = this.places.get(userId);
    if (place !== undefined) {
      this.since[place] = since;
      return;
    }
    this.own();
    this.changes?.touch(userId);
    this.places.set(userId, this.ids.push(userId) - 1);
    this.since.push(since);
  }

  remove(userId: number): void {
    const place = this.places.get(userId);
    if (place === undefined) return;
    this.own();
    this.changes?.touch(userId);
    const last = this.ids.pop()!;
    const since = this.since.pop()!;
    this.places.delete(userId);
    if (last === userId) return;
    this.ids[place] = last;
    this.since[place] = since;
    this.places.set(last, place);
  }

  private own(): void {
    if (!this.handedOut) return;
    this.ids = this.ids.slice();
    this.handedOut = false;
  }
}

const NO_SUBSCRIBERS: Subscribers = new SubscriberList();

/** Present and former subscriptions. */
export class SubscriptionCollection extends Collection<string, SubscriptionDocument> {
  /** By user: the only subscription itself, which takes a fourth less of memory with its document, or all by channel. */
  private readonly byUser = new Map<number, SubscriptionDocument | SubscriptionsByChannel>();
  private readonly byChannel = new Map<number, SubscriberList>();
  /** Former subscribers by channel. */
  private readonly left = new Map<number, Set<number>>();
  /** Active subscribers who chose to be told of everything there by mail or push, by channel. */
  private readonly told = new Map<number, Set<number>>();
  /** Active subscribers who chose to be shown a notice of everything there, by channel. */
  private readonly shown = new Map<number, Set<number>>();
  /** Changes of each user's subscriptions. */
  readonly ofEach = new RangeVersions(1);
  /** Changes of the subscriptions to each channel. */
  readonly toEach = new RangeVersions(1);

  constructor(recorder: Recorder) {
    super('subscription', recorder, (sub) => `${sub.user_id}:${sub.stream_id}`);
  }

  /** The subscription of a user to a channel, also after unsubscribing. */
  of(userId: number, streamId: number): SubscriptionDocument | undefined {
    const own = this.byUser.get(userId);
    if (own instanceof Map) return own.get(streamId);
    return own?.stream_id === streamId ? own : undefined;
  }

  /** All present and former subscriptions of a user, by channel id. */
  ofUser(userId: number): ReadonlyMap<number, SubscriptionDocument> {
    const own = this.byUser.get(userId);
    if (own === undefined) return NONE;
    return own instanceof Map ? own : new Map([[own.stream_id, own]]);
  }

  /** Whether the user subscribes to the channel now. */
  isSubscribed(userId: number, streamId: number): boolean {
    return this.byChannel.get(streamId)?.has(userId) ?? false;
  }

  /**
   * Whether the user subscribes to the channel now and did all the time since the journal was at `seq`, as
   * most do: for changes that ask it of ten thousand users, without a look at their documents.
   */
  isSubscribedSince(userId: number, streamId: number, seq: number): boolean {
    return this.byChannel.get(streamId)?.hasSince(userId, seq) ?? false;
  }

  /** Active subscribers, in no particular order; a snapshot that does not change. */
  subscribers(streamId: number): readonly number[] {
    return this.byChannel.get(streamId)?.snapshot() ?? NOBODY;
  }

  /** Active subscribers. */
  in(streamId: number): Subscribers {
    return this.byChannel.get(streamId) ?? NO_SUBSCRIBERS;
  }

  /** Versions of the subscribers of a channel, by range of user ids. */
  changesOf(streamId: number): RangeVersions {
    return this.byChannel.get(streamId)?.watched() ?? new RangeVersions();
  }

  /** Former subscribers, in no particular order. */
  formerSubscribers(streamId: number): ReadonlySet<number> {
    return this.left.get(streamId) ?? NO_ONE;
  }

  /** Subscribers who chose for this channel to be told of every message by mail or push, in no particular order. */
  toldOfAll(streamId: number): ReadonlySet<number> {
    return this.told.get(streamId) ?? NO_ONE;
  }

  /** Subscribers who chose for this channel to be shown a notice of every message. */
  shownAll(streamId: number): ReadonlySet<number> {
    return this.shown.get(streamId) ?? NO_ONE;
  }

  /** Number of active subscribers. */
  subscriberCount(streamId: number): number {
    return this.byChannel.get(streamId)?.size ?? 0;
  }

  /** Whether the user was subscribed when the journal was at `seq`. */
  wasSubscribed(userId: number, streamId: number, seq: number): boolean {
    if (this.isSubscribedSince(userId, streamId, seq)) return true;
    const sub = this.of(userId, streamId);
    return sub !== undefined && covers(sub, seq);
  }

  protected override reindex(previous?: SubscriptionDocument, next?: SubscriptionDocument): void {
    const { user_id, stream_id } = (next ?? previous)!;
    this.ofEach.touch(user_id);
    this.toEach.touch(stream_id);
    if (next) this.hold(next);
    else this.drop(user_id, stream_id);
    let list = this.byChannel.get(stream_id);
    if (!list) this.byChannel.set(stream_id, (list = new SubscriberList()));
    if (next?.active) list.add(user_id, openSince(next));
    else list.remove(user_id);
    toggle(this.left, stream_id, user_id, next !== undefined && !next.active);
    const active = next?.active === true ? next : undefined;
    toggle(this.told, stream_id, user_id, active !== undefined && choosesAll(active));
    toggle(this.shown, stream_id, user_id, active?.desktop_notifications === true);
  }

  private hold(next: SubscriptionDocument): void {
    const { user_id, stream_id } = next;
    const own = this.byUser.get(user_id);
    if (own instanceof Map) own.set(stream_id, next);
    else if (own === undefined || own.stream_id === stream_id) this.byUser.set(user_id, next);
    else
      this.byUser.set(
        user_id,
        new Map([
          [own.stream_id, own],
          [stream_id, next],
        ]),
      );
  }

  private drop(userId: number, streamId: number): void {
    const own = this.byUser.get(userId);
    if (own instanceof Map) {
      own.delete(streamId);
      if (own.size === 1) for (const last of own.values()) this.byUser.set(userId, last);
    } else if (own?.stream_id === streamId) this.byUser.delete(userId);
  }
}

function choosesAll(sub: SubscriptionDocument): boolean {
  return sub.email_notifications === true || sub.push_notifications === true;
}

/** The journal position at which the span began that has not ended. */
function openSince({ spans }: SubscriptionDocument): number {
  const last = spans[spans.length - 1];
  return last?.[1] === null ? last[0] : NEVER;
}

/** Whether a subscription covered a journal position. */
export function covers(sub: SubscriptionDocument, seq: number): boolean {
  // Newest first: nearly all calls are about the newest span.
  for (let i = sub.spans.length - 1; i >= 0; i--) {
    const [from, to] = sub.spans[i]!;
    if (seq >= from) return to === null || seq < to;
  }
  return false;
}
