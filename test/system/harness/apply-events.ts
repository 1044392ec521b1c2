import {
  ChannelClient,
  channelState,
  comparable as comparableChannels,
} from '../../fixtures/apply-events.js';
import { foldPeople, type PeopleState } from '../../fixtures/people-client.js';
import type { Body, Snapshot, WireEvent } from './client.js';
import { MessageState } from './message-state.js';
import { Presences } from './presences.js';

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
  readonly client_gravatar?: boolean;
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
    this.channels = new ChannelClient(userId, state, include_subscribers !== false);
    this.people = peopleState(snapshot);
    this.presences = new Presences(snapshot.presences as Body | undefined, slim_presence);
  }

  /** @throws Error when an event does not fit what this client knows */
  apply(event: WireEvent): void {
    const { id: _id, ...body } = event;
    this.messages.apply(event);
    if ('streams' in this.snapshot || 'subscriptions' in this.snapshot) this.channels.apply(body);
    if (event.type === 'presence') this.presences.apply(event, (id) => this.emailOf(id));
    else {
      const former = event.type === 'realm_user' ? this.emailOf(userIdOf(event)) : '';
      foldPeople(this.people, [body]);
      if (event.type === 'realm_user') this.applyOwn(event, former);
    }
    if (event.type === 'realm') this.applyRealm(event);
  }

  /** Everything known, in an order of its own, without what no event announces. */
  comparable(): Body {
    const channels = comparableChannels(this.channels.state);
    const muted = new Set(
      [...this.channels.state.subscriptions.values()]
        .filter((item) => item.is_muted === true)
        .map((item) => item.stream_id),
    );
    const users = Object.values(this.people.users).map((user) => this.asFetched(user));
    const known: Body = {
      ...this.rest,
      ...channels,
      ...this.messages.fields(muted),
      realm_users: users.filter((user) => user.is_active !== false),
      realm_non_active_users: users.filter((user) => user.is_active === false),
      realm_user_groups: Object.values(this.people.groups),
      user_settings: this.people.settings,
      presences: this.presences.byKey,
    };
    const fields = Object.keys(this.snapshot).filter((name) => !UNANNOUNCED.has(name));
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
    if (person.user_id !== this.userId || event.op !== 'update') return;
    for (const name of OWN_FIELDS) {
      if (name in person) this.rest[name] = person[name];
    }
    if ('new_email' in person) this.rest.email = person.new_email;
  }

  private applyRealm(event: WireEvent): void {
    const changes =
      event.op === 'update_dict' ? (event.data as Body) : { [String(event.property)]: event.value };
    for (const [name, value] of Object.entries(changes)) this.rest[`realm_${name}`] = value;
  }
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
