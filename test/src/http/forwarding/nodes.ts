import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';
import {
  Forwarder,
  type ForwarderOptions,
  type NodeAddress,
} from '../../../../src/http/forwarding/forwarder.js';
import type { HttpServerOptions, Service } from '../../../../src/http/server.js';
import { startToy, type Toy } from '../toy-server.js';

export const NODE_KEY = 'the key of the nodes';

/** Who leads, as the nodes of a test are told. */
export class Leadership {
  private present: NodeAddress | null = null;
  private readonly listeners = new Set<() => void>();

  readonly leader = (): NodeAddress | null => this.present;

  readonly changed = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** A node leads from now on; null: none. */
  passTo(port: number | null): void {
    this.present = port === null ? null : { host: '127.0.0.1', port };
    for (const listener of this.listeners) listener();
  }
}

type Options = Partial<HttpServerOptions & Service>;

type Waiting = Partial<Pick<ForwarderOptions, 'waitMs' | 'maxWaiting' | 'now' | 'probe'>>;

export interface Node extends Toy {
  readonly internalPort: number;
}

/** A node that other nodes reach. */
export async function startNode(t: Test, options: Options = {}): Promise<Node> {
  const toy = await startToy(t, options);
  const { port } = await toy.server.listenInternal('127.0.0.1', 0, NODE_KEY);
  return { ...toy, internalPort: port };
}

export interface Follower extends Node {
  readonly forward: Forwarder;
  readonly leadership: Leadership;
}

/** A node that forwards what writes to whoever leads, at first nobody. */
export async function startFollower(t: Test, options: Options & Waiting = {}): Promise<Follower> {
  const leadership = new Leadership();
  const forward = new Forwarder({
    leader: leadership.leader,
    changed: leadership.changed,
    key: NODE_KEY,
    waitMs: options.waitMs ?? 10_000,
    maxWaiting: options.maxWaiting,
    now: options.now,
    probe: options.probe,
    reached: options.reached ?? (() => null),
  });
  t.teardown(() => forward.close());
  const node = await startNode(t, { ...options, forward });
  return { ...node, forward, leadership };
}

/** A leader and a follower with the same service. */
export async function startNodes(
  t: Test,
  leading: Options = {},
  following: Options & Waiting = leading,
) {
  const leader = await startNode(t, leading);
  const follower = await startFollower(t, following);
  follower.leadership.passTo(leader.internalPort);
  return { leader, follower };
}

/** A leader whose replies a test writes by hand. */
export class ScriptedLeader {
  readonly port: number;
  /** What each connection sent, in the order in which they came. */
  readonly received: string[] = [];
  readonly sockets: Socket[] = [];
  private waiting: (() => void) | undefined;

  private constructor(server: Server) {
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket) => {
      const place = this.sockets.push(socket) - 1;
      this.received[place] = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        this.received[place] += chunk.toString();
        this.waiting?.();
      });
    });
  }

  static async start(t: Test): Promise<ScriptedLeader> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const leader = new ScriptedLeader(server);
    t.teardown(() => {
      server.close();
      for (const socket of leader.sockets) socket.destroy();
    });
    return leader;
  }

  /** Resolves when so many requests have come, over all connections. */
  async requests(count: number): Promise<void> {
    while (this.count < count) await new Promise<void>((resolve) => (this.waiting = resolve));
  }

  get count(): number {
    return this.received.join('').split(' HTTP/1.1\r\n').length - 1;
  }
}
