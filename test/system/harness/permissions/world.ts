import type { Test } from 'tap';
import { ApiClient, type Body } from '../client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../server.js';
import type { CallerName } from './roles.js';

const DAYS_AGO = 30;
const WAITING_DAYS = 7;
/** Shifts what the process takes for the present, so that accounts are older than the waiting period. */
const IN_THE_PAST = `--import=data:text/javascript,${encodeURIComponent(
  `const now = Date.now; Date.now = () => now() - ${DAYS_AGO * 86_400_000};`,
)}`;
/** Ids of system groups (endpoints-groups.md#system-groups). */
const ADMINISTRATORS = 3;
const FULL_MEMBERS = 5;

type Person = Exclude<CallerName, 'bot' | 'anonymous'>;

const ROLE_NUMBERS: Readonly<Record<Person, number>> = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  'full member': 400,
  'new member': 400,
  guest: 600,
};

/** Rights that only full members have here, so that a new member is not one of them. */
const FULL_MEMBERS_ONLY = [
  'can_add_custom_emoji_group',
  'can_add_subscribers_group',
  'can_create_bots_group',
  'can_create_groups',
  'can_create_private_channel_group',
  'can_create_public_channel_group',
  'can_invite_users_group',
] as const;

/**
 * An organization with one account of each kind, all in `general` and `annex`, and what endpoints need
 * to be asked for something that is there. Things are made anew for each question.
 */
export class World {
  readonly clients = new Map<CallerName, ApiClient>();
  /** Incoming-webhook bot of the owner. */
  webhook!: ApiClient;
  /** Channels that everybody is subscribed to. */
  general = 0;
  annex = 0;
  private count = 0;
  private spares = new Map<number, ApiClient>();

  private constructor(readonly server: RunningServer) {}

  /** Starts a server in the past for the accounts that are old, and again in the present. */
  static async start(t: Test): Promise<World> {
    const folder = storeFolder(t);
    const before = await RunningServer.serve(t, folder, { env: { NODE_OPTIONS: IN_THE_PAST } });
    const founder = await ApiClient.login(before.url, OWNER_EMAIL, OWNER_PASSWORD);
    const old: [CallerName, ApiClient][] = [['owner', founder]];
    for (const name of ['administrator', 'moderator', 'full member', 'guest'] as const) {
      old.push([name, await founder.createUser(name.replace(' ', '-'))]);
    }
    const [, member] = old.find(([name]) => name === 'full member')!;
    old.push(['bot', await botOf(member, 'Companion')]);
    await before.stop();
    const world = new World(await RunningServer.serve(t, folder));
    for (const [name, client] of old) world.clients.set(name, client.at(world.server.url));
    await world.furnish();
    return world;
  }

  get owner(): ApiClient {
    return this.clients.get('owner')!;
  }

  get administrator(): ApiClient {
    return this.clients.get('administrator')!;
  }

  /** The account of a kind of caller; nobody has none. */
  caller(name: CallerName): ApiClient | null {
    return this.clients.get(name) ?? null;
  }

  /** A number nobody had. */
  fresh(): number {
    return ++this.count;
  }

  /** A name nobody had, of lower-case letters and digits. */
  name(): string {
    return `thing${this.fresh()}`;
  }

  /** A message of somebody in `general`. */
  message(author: ApiClient, topic = 'matrix'): Promise<number> {
    return author.say(`message ${this.fresh()}`, 'general', topic);
  }

  /** A poll in `general`. */
  poll(author: ApiClient = this.owner): Promise<number> {
    return author.say(`/poll Lunch ${this.fresh()}?\nSoup\nSalad`, 'general', 'matrix');
  }

  /** An account like that of a caller which may be spoilt. */
  async double(name: CallerName): Promise<ApiClient | null> {
    if (name === 'anonymous') return null;
    if (name === 'bot') return botOf(this.owner, `Double ${this.fresh()}`);
    const client = await this.owner.createUser(`double${this.fresh()}`);
    await this.owner.ok('PATCH', `/users/${client.userId}`, { role: ROLE_NUMBERS[name] });
    return client;
  }

  /** The id of an account to be administered, active or not; the same one again while it will do. */
  async spare(role: number, active = true): Promise<number> {
    let client = this.spares.get(role);
    if (!client) {
      client = await this.owner.createUser(`spare${role}`);
      await this.owner.ok('PATCH', `/users/${client.userId}`, { role });
      this.spares.set(role, client);
    }
    const { userId } = client;
    const { user } = await this.owner.ok('GET', `/users/${userId}`);
    const { is_active: isActive, role: present } = user as { is_active: boolean; role: number };
    if (active && !isActive) await this.owner.ok('POST', `/users/${userId}/reactivate`);
    if (present !== role) await this.owner.ok('PATCH', `/users/${userId}`, { role });
    if (!active && isActive) await this.owner.ok('DELETE', `/users/${userId}`);
    return userId;
  }

  /** A channel of its own, made by the owner. */
  async channel(more: Body = {}): Promise<{ name: string; stream_id: number }> {
    const name = this.name();
    await this.owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name }], ...more });
    const { streams } = await this.owner.ok('GET', '/streams');
    const all = streams as { name: string; stream_id: number }[];
    return all.find((one) => one.name === name)!;
  }

  /** A group of the administrator, who alone may change it, beside the owners. */
  async group(): Promise<number> {
    const parameters = { name: this.name(), description: '', members: [] };
    return Number(
      (await this.administrator.ok('POST', '/user_groups/create', parameters)).group_id,
    );
  }

  /** A bot of the full member. */
  async bot(): Promise<number> {
    const member = this.clients.get('full member')!;
    return (await botOf(member, `Helper ${this.fresh()}`)).userId;
  }

  private async furnish(): Promise<void> {
    const { owner } = this;
    const rights = FULL_MEMBERS_ONLY.map((name) => [name, { new: FULL_MEMBERS }]);
    await owner.ok('PATCH', '/realm', {
      waiting_period_threshold: WAITING_DAYS,
      enable_read_receipts: true,
      create_multiuse_invite_group: { new: ADMINISTRATORS },
      ...(Object.fromEntries(rights) as Body),
    });
    for (const name of ['administrator', 'moderator', 'guest'] as const) {
      const { userId } = this.clients.get(name)!;
      await owner.ok('PATCH', `/users/${userId}`, { role: ROLE_NUMBERS[name] });
    }
    this.clients.set('new member', await owner.createUser('new-member'));
    this.webhook = await botOf(owner, 'Hook', { bot_type: 2 });
    const principals = [...this.clients.values(), this.webhook].map((one) => one.userId);
    const subscriptions = [{ name: 'general' }, { name: 'annex' }];
    await owner.ok('POST', '/users/me/subscriptions', { subscriptions, principals });
    const { streams } = await owner.ok('GET', '/streams');
    for (const { name, stream_id } of streams as { name: string; stream_id: number }[]) {
      if (name === 'general') this.general = stream_id;
      if (name === 'annex') this.annex = stream_id;
    }
  }
}

async function botOf(owner: ApiClient, full_name: string, more: Body = {}): Promise<ApiClient> {
  const short_name = full_name.toLowerCase().replace(' ', '-');
  const made = await owner.ok('POST', '/bots', { full_name, short_name, ...more });
  const { user } = await owner.ok('GET', `/users/${String(made.user_id)}`);
  const { email } = user as { email: string };
  return new ApiClient(owner.url, email, String(made.api_key), Number(made.user_id));
}
