import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import {
  freshUrl,
  startRedis,
  type RedisServer,
} from '../../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange } from '../client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, type ServerOptions } from '../server.js';
import { storeFolder } from '../server.js';
import { TcpProxy } from './tcp-proxy.js';

/** Lines that say what a node does, for as long as no later one says otherwise. */
const ROLES = /^Parley (is listening|follows|stands by|waits)/gm;
/** Interval at which a condition is looked at again, milliseconds. */
const LOOK_MS = 10;
/** A node that has not come to lead or follow by then never will, milliseconds. */
const SETTLE_MS = 180_000;

/** What links of the organization begin with, whichever node answers. */
const PUBLIC_URL = 'http://chat.example.org';

type Role = 'leads' | 'follows' | 'none';

/** One place for a node: processes follow one another there. */
export class CampaignNode {
  server!: RunningServer;

  constructor(
    private readonly t: Test,
    readonly name: string,
    private readonly folder: string,
    private readonly options: ServerOptions,
    /** Between it and its store; null where that is a folder. */
    readonly toStore: TcpProxy | null,
  ) {}

  get url(): string {
    return this.server.url;
  }

  /** What it said last. */
  get role(): Role {
    if (!this.server.running) return 'none';
    const said = [...this.server.stdout.matchAll(ROLES)].at(-1)?.[1];
    return said === 'is listening' ? 'leads' : said === 'follows' ? 'follows' : 'none';
  }

  /** Starts a process, which listens when this resolves and may not serve yet. */
  async start(): Promise<void> {
    const server = RunningServer.spawn(this.folder, this.options);
    this.t.teardown(() => server.kill());
    await server.listening();
    this.server = server;
  }
}

/** NodeGroup is several nodes on one store. */
export class NodeGroup {
  private constructor(
    readonly nodes: readonly CampaignNode[],
    readonly redis: RedisServer | null,
  ) {}

  /** Starts nodes, of which one leads and the others follow. */
  static async start(
    t: Test,
    store: 'Redis' | 'embedded',
    count: number,
    options: ServerOptions = {},
  ): Promise<NodeGroup> {
    const redis =
      store === 'Redis'
        ? await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always')
        : null;
    const url = redis ? new URL(freshUrl(redis.port)) : null;
    const folder = storeFolder(t);
    const nodes: CampaignNode[] = [];
    for (let i = 0; i < count; i++) {
      const proxy = redis ? await TcpProxy.open(t, redis.port) : null;
      if (url) url.port = String(proxy!.port);
      const env = { PARLEY_URL: PUBLIC_URL, ...options.env };
      const own = { ...options, env, ...(url ? { store: url.href } : {}) };
      nodes.push(new CampaignNode(t, `node ${i}`, folder, own, proxy));
    }
    return NodeGroup.of(nodes, redis);
  }

  /** Starts these nodes, which share a store. */
  static async of(
    nodes: readonly CampaignNode[],
    redis: RedisServer | null = null,
  ): Promise<NodeGroup> {
    // The first one creates the organization.
    await nodes[0]!.start();
    await Promise.all(nodes.slice(1).map((node) => node.start()));
    const group = new NodeGroup(nodes, redis);
    await group.settled();
    return group;
  }

  get leader(): CampaignNode | undefined {
    return this.nodes.find(({ role }) => role === 'leads');
  }

  get followers(): CampaignNode[] {
    return this.nodes.filter(({ role }) => role === 'follows');
  }

  /** The owner's account. */
  owner(): Promise<ApiClient> {
    return ApiClient.login(this.nodes[0]!.url, OWNER_EMAIL, OWNER_PASSWORD);
  }

  /**
   * Waits until one node leads, all others follow and all of them serve. A node that stood still has not said yet
   * that its lease ran out: what it answers counts, too.
   * @throws Error with what they printed where that never happens
   */
  async settled(): Promise<void> {
    const end = Date.now() + SETTLE_MS;
    while (!this.isSettled || !(await this.serves())) {
      if (Date.now() > end) throw new Error(`the nodes do not settle: ${this.output}`);
      await pause(LOOK_MS);
    }
  }

  /** What the nodes printed, for a report of a failure. */
  get output(): string {
    return this.nodes
      .map(({ name, server }) => `\n${name} ${server.pid}:\n${server.stdout}${server.stderr}`)
      .join('');
  }

  /** Whether all nodes say that they are ready, and one of them that it leads. */
  private async serves(): Promise<boolean> {
    const replies = await Promise.all(
      this.nodes.map(({ url }) => exchange(url, 'GET', '/health').catch(() => null)),
    );
    const leaders = replies.filter((reply) => reply?.body['role'] === 'leader');
    return leaders.length === 1 && replies.every((reply) => reply?.status === 200);
  }

  private get isSettled(): boolean {
    return this.leader !== undefined && this.followers.length === this.nodes.length - 1;
  }
}
