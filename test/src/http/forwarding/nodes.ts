import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';
import {
  Forwarder,
  type ForwarderOptions,
  type NodeAddress,
} from '../../../../src/http/forwarding/forwarder.js';
import { CHALLENGE, PROOF } from '../../../../src/http/forwarding/internal-headers.js';
import { ConnectionProof, ListenerProof } from '../../../../src/http/forwarding/node-proof.js';
import type { HttpServerOptions, Service, SiteOptions } from '../../../../src/http/server.js';
import { startToy, type Toy } from '../toy-server.js';

export const NODE_KEY = 'the key of the nodes';

/**
 * A proof for one request to the internal listener at a port, as a header line; the listener has proven itself before.
 * @throws Error where it did not
 */
export async function proven(port: number, key = NODE_KEY): Promise<string> {
  return (await introduced(port, key)).next().trim();
}

/** The same, for as many requests as there are. */
export async function introduced(port: number, key = NODE_KEY): Promise<ConnectionProof> {
  const proof = new ConnectionProof(key, { host: '127.0.0.1', port });
  const [, path = '', challenge = ''] = /^GET (\S+) .*Challenge: (\S+)/s.exec(proof.hello)!;
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { [CHALLENGE]: challenge },
  });
  const lines = [CHALLENGE, PROOF].map((name) => `${name}: ${headers.get(name)}`).join('\r\n');
  if (!proof.accepts(lines)) throw new Error('The listener proved nothing');
  return proof;
}

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

type Options = Partial<HttpServerOptions & SiteOptions & Service>;

type Waiting = Partial<
  Pick<ForwarderOptions, 'waitMs' | 'maxWaiting' | 'now' | 'probe' | 'stillBehind'>
>;

export interface Node extends Toy {
  readonly internalPort: number;
}

/** A node that other nodes reach. */
export async function startNode(t: Test, options: Options = {}): Promise<Node> {
  const toy = await startToy(t, options);
  const { port } = await toy.server.listenInternal(toy.site, '127.0.0.1', 0, NODE_KEY);
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
    ...(options.stillBehind ? { stillBehind: options.stillBehind } : {}),
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
    const proof = new ListenerProof(NODE_KEY, { host: '127.0.0.1', port: this.port });
    server.on('connection', (socket) => {
      const place = this.sockets.push(socket) - 1;
      this.received[place] = '';
      let isIntroduced = false;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        // The first request is in one segment, and no other follows before its reply.
        if (isIntroduced) this.received[place] += chunk.toString();
        else socket.write(greeting(proof, chunk.toString()));
        isIntroduced = true;
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

/** What a node with the key answers to the first request of a connection. */
export function greeting(proof: ListenerProof, hello: string): string {
  const [, challenge = ''] = /^Parley-Node-Challenge: (\S+)\r$/m.exec(hello) ?? [];
  const { challenge: own, proof: right } = proof.answer(challenge)!;
  return `HTTP/1.1 200 OK\r\n${CHALLENGE}: ${own}\r\n${PROOF}: ${right}\r\nContent-Length: 0\r\n\r\n`;
}
