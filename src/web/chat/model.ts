import type {
  Client,
  Event,
  EventFeed,
  FeedState,
  Reply,
  Subscription,
  Transport,
  User,
} from '../../client/index.js';
import { Outbox } from './outbox.js';
import { Pages } from './pages.js';
import { Presences } from './presences.js';
import { ReadMarks } from './reading/read-marks.js';
import type { Sight } from './reading/sight.js';
import { Typing } from './typing.js';
import { Unread } from './unread.js';
import { addressOf, isConversation, isolated, narrowOf, viewAt, type View } from './view.js';

export type Snapshot = Reply<'POST /register'>;
export type Settings = NonNullable<Snapshot['user_settings']>;

export interface TopicRow {
  readonly name: string;
  readonly newest: number;
}

/** What the server tells first, and goes on telling. */
const EVENT_TYPES = [
  ...['message', 'update_message', 'delete_message', 'reaction', 'update_message_flags'],
  ...['subscription', 'realm_user', 'presence', 'typing', 'realm', 'submessage'],
  'user_settings',
];
const SECTIONS = [...EVENT_TYPES, 'recent_private_conversations', 'starred_messages'];
/** Flags of a new queue; the server sends less to clients that need less. */
const CAPABILITIES = {
  bulk_message_deletion: true,
  empty_topic_name: true,
  stream_typing_notifications: true,
  simplified_presence_events: true,
  user_settings_object: true,
};
/** When what is in sight is marked as read (`web_mark_read_on_scroll_policy`). */
const ONLY_CONVERSATIONS = 2;
const NEVER = 3;
/** Messages that one request marks as unread. */
const MARKED_AT_ONCE = 1000;

/** All that the pages of the chat show, as the snapshot says it and the events change it. */
export class Model {
  ready = false;
  me!: User;
  isAdmin = false;
  realmName = '';
  emptyTopic = '';
  readonly channels = new Map<number, Subscription>();
  readonly users = new Map<number, User>();
  /** Topics of channels that were opened, by channel. */
  readonly topics = new Map<number, readonly TopicRow[]>();
  /** Direct conversations: the newest message of each, by address. */
  readonly directs = new Map<string, number>();
  unread = new Unread({}, 0);
  readonly presences = new Presences();
  readonly typing: Typing;
  readonly pages: Pages;
  readonly outbox: Outbox;
  readonly readMarks: ReadMarks;
  settings: Settings = {};
  /** Where the reader is in the view. */
  sight?: Sight;
  /** The view where nothing is marked as read until the reader leaves it. */
  private held = '';
  /** Texts that are being written, by address of the view. */
  readonly drafts = new Map<string, string>();
  view: View = viewAt(location.hash);
  state: FeedState = { connected: false, transport: 'stream' };
  /** Why the feed has ended. */
  ended?: Error;
  private readonly feed: EventFeed;
  private readonly listeners = new Set<() => void>();
  private isTelling = false;

  constructor(readonly client: Client) {
    this.typing = new Typing(client, () => this.changed());
    this.pages = new Pages(client, () => this.changed());
    this.readMarks = new ReadMarks(client);
    this.outbox = new Outbox(
      client,
      () => this.feed.cursor?.queueId ?? '',
      () => this.changed(),
    );
    this.feed = client.events({
      register: {
        event_types: EVENT_TYPES,
        fetch_event_types: SECTIONS,
        apply_markdown: true,
        client_gravatar: false,
        slim_presence: true,
        client_capabilities: CAPABILITIES,
      },
      onState: (state) => {
        this.state = state;
        this.changed();
      },
    });
  }

  /** Reads events until the login ends. @param apply changes the model as an event says */
  async run(apply: (model: Model, event: Event) => void): Promise<void> {
    addEventListener('hashchange', () => this.open(viewAt(location.hash)));
    addEventListener('online', () => this.feed.retryNow());
    try {
      for await (const item of this.feed) {
        if (item.kind === 'snapshot') this.start(item.snapshot);
        else apply(this, item.event);
        this.changed();
      }
    } catch (error) {
      this.ended = error as Error;
      this.changed();
    }
  }

  /** Calls back after every change; several in one turn are one. @returns stops that */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  changed(): void {
    if (this.isTelling) return;
    this.isTelling = true;
    queueMicrotask(() => {
      this.isTelling = false;
      for (const listener of this.listeners) listener();
    });
  }

  useTransport(transport: Transport | undefined): void {
    this.feed.use(transport);
  }

  go(view: View): void {
    location.hash = addressOf(view);
  }

  topicName(topic: string): string {
    return topic === '' ? this.emptyTopic : topic;
  }

  titleOf(view: View): string {
    switch (view.kind) {
      case 'home':
        return 'Inbox';
      case 'starred':
        return 'Starred messages';
      case 'search':
        return `Search: ${view.text}`;
      case 'direct':
        return view.userIds.map((id) => isolated(this.nameOf(id))).join(', ');
      case 'channel': {
        const name = `#${isolated(this.channels.get(view.channelId)?.name ?? '…')}`;
        return view.topic === undefined
          ? name
          : `${name} › ${isolated(this.topicName(view.topic))}`;
      }
    }
  }

  nameOf(userId: number): string {
    if (userId === this.me.user_id) return `${this.me.full_name} (you)`;
    return this.users.get(userId)?.full_name ?? 'Somebody';
  }

  /** Whether what is in sight there is marked as read. */
  marksRead(view: View): boolean {
    const policy = this.settings.web_mark_read_on_scroll_policy;
    if (policy === NEVER || !isConversation(view) || this.held === addressOf(view)) return false;
    const isWholeChannel = view.kind === 'channel' && view.topic === undefined;
    return policy !== ONLY_CONVERSATIONS || !isWholeChannel;
  }

  /** Marks messages read here at once, and on the server. */
  markRead(ids: readonly number[]): void {
    const unread = ids.filter((id) => this.unread.has(id));
    if (unread.length === 0) return;
    this.unread.remove(unread);
    this.changed();
    this.readMarks.add(unread);
  }

  /** Marks what was written from a message on as unread, and marks nothing as read until the reader leaves. */
  async markUnread(view: View, id: number): Promise<void> {
    this.held = addressOf(this.view);
    this.readMarks.drop((one) => one >= id);
    if (addressOf(view) === addressOf(this.view)) this.pages.markNew(view, id);
    for (let anchor = id, isDone = false; !isDone;) {
      const reply = await this.client.call('POST /messages/flags/narrow', {
        anchor: String(anchor),
        include_anchor: anchor === id,
        num_before: 0,
        num_after: MARKED_AT_ONCE,
        narrow: narrowOf(view),
        op: 'remove',
        flag: 'read',
      });
      isDone = reply.found_newest || reply.last_processed_id === null;
      anchor = reply.last_processed_id ?? anchor;
    }
  }

  /** A message came that nobody saw come: what is new begins there, unless it did before. */
  markAway(view: View, id: number): void {
    const whole: View =
      view.kind === 'channel' ? { kind: 'channel', channelId: view.channelId } : view;
    for (const one of [view, whole]) {
      const page = this.pages.of(one);
      if (page && (page.newFrom === undefined || !this.unread.has(page.newFrom))) {
        this.pages.markNew(one, id);
      }
    }
  }

  /** Marks all of a channel or a conversation as read. */
  markAllRead(view: View): void {
    this.markRead(this.unread.all(view));
  }

  toFirstUnread(): void {
    const target = this.unread.first(this.view);
    if (target !== undefined) this.pages.open(this.view, { target, newFrom: target });
  }

  toNewest(): void {
    const { newFrom } = this.pages.of(this.view) ?? {};
    if (this.sight) this.sight.isAtBottom = true;
    this.pages.open(this.view, { newFrom });
  }

  /** For what is repeated anyway, or shows by itself that it failed. */
  quietly(work: Promise<unknown>): void {
    work.catch(() => undefined);
  }

  private start(snapshot: Snapshot): void {
    const reopen = this.kept();
    for (const map of [this.channels, this.users, this.topics, this.directs]) map.clear();
    for (const one of snapshot.subscriptions ?? []) this.channels.set(one.stream_id, one);
    for (const user of [...(snapshot.realm_users ?? []), ...(snapshot.cross_realm_bots ?? [])]) {
      this.users.set(user.user_id, user);
    }
    this.me = this.users.get(snapshot.user_id!)!;
    this.isAdmin = snapshot.is_admin ?? false;
    this.realmName = snapshot.realm_name ?? '';
    this.emptyTopic = snapshot.realm_empty_topic_display_name ?? 'general chat';
    this.settings = snapshot.user_settings ?? {};
    this.unread = new Unread(snapshot.unread_msgs ?? {}, this.me.user_id);
    this.unread.remove(this.unread.ids().filter((id) => this.readMarks.has(id)));
    this.presences.start(snapshot.presences ?? {}, Number(snapshot.server_timestamp ?? 0));
    for (const row of snapshot.recent_private_conversations ?? []) {
      const { user_ids, max_message_id } = row as { user_ids: number[]; max_message_id: number };
      const userIds =
        user_ids.length === 0 ? [this.me.user_id] : [...user_ids].sort((a, b) => a - b);
      this.directs.set(addressOf({ kind: 'direct', userIds }), max_message_id);
    }
    if (!this.ready) {
      this.ready = true;
      this.open(this.view);
    } else reopen();
  }

  /** Shows a view where the reader left off, and loads what it lacks. */
  open(view: View): void {
    this.view = view;
    this.held = '';
    if (!this.ready) return;
    const newFrom = isConversation(view) ? this.unread.first(view) : undefined;
    const target = ('near' in view ? view.near : undefined) ?? newFrom;
    if (this.sight) this.sight.isAtBottom = true;
    if (view.kind !== 'home') this.pages.open(view, { target, newFrom });
    if (view.kind === 'channel') this.loadTopics(view.channelId);
    this.changed();
  }

  /** Forgets what is loaded. @returns loads the view anew, at the same place */
  kept(): () => void {
    const target = this.sight?.place;
    const { newFrom } = this.pages.of(this.view) ?? {};
    this.pages.clear();
    return () => {
      const { view } = this;
      if (view.kind !== 'home')
        this.pages.open(view, { target, newFrom: newFrom ?? this.unread.first(view) });
      if (view.kind === 'channel') this.loadTopics(view.channelId);
      this.changed();
    };
  }

  private loadTopics(channelId: number): void {
    if (this.topics.has(channelId)) return;
    this.topics.set(channelId, []);
    const params = { stream_id: channelId, allow_empty_topic_name: true };
    const loading = this.client.call('GET /users/me/{stream_id}/topics', params);
    this.quietly(
      loading.then(({ topics }) => {
        this.topics.set(
          channelId,
          topics.map(({ name, max_id }) => ({ name, newest: max_id })),
        );
        this.changed();
      }),
    );
  }
}
