import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A network between a process and its store that can be cut: nothing passes then, and no connection ends, as
 * where a cable is pulled. What was sent meanwhile arrives when it is whole again.
 */
export class NetworkCut {
  private isCut = false;
  private readonly waiting: (() => void)[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client: Socket) => {
      this.own(client);
      if (this.isCut) this.waiting.push(() => this.join(client));
      else this.join(client);
    });
  }

  /** @param target port of this machine */
  static async open(target: number): Promise<NetworkCut> {
    const server = createServer({ pauseOnConnect: true, noDelay: true }).listen(0, '127.0.0.1');
    const network = new NetworkCut(server, target);
    await once(server, 'listening');
    return network;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  restore(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
    for (const join of this.waiting.splice(0)) join();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private own(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }

  private join(client: Socket): void {
    if (client.destroyed) return;
    const store = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    this.own(store);
    for (const [from, to] of [
      [client, store],
      [store, client],
    ] as const) {
      // Without back-pressure: a commit has some kilobytes.
      from.on('data', (chunk: Buffer) => to.write(chunk));
      from.on('close', () => to.destroy());
    }
    client.resume();
  }
}
