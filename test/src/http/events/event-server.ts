/** A server of the toy organization with the event routes, on a node of its own. */
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import type { EventRouteParts } from '../../../../src/http/events/event-route-parts.js';
import { pollRoute, servePush } from '../../../../src/http/events/event-routes.js';
import { QueueAccess } from '../../../../src/resources/queues/event-queues.js';
import { SocketTickets } from '../../../../src/resources/queues/socket-tickets.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { answer, basic, startToy, type Toy } from '../toy-server.js';

export interface EventServer {
  readonly node: CoreNode;
  readonly toy: Toy;
  readonly tickets: SocketTickets;
  readonly poll: (query: string) => Promise<{ status: number; body: Record<string, unknown> }>;
  readonly open: (query: string, headers?: Record<string, string>) => Client;
  readonly say: (n: number) => Promise<void>;
}

/** A WebSocket client that keeps what it is told. */
class Client {
  readonly frames: Record<string, unknown>[] = [];
  private readonly socket: WebSocket;
  private readonly changes: (() => void)[] = [];
  closed: number | undefined;
  /** Status of a refused upgrade. */
  refused: number | undefined;

  constructor(t: Test, url: string, headers: Record<string, string>) {
    this.socket = new WebSocket(url, ['parley.v1'], { headers });
    this.socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as Record<string, unknown>);
      this.changed();
    });
    this.socket.on('close', (code) => {
      this.closed = code;
      this.changed();
    });
    this.socket.on('unexpected-response', (_request, response) => {
      this.refused = response.statusCode;
      this.changed();
    });
    this.socket.on('error', () => undefined);
    t.teardown(() => this.socket.terminate());
  }

  get protocol(): string {
    return this.socket.protocol;
  }

  send(data: string | Buffer): void {
    this.socket.send(data);
  }

  close(): void {
    this.socket.close();
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((done) => this.changes.push(done));
  }

  private changed(): void {
    for (const done of this.changes.splice(0)) done();
  }
}

/** Starts one; it ends with the test. */
export async function startEventServer(t: Test): Promise<EventServer> {
  const node = await CoreNode.start();
  node.runtime.transact((tx) => {
    for (const id of [1, 2]) tx.org.users.insert(account(id));
  });
  await node.journal.barrier();
  let next = 0;
  const tickets = new SocketTickets(
    () => node.clock.now(),
    () => `ticket-${next++}`,
  );
  const parts: EventRouteParts = {
    events: new QueueAccess(node.queues, node.runtime),
    tickets,
    authenticator: {
      caller: (session) => toy.authenticator.caller(session),
      lacksTwoFactor: () => false,
    },
    now: () => node.clock.now(),
    fail: (exchange, error) => toy.server.fail(exchange, error),
  };
  const options = { specials: [pollRoute(parts)], events: () => parts };
  const toy: Toy = await startToy(t, options, servePush);
  return {
    node,
    toy,
    tickets,
    poll: async (query) => answer(await toy.api(`/events?${query}`)),
    open: (query, headers = { Authorization: basic() }) =>
      new Client(t, `ws://127.0.0.1:${toy.port}/api/v1/events?${query}`, headers),
    say: async (n) => {
      node.emit([1], n);
      await node.journal.barrier();
    },
  };
}
