import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

/** TcpProxy stands between a node and what it connects to, and can cut the two off from one another. */
export class TcpProxy {
  private readonly pairs = new Set<readonly [Socket, Socket]>();
  private isCut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client: Socket) => this.join(client));
  }

  /** @param target port of this machine */
  static async open(t: Test, target: number): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: true });
    const proxy = new TcpProxy(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => proxy.close());
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing passes any more, and nobody is told: what is sent meanwhile arrives after `heal`, if ever. */
  cut(): void {
    this.isCut = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** What was sent arrives. @param breaking connections of before the cut break instead, with what they had */
  heal(breaking: boolean): void {
    this.isCut = false;
    for (const [client, server] of [...this.pairs]) {
      if (breaking) {
        client.resetAndDestroy();
        server.resetAndDestroy();
      } else {
        client.resume();
        server.resume();
      }
    }
  }

  private join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1');
    const pair = [client, server] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', end);
    }
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => client.write(bytes));
    if (this.isCut) server.pause();
    else client.resume();
  }

  private close(): void {
    this.server.close();
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }
}
