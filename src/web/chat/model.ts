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
import { MUTED, FOLLOWED, INHERIT, Topics, UNMUTED } from './channels/topics.js';
import { Inbox } from './inbox.js';
import { viewOfLink } from './links.js';
import { Outbox } from './outbox.js';
import { Pages, type Standing } from './pages.js';
import { Surface } from './parts/surface.js';
import { Everybody } from './people/everybody.js';
import { GroupNames } from './people/group-names.js';
import { allowedOf, type Allowed } from './people/allowed.js';
import { followLanguage } from './people/language.js';
import { Statuses } from './people/statuses.js';
import { Presences } from './presences.js';
import { Reading } from './reading/reading.js';
import { askedOf } from './search/asked.js';
import { Unread } from './unread.js';
import { callsOf, type Calls } from './writing/call.js';
import { Drafts } from './writing/drafts.js';
import { EmojiNames } from './writing/emoji.js';
import { Typing } from './writing/typing.js';
import { say } from './say.js';
import {
  addressOf,
  isConversation,
  isolated,
  listText,
  placeOf,
  viewAt,
  type View,
} from './view.js';

export type Snapshot = Reply<'POST /register'>;
export type Settings = NonNullable<Snapshot['user_settings']>;

/** What the server tells first, and goes on telling. */
const EVENT_TYPES = [
  ...['message', 'update_message', 'delete_message', 'reaction', 'update_message_flags'],
  ...['subscription', 'realm_user', 'presence', 'typing', 'realm', 'submessage'],
  ...[
    'user_settings',
    'user_status',
    'user_topic',
    'drafts',
    'stream',
    'realm_emoji',
    'muted_users',
  ],
];
const SECTIONS = [
  ...EVENT_TYPES,
  ...['recent_private_conversations', 'starred_messages', 'near_users'],
].filter(
  // The subscriptions say as much of channels; of all people the chat asks once it has drawn something.
  (name) => name !== 'stream' && name !== 'realm_user',
);
/** Flags of a new queue; the server sends less to clients that need less. */
const CAPABILITIES = {
  bulk_message_deletion: true,
  empty_topic_name: true,
  stream_typing_notifications: true,
  simplified_presence_events: true,
  user_settings_object: true,
  message_notices: true,
};

/** All that the pages of the chat show, as the snapshot says it and the events change it. */
export class Model {
  ready = false;
  me!: User;
  isAdmin = false;
  realmName = '';
  emptyTopic = '';
  readonly channels = new Map<number, Subscription>();
  readonly users: Everybody;
  /** Of channels that the reader may see, and is not in. */
  readonly channelNames = new Map<number, string>();
  readonly topics: Topics;
  /** Direct conversations: the newest message of each, by address. */
  readonly directs = new Map<string, number>();
  unread = new Unread({}, 0);
  readonly presences = new Presences();
  readonly typing: Typing;
  readonly pages: Pages;
  readonly outbox: Outbox;
  readonly reading: Reading;
  settings: Settings = {};
  /** Where the reader is in the view. */
  sight?: Standing;
  readonly drafts: Drafts;
  readonly statuses = new Statuses();
  readonly emoji: EmojiNames;
  readonly groups: GroupNames;
  readonly surface: Surface;
  readonly inbox: Inbox;
  /** People of whom the reader wants to see nothing. */
  ignored: ReadonlySet<number> = new Set();
  calls: Calls = null;
  /** How often names, pictures, emoji, topics or channels changed: rows of messages, which show them, are drawn again. */
  facts = 0;
  canCreatePublic = false;
  canCreatePrivate = false;
  allowed: Allowed = {};
  /** Characters that a message may have. */
  maxLength = 10_000;
  view: View = viewAt(location.hash);
  state: FeedState = { connected: false, transport: 'stream' };
  /** Why the feed has ended. */
  ended?: Error;
  /** Whether the login of this page is being replaced, with whose end the feed ends: the page is loaded anew. */
  isRenewing = false;
  private readonly feed: EventFeed;
  private readonly listeners = new Set<() => void>();
  private isTelling = false;

  constructor(readonly client: Client) {
    const changed = (): void => this.changed();
    const learned = (): void => this.learned();
    this.users = new Everybody(client, learned);
    this.topics = new Topics(client, changed);
    this.drafts = new Drafts(client, changed);
    this.emoji = new EmojiNames(learned);
    this.groups = new GroupNames(client, changed);
    this.surface = new Surface(changed);
    this.typing = new Typing(
      client,
      () => this.changed(),
      () => this.settings,
    );
    this.pages = new Pages(client, changed, (view) => askedOf(this, view));
    this.reading = new Reading(this);
    this.inbox = new Inbox(client, this.pages, changed);
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
        // What was asked for while the server was away is asked for again.
        if (state.connected && this.ready && this.pages.of(this.view)?.error !== undefined) {
          this.open(this.view);
        }
        this.changed();
      },
    });
  }

  /** Reads events until the login ends. @param apply changes the model as an event says */
  async run(apply: (model: Model, event: Event) => void): Promise<void> {
    addEventListener('hashchange', () => this.open(this.here()));
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

  /** Something changed that rows of messages show by its id. */
  learned(): void {
    this.facts += 1;
    this.changed();
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
        return say('title.inbox');
      case 'starred':
        return say('title.starred');
      case 'search':
        return say('title.search', { text: view.text });
      case 'direct':
        return listText(view.userIds.map((id) => this.nameOf(id)));
      case 'channel': {
        const name = `#${isolated(this.channelName(view.channelId))}`;
        return view.topic === undefined
          ? name
          : `${name} › ${isolated(this.topicName(view.topic))}`;
      }
    }
  }

  channelName(channelId: number): string {
    return this.knownChannelName(channelId) ?? '…';
  }

  knownChannelName(channelId: number): string | undefined {
    return this.channels.get(channelId)?.name ?? this.channelNames.get(channelId);
  }

  get canCreate(): boolean {
    return this.canCreatePublic || this.canCreatePrivate;
  }

  /** Whether the reader wants to hear nothing of it. */
  isMuted(view: View): boolean {
    if (view.kind !== 'channel') return false;
    const isMuted = this.channels.get(view.channelId)?.is_muted ?? false;
    const { topic } = view;
    const policy = topic === undefined ? INHERIT : this.topics.policy(view.channelId, topic);
    return policy === MUTED || (isMuted && policy !== UNMUTED && policy !== FOLLOWED);
  }

  /** Those that the reader wants to hear of, with the newest first. */
  unreadConversations(): ReturnType<Unread['conversations']> {
    return this.unread.conversations().filter(({ address }) => !this.isMuted(viewAt(address)));
  }

  get unreadTotal(): number {
    return this.unreadConversations().reduce((total, { count }) => total + count, 0);
  }

  leftChannel(id: number): void {
    const known = this.channels.get(id);
    if (known) this.channelNames.set(id, known.name);
    this.channels.delete(id);
  }

  changeSettings(settings: Settings): void {
    this.settings = settings;
    void followLanguage(this);
    this.drafts.isKept = settings.enable_drafts_synchronization !== false;
    const { style } = document.documentElement;
    style.colorScheme = ['', 'dark', 'light'][(settings.color_scheme ?? 1) - 1] ?? '';
  }

  nameOf(userId: number): string {
    if (userId === this.me.user_id) return say('person.you', { name: isolated(this.me.full_name) });
    const { users } = this;
    return users.get(userId)?.full_name ?? (users.isWhole ? say('person.unknown') : '…');
  }

  /** For what is repeated anyway, or shows by itself that it failed. */
  quietly(work: Promise<unknown>): void {
    work.catch(() => undefined);
  }

  private start(snapshot: Snapshot): void {
    this.facts += 1;
    const reopen = this.kept();
    for (const map of [this.channels, this.channelNames, this.directs]) map.clear();
    for (const one of [...(snapshot.unsubscribed ?? []), ...(snapshot.never_subscribed ?? [])]) {
      const { stream_id, name } = one as { stream_id: number; name: string };
      this.channelNames.set(stream_id, name);
    }
    this.ignored = new Set((snapshot.muted_users ?? []).map(({ id }) => id));
    this.topics.start(snapshot.user_topics ?? []);
    this.statuses.start(snapshot.user_status ?? {});
    this.emoji.start(snapshot.realm_emoji ?? {});
    this.canCreatePublic = snapshot.can_create_public_streams ?? false;
    this.canCreatePrivate = snapshot.can_create_private_streams ?? false;
    this.maxLength = snapshot.max_message_length ?? this.maxLength;
    this.calls = callsOf(this.client, snapshot, () => this.titleOf(this.view));
    for (const one of snapshot.subscriptions ?? []) this.channels.set(one.stream_id, one);
    this.users.start([...(snapshot.realm_users ?? []), ...(snapshot.cross_realm_bots ?? [])]);
    this.me = this.users.get(snapshot.user_id!)!;
    this.isAdmin = snapshot.is_admin ?? false;
    this.realmName = snapshot.realm_name ?? '';
    this.allowed = allowedOf(snapshot, {}, 'realm_');
    this.emptyTopic = snapshot.realm_empty_topic_display_name ?? '';
    this.changeSettings(snapshot.user_settings ?? {});
    this.drafts.start(snapshot.drafts ?? [], this.me.user_id);
    this.unread = new Unread(snapshot.unread_msgs ?? {}, this.me.user_id);
    this.unread.remove(this.unread.ids().filter((id) => this.reading.marks.has(id)));
    this.presences.start(snapshot.presences ?? {}, Number(snapshot.server_timestamp ?? 0));
    for (const row of snapshot.recent_private_conversations ?? []) {
      const { user_ids, max_message_id } = row as { user_ids: number[]; max_message_id: number };
      const userIds =
        user_ids.length === 0 ? [this.me.user_id] : [...user_ids].sort((a, b) => a - b);
      this.directs.set(addressOf({ kind: 'direct', userIds }), max_message_id);
    }
    if (!this.ready) {
      this.ready = true;
      this.open(this.here());
    } else reopen();
  }

  /** The view at the address of the page. */
  private here(): View {
    const { hash } = location;
    if (!hash.startsWith('#narrow/') && !hash.startsWith('#/narrow/')) return viewAt(hash);
    const view = viewOfLink(hash.replace(/^#\/?narrow/, ''), this.me.user_id);
    if (!view) return { kind: 'home' };
    const near = 'near' in view ? view.near : undefined;
    history.replaceState(null, '', near === undefined ? addressOf(view) : placeOf(view, near));
    return view;
  }

  /** Shows a view where the reader left off, and loads what it lacks. */
  open(view: View): void {
    this.view = view;
    this.reading.held = '';
    if (!this.ready) return;
    const newFrom = isConversation(view) ? this.unread.first(view) : undefined;
    const target = ('near' in view ? view.near : undefined) ?? newFrom;
    if (this.sight) this.sight.isAtBottom = true;
    if (view.kind !== 'home') this.pages.open(view, { target, newFrom });
    if (view.kind === 'channel') this.topics.load(view.channelId);
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
      if (view.kind === 'channel') this.topics.load(view.channelId);
      this.changed();
    };
  }
}
