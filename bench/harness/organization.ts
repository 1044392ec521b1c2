import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Seat } from '../exchange/jobs.js';
import { sampleOf, type ExchangeSample, type WireEvent } from '../exchange/sample.js';
import { seedOrganization, type Account, type SeedPlan } from '../seed/seed.js';
import { ApiClient, basicAuthorization, type ApiReply } from './api-client.js';
import { causesOf, readBlocks, type Block, type CpuProfile } from './measuring/blocks.js';
import type { Usage } from './measuring/measure.js';
import { type ProcessUsage, processUsage } from './processes/process-usage.js';
import { OWN_REDIS, RedisServer } from './processes/redis-server.js';
import { START_FLAGS, ServerProcess } from './processes/server-process.js';
import type { AccountSource } from './load/accounts.js';
import { Visits } from './load/visits.js';

const SERVER = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const SLOW = new URL('./load/slow-delivery.js', import.meta.url).href;
const WATCH = new URL('./measuring/loop-watch.js', import.meta.url).href;
const OWNER_EMAIL = 'owner@bench.invalid';
const OWNER_PASSWORD = 'correct horse battery bench';
/** Channel of the bench's messages. */
const CHANNEL = 'bench';

/** A running server to use instead of one of our own. */
export interface RemoteServer {
  readonly url: URL;
  readonly email: string;
  readonly key: string;
  /** Its process, when it runs on this machine; CPU figures are null without it. */
  readonly pid: number | null;
}

export interface OrganizationPlan {
  readonly users: number;
  readonly messages?: number;
  /** How many topics the messages are spread over. */
  readonly topics?: number;
  /** Their text by id, where they are not all the same line. */
  readonly contentOf?: (id: number) => string;
  readonly queues?: number;
  readonly outsiders?: number;
  /** Channels beside the bench's own that the users are subscribed to. */
  readonly furtherChannels?: readonly string[];
  /** Further channels of the owner alone, with an unread message in each. */
  readonly ownersChannels?: number;
  /** Whether to watch for how long the event loop is blocked. */
  readonly watchLoop?: boolean;
  /** Whether to list its blocks with their causes; the server is profiled for that. */
  readonly listBlocks?: boolean;
  readonly remote: RemoteServer | null;
  /** Who the clients are at a server that is not the bench's own; absent: the account of `remote` alone. */
  readonly accounts?: AccountSource | null;
  /**
   * Store URL, `redis` for a fresh Redis of the bench's own, or null for a fresh embedded store; fresh
   * ones are removed afterwards.
   */
  readonly store: string | null;
}

/** Registrations that wait in this process for a connection. */
const REGISTERED_AT_ONCE = 5000;

/** What every server sets by itself. */
const COMMON_HEADERS = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'uwebsockets',
]);

function ownHeaders(response: Response): [string, string][] {
  return [...response.headers].filter(([name]) => !COMMON_HEADERS.has(name));
}

/** Our server with an organization in it, ready for load. */
export class BenchOrganization implements Usage {
  server: ServerProcess | null = null;
  api!: ApiClient;
  owner!: Account;
  /** Who the clients are: seeded users, or the account of a remote server. */
  members: readonly Account[] = [];
  /** Queues that were seeded. */
  queueIds: readonly string[] = [];
  /** Messages that were seeded, ascending. */
  messageIds: readonly number[] = [];
  /** Accounts that were seeded and subscribe to nothing. */
  outsiders: readonly Account[] = [];
  channelId = 0;
  /** The bench's own Redis, where the organization is there. */
  redis: RedisServer | null = null;
  private folder: string | null = null;
  /** At a server that is not the bench's own. */
  private visits: Visits | null = null;

  private constructor(private readonly plan: OrganizationPlan) {}

  /** Starts or finds a server and prepares its organization. */
  static async open(plan: OrganizationPlan): Promise<BenchOrganization> {
    const organization = new BenchOrganization(plan);
    try {
      if (plan.remote) await organization.useRemote(plan.remote);
      else await organization.found();
    } catch (error) {
      await organization.close();
      throw error;
    }
    return organization;
  }

  get address(): { host: string; port: number } {
    const { remote } = this.plan;
    if (!remote) return this.server!.address;
    return { host: remote.url.hostname, port: Number(remote.url.port || 80) };
  }

  usage(): ProcessUsage | null {
    const { remote } = this.plan;
    if (!remote) return this.server!.usage();
    return remote.pid === null ? null : processUsage(remote.pid);
  }

  /** The account of client `index`. */
  account(index: number): Account {
    return this.members[index % this.members.length]!;
  }

  /** Registers one queue per client, some thousands at a time. */
  async seats(
    clients: number,
    eventTypes: readonly string[],
    accounts = this.members,
  ): Promise<Seat[]> {
    const seats: Seat[] = [];
    while (seats.length < clients) {
      const count = Math.min(REGISTERED_AT_ONCE, clients - seats.length);
      const batch = Array.from({ length: count }, (_, index) =>
        this.seat(accounts[(seats.length + index) % accounts.length]!, eventTypes),
      );
      seats.push(...(await Promise.all(batch)));
    }
    return seats;
  }

  async seat({ authorization }: Account, eventTypes: readonly string[]): Promise<Seat> {
    const reply = await this.api.call('POST', '/register', authorization, {
      event_types: JSON.stringify(eventTypes),
      fetch_event_types: '[]',
    });
    this.visits?.registered(authorization, String(reply.queue_id));
    return {
      authorization,
      queueId: String(reply.queue_id),
      lastEventId: Number(reply.last_event_id),
    };
  }

  /** Ends queues that nobody reads any more: what goes to them would be work. */
  async leaveSeats(seats: readonly Seat[]): Promise<void> {
    // Connections of before the load were idle for as long as it took.
    this.reconnect();
    const end = async ({ queueId, authorization }: Seat): Promise<void> => {
      await this.api.call('DELETE', '/events', authorization, { queue_id: queueId });
      this.visits?.ended(authorization, queueId);
    };
    await Promise.all(seats.map(end));
  }

  /** The next event of a queue, and the headers it came with, for floor and peers to repeat. */
  async capture(seat: Seat): Promise<ExchangeSample> {
    const { host, port } = this.address;
    const query = `queue_id=${seat.queueId}&last_event_id=${seat.lastEventId}`;
    const response = await fetch(`http://${host}:${port}/api/v1/events?${query}`, {
      headers: { authorization: seat.authorization },
    });
    const { events } = (await response.json()) as { events: WireEvent[] };
    if (!events[0]) throw new Error('No event to capture came');
    return sampleOf(events[0], ownHeaders(response));
  }

  /** Headers of an ordinary reply, for the floor to repeat. */
  async replyHeaders(): Promise<ExchangeSample['headers']> {
    const { host, port } = this.address;
    const response = await fetch(`http://${host}:${port}/api/v1/users/me`, {
      headers: { authorization: this.owner.authorization },
    });
    await response.arrayBuffer();
    return ownHeaders(response);
  }

  /** Stops the server, keeps the store. */
  async halt(how: 'stop' | 'kill' = 'stop'): Promise<void> {
    this.api?.close();
    await this.server?.[how]();
    this.server = null;
  }

  /** Starts the server on the same store. */
  async start(): Promise<void> {
    this.server = await this.launch();
    this.api = new ApiClient(this.server.address);
  }

  /** Calls the API on new connections: a server closes those that were idle for seconds. */
  reconnect(address = this.address): void {
    this.api.close();
    this.api = new ApiClient(address);
  }

  /**
   * Starts one process on the store: the server, or one that follows it.
   * @param store how it reaches the store, where not as the server does
   */
  launch(store = this.storeUrl()): Promise<ServerProcess> {
    const { PARLEY_BENCH_SLOW_US: slowed, PARLEY_BENCH_PROFILE: profiles } = process.env;
    const slow = slowed ? ['--import', SLOW] : [];
    const { watchLoop, listBlocks } = this.plan;
    const watch = watchLoop || listBlocks ? ['--import', WATCH] : [];
    const folder = listBlocks ? this.profileFolder : profiles;
    const profile = folder ? ['--cpu-prof', '--cpu-prof-dir', folder] : [];
    return ServerProcess.start({
      name: 'parley',
      command: process.execPath,
      args: [
        ...slow,
        ...watch,
        ...profile,
        ...START_FLAGS,
        SERVER,
        'serve',
        ...['--port', '0', '--rate-limit', 'off', '--log', 'warn', '--store', store],
      ],
      env: {
        NODE_ENV: 'production',
        PARLEY_LOOP_WATCH: this.watchFile,
        ...(listBlocks ? { PARLEY_LOOP_BLOCKS: this.blocksFile } : {}),
        PARLEY_OWNER_EMAIL: OWNER_EMAIL,
        PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
      },
      // The secret of keys lies where the server runs, unless its store is a folder.
      cwd: this.secretFolder(),
      startMs: 120_000,
    });
  }

  /** The longest block of the server's event loop since the last call, milliseconds; for `watchLoop`. */
  async longestBlock(): Promise<number> {
    await rm(this.watchFile, { force: true });
    for (;;) {
      const text = await readFile(this.watchFile, 'utf8').catch(() => '');
      if (text !== '') return Number(text);
      await pause(1);
    }
  }

  /** Stops the server and tells its blocks from a time on with their causes; for `listBlocks`. */
  async blocksSince(timeMs: number): Promise<{ readonly block: Block; readonly cause: string }[]> {
    await this.halt();
    const all = existsSync(this.blocksFile) ? readBlocks(this.blocksFile) : [];
    const blocks = all.filter(({ endUs }) => endUs >= timeMs * 1000);
    if (blocks.length === 0) return [];
    // Of the last process, its main thread.
    const profiles = (await readdir(this.profileFolder)).filter((name) => /\.0\.\d+\./.test(name));
    const file = join(this.profileFolder, profiles.sort().at(-1)!);
    const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile;
    const causes = causesOf(profile, blocks);
    return blocks.map((block, i) => ({ block, cause: causes[i]! }));
  }

  private get profileFolder(): string {
    return join(this.folder!, 'profiles');
  }

  private get blocksFile(): string {
    return join(this.folder!, 'loop-blocks');
  }

  private get watchFile(): string {
    return join(this.folder ?? tmpdir(), 'loop-watch');
  }

  async close(): Promise<void> {
    await this.visits?.leave().catch((error: unknown) => {
      process.stderr.write(`What the bench made is left: ${String(error)}\n`);
    });
    this.visits = null;
    await this.halt().catch(() => undefined);
    await this.redis?.stop();
    this.redis = null;
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
    this.folder = null;
  }

  storeUrl(): string {
    return this.redis?.url ?? this.plan.store ?? `embedded:${this.folder!}`;
  }

  /** The file from which API keys are derived. */
  secretFile(): string {
    return join(this.secretFolder(), 'api-keys.secret');
  }

  private secretFolder(): string {
    return /^embedded:(.+)$/.exec(this.storeUrl())?.[1] ?? this.folder!;
  }

  private async found(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
    if (this.plan.store === OWN_REDIS) {
      this.redis = await RedisServer.start();
      if (!this.redis) throw new Error('redis-server is not installed, or does not start');
    }
    await this.start();
    await this.login();
    await this.joinChannel();
    const { users, messages = 0, queues = 0, outsiders = 0, topics } = this.plan;
    this.members = [this.owner];
    if (users === 0) return;
    await this.halt();
    const { furtherChannels, contentOf, ownersChannels } = this.plan;
    const seed: SeedPlan = {
      users,
      copies: ownersChannels,
      copiesFor: this.owner.userId,
      outsiders,
      messages,
      topics,
      queues,
      channel: CHANNEL,
      furtherChannels,
      contentOf,
    };
    const seeded = await seedOrganization(this.storeUrl(), this.secretFolder(), seed);
    this.members = seeded.accounts;
    this.messageIds = seeded.messageIds;
    this.outsiders = seeded.outsiders;
    this.queueIds = seeded.queueIds;
    await this.start();
  }

  private async useRemote(remote: RemoteServer): Promise<void> {
    this.api = new ApiClient(this.address);
    const authorization = basicAuthorization(remote.email, remote.key);
    const me = await this.api.call('GET', '/users/me', authorization);
    this.owner = { userId: Number(me.user_id), authorization };
    this.visits = new Visits(this.address, CHANNEL);
    this.members = await this.visits.begin(
      this.api,
      { ...this.owner, email: remote.email },
      this.plan.accounts ?? null,
      (account) => this.joinChannel(account),
    );
  }

  /** Delay of the event loop in the last second, 99th percentile; null where the account may not ask. */
  async loopDelay(): Promise<number | null> {
    const { nodes } = await this.api.call('GET', '/realm/console', this.owner.authorization);
    const [first] = (nodes ?? []) as { loop_delay_p99_ms: number }[];
    return first?.loop_delay_p99_ms ?? null;
  }

  private async login(): Promise<void> {
    const reply: ApiReply = await this.api.call('POST', '/fetch_api_key', '', {
      username: OWNER_EMAIL,
      password: OWNER_PASSWORD,
    });
    this.owner = {
      userId: Number(reply.user_id),
      authorization: basicAuthorization(OWNER_EMAIL, String(reply.api_key)),
    };
  }

  private async joinChannel({ authorization } = this.owner): Promise<void> {
    await this.api.call('POST', '/users/me/subscriptions', authorization, {
      subscriptions: JSON.stringify(
        [CHANNEL, ...(this.plan.furtherChannels ?? [])].map((name) => ({ name })),
      ),
    });
    const reply = await this.api.call('GET', '/users/me/subscriptions', authorization);
    const list = reply.subscriptions as { name: string; stream_id: number }[];
    this.channelId = list.find((channel) => channel.name === CHANNEL)?.stream_id ?? 0;
  }
}
