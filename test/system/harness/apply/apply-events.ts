import {
  ChannelClient,
  channelState,
  comparable as comparableChannels,
} from '../../../fixtures/apply-events.js';
import { foldPeople, type PeopleState } from '../../../fixtures/people-client.js';
import type { Body, Snapshot, WireEvent } from '../client.js';
import { ContentState } from './apply-content.js';
import { DomainState } from './apply-domains.js';
import { FolderState } from './apply-folders.js';
import { PersonalState } from './apply-personal.js';
import { RealmState } from './apply-realm.js';
import { TopicState } from './apply-topics.js';
import { UsersState } from './apply-users.js';
import { ScheduledState } from './apply-scheduled.js';
import { MessageState } from '../message-state.js';
import { Presences } from '../presences.js';

/** Fields that say where a snapshot was taken, and one that no event carries (`presence`). */
const UNANNOUNCED = new Set([
  'result',
  'msg',
  'queue_id',
  'last_event_id',
  'server_timestamp',
  'presence_last_update_id',
]);

/** Fields of the snapshot about the own account that events change together with `realm_users`. */
const OWN_FIELDS = [
  'full_name',
  'email',
  'delivery_email',
  'avatar_url',
  'avatar_url_medium',
  'avatar_source',
];

type Rows = readonly Body[];

/** The register parameters that decide how the client reads its snapshot. */
export interface Reading {
  readonly include_subscribers?: boolean | 'partial';
  readonly slim_presence?: boolean;
  readonly all_public_streams?: boolean;
  readonly client_gravatar?: boolean;
  readonly client_capabilities?: Readonly<Record<string, boolean>>;
}

/**
 * A client that keeps a register snapshot current from events alone, as strictly as the strictest of
 * the real ones. {@link comparable} of it equals that of a fresh snapshot, or a change was missed.
 */
export class SnapshotClient {
  private readonly rest: Body;
  private readonly messages: MessageState;
  private readonly channels: ChannelClient;
  private readonly people: PeopleState;
  private readonly presences: Presences;
  private readonly scheduled: ScheduledState;
  private readonly realm: RealmState;
  private readonly domains: DomainState;
  private readonly folders: FolderState;
  private readonly users: UsersState;
  private readonly personal: PersonalState;
  private readonly content: ContentState;
  private readonly topics: TopicState;

  /** Users whose picture an event said to come from the external provider. */
  private readonly external = new Set<unknown>();

  /** @param userId whose snapshot it is */
  constructor(
    private readonly userId: number,
    private readonly snapshot: Snapshot,
    private readonly reading: Reading = {},
  ) {
    const { include_subscribers = false, slim_presence = false } = reading;
    this.rest = structuredClone(snapshot);
    this.messages = new MessageState(userId, snapshot);
    const list = (name: string): object[] => (snapshot[name] as object[] | undefined) ?? [];
    const state = channelState({
      streams: list('streams'),
      subscriptions: list('subscriptions'),
      unsubscribed: list('unsubscribed'),
      never_subscribed: list('never_subscribed'),
      realm_default_streams: list('realm_default_streams') as unknown as number[],
    });
    this.channels = new ChannelClient(userId, state, include_subscribers);
    this.people = peopleState(snapshot);
    const capabilities = reading.client_capabilities ?? {};
    if (!capabilities.user_list_incomplete) {
      this.people.unknown = (id) => unknownUser(id, snapshot);
    }
    this.realm = new RealmState(snapshot);
    this.domains = new DomainState(snapshot);
    this.folders = new FolderState(snapshot);
    this.users = new UsersState(userId, snapshot);
    this.personal = new PersonalState(snapshot);
    this.content = new ContentState(snapshot);
    this.topics = new TopicState(snapshot);
    this.scheduled = new ScheduledState(snapshot);
    this.presences = new Presences(snapshot.presences as Body | undefined, slim_presence);
  }

  /** Whether only `all_public_streams` brings a message: it has no flags here (events.md), and is unread for nobody. */
  private isForeign({ type, message }: WireEvent): boolean {
    if (this.reading.all_public_streams !== true || type !== 'message') return false;
    const { stream_id: channel } = message as { readonly stream_id?: number };
    return channel !== undefined && !this.channels.state.subscriptions.has(channel);
  }

  /** @throws Error when an event does not fit what this client knows */
  apply(event: WireEvent): void {
    const { id: _id, ...body } = event;
    if (!this.isForeign(event)) this.messages.apply(event);
    this.scheduled.apply(event);
    if ('streams' in this.snapshot || 'subscriptions' in this.snapshot) this.channels.apply(body);
    if (event.type === 'presence') this.presences.apply(event, (id) => this.emailOf(id));
    else {
      const former = event.type === 'realm_user' ? this.emailOf(userIdOf(event)) : '';
      foldPeople(this.people, [body]);
      if (event.type === 'realm_user') this.applyOwn(event, former);
    }
    this.realm.apply(event);
    this.domains.apply(event);
    this.folders.apply(event);
    this.users.apply(event, this.people);
    this.personal.apply(event);
    this.content.apply(event);
    this.topics.apply(event);
  }

  /** Fields that deletions made unknown. */
  get unknown(): ReadonlySet<string> {
    return this.messages.unknown;
  }

  /** Everything known, in an order of its own, without what no event announces. */
  comparable(): Body {
    const channels = comparableChannels(this.channels.state);
    const { subscriptions } = this.channels.state;
    const isMuted = (streamId: number, topic: string) =>
      this.topics.isMuted(streamId, topic) ?? subscriptions.get(streamId)?.is_muted === true;
    const users = Object.values(this.people.users).map((user) => this.asFetched(user));
    const known: Body = {
      ...this.rest,
      ...channels,
      ...this.messages.fields(isMuted),
      realm_users: users.filter((user) => user.is_active !== false),
      realm_non_active_users: users.filter((user) => user.is_active === false),
      realm_user_groups: Object.values(this.people.groups),
      user_settings: this.people.settings,
      presences: this.realm.hidesPresence ? {} : this.presences.byKey,
      ...this.domains.fields(),
      ...this.folders.fields(),
      ...this.scheduled.fields(),
      ...this.users.fields(),
      ...this.personal.fields(),
      ...this.content.fields(),
      ...this.topics.fields(),
      ...this.realm.fields(this.userId, this.people.groups),
    };
    const fields = Object.keys(this.snapshot).filter(
      (name) => !UNANNOUNCED.has(name) && !this.realm.isUnknowable(name),
    );
    return Object.fromEntries(fields.map((name) => [name, known[name]]));
  }

  /**
   * Events say more than a snapshot: profiles also to those who did not fetch their fields, and the
   * address of a picture also where the client computes it itself (`client_gravatar`).
   */
  private asFetched(user: Body): Body {
    const { client_gravatar = true } = this.reading;
    const { profile_data, ...shown } = user;
    if ('custom_profile_fields' in this.snapshot && profile_data) shown.profile_data = profile_data;
    if (client_gravatar && this.external.has(user.user_id) && user.email === user.delivery_email) {
      shown.avatar_url = null;
    }
    return shown;
  }

  private emailOf(userId: number): string {
    return String(this.people.users[userId]?.email);
  }

  private applyOwn(event: WireEvent, formerEmail: string): void {
    const person = event.person as Body;
    if (person.new_email !== undefined) {
      this.presences.rename(formerEmail, person.new_email as string);
    }
    if (person.avatar_source === 'G') this.external.add(person.user_id);
    else if (person.avatar_source !== undefined) this.external.delete(person.user_id);
    if (person.is_active === false || event.op === 'remove') {
      this.presences.forget(Number(person.user_id), formerEmail);
    }
    if (person.user_id !== this.userId || event.op !== 'update') return;
    for (const name of OWN_FIELDS) {
      if (name in person) this.rest[name] = person[name];
    }
    if ('new_email' in person) this.rest.email = person.new_email;
  }
}

/** A user of whom the snapshot would tell nothing but the number. */
function unknownUser(user_id: number, { realm_date_created, realm_bot_domain }: Snapshot): Body {
  const joined = new Date(Number(realm_date_created) * 1000).toISOString().slice(0, 16);
  return {
    user_id,
    delivery_email: null,
    email: `user${user_id}@${String(realm_bot_domain)}`,
    full_name: 'Unknown user',
    date_joined: `${joined}+00:00`,
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: 400,
    timezone: '',
    avatar_url: '/user_avatars/identicon/0.png?version=1',
    avatar_version: 1,
    is_imported_stub: false,
    presence_enabled: true,
    profile_data: {},
  };
}

function userIdOf(event: WireEvent): number {
  return Number((event.person as Body).user_id);
}

function peopleState(snapshot: Snapshot): PeopleState {
  const rows = (name: string): Rows => structuredClone((snapshot[name] as Rows | undefined) ?? []);
  const users = [...rows('realm_users'), ...rows('realm_non_active_users')];
  return {
    users: Object.fromEntries(users.map((user) => [String(user.user_id), { ...user }])),
    groups: Object.fromEntries(
      rows('realm_user_groups').map((group) => [String(group.id), { ...group }]),
    ),
    settings: structuredClone((snapshot.user_settings as Body | undefined) ?? {}),
    presences: {},
  };
}
