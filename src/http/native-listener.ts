import type { TlsFiles } from './tls/tls-files.js';
import { listening } from './cannot-listen.js';
import {
  closeListenSocket,
  createApp,
  listen,
  type ListenSocket,
  type NativeApp,
  portOf,
} from './native.js';

/** Registers routes at a native application. */
type Register = (app: NativeApp) => void;

/** NativeListener is the port of the clients: the native applications with the same routes that accept connections there. */
export class NativeListener {
  private app: NativeApp;
  /** Those with certificates from before a renewal, which serve the connections that they have. */
  private readonly former: NativeApp[] = [];
  /** What was registered, for the application of a renewed certificate. */
  private readonly routes: Register[] = [];
  private socket: ListenSocket | undefined;
  private place: { host: string; port: number; shared: boolean } | undefined;

  /** @throws Error where the files for TLS cannot be used */
  constructor(private tls: TlsFiles | null = null) {
    this.app = createApp(tls);
  }

  /** Registers routes, at each application to come, too; call before `listen`. */
  register(work: Register): void {
    this.routes.push(work);
    work(this.app);
  }

  /**
   * Starts listening; port 0 selects a free one.
   * @param shared other processes of this account may listen on the port too
   * @returns the port
   * @throws Error when the port is in use, or this already listens
   */
  async listen(host: string, port: number, shared: boolean): Promise<number> {
    if (this.socket) throw new Error('The server is already listening');
    this.socket = await listening(() => this.listenAt(host, port, shared));
    this.place = { host, port: portOf(this.socket), shared };
    return this.place.port;
  }

  /**
   * Serves new connections with a renewed certificate; those that are open keep theirs.
   * @throws Error when it cannot be used, or nobody can listen; nothing changes then
   */
  renew(tls: TlsFiles | null): void {
    const app = createApp(tls);
    for (const work of this.routes) work(app);
    if (this.socket && this.place) {
      const { host, port, shared } = this.place;
      // A port that belongs to one server has one listener at a time. Nothing comes between the two calls but clients
      // whose connection nobody has accepted yet: those are reset.
      closeListenSocket(this.socket);
      try {
        this.socket = listen(app, host, port, shared);
      } catch (error) {
        app.close();
        this.socket = listen(this.app, host, port, shared);
        throw error;
      }
    }
    this.tls = tls;
    this.former.push(this.app);
    this.app = app;
  }

  /** Closes the connections that there are, and goes on listening. */
  dropConnections(): void {
    this.renew(this.tls);
    for (const app of this.former.splice(0)) app.close();
  }

  /** Accepts no connection from now on; idempotent. */
  close(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
  }

  /** Closes every connection. */
  stop(): void {
    this.close();
    for (const app of [...this.former, this.app]) app.close();
  }

  private listenAt(host: string, port: number, shared: boolean): ListenSocket {
    const socket = listen(this.app, host, port, shared);
    if (port !== 0) return socket;
    // The native layer lets a socket take a port again beside its connections only where the port was named: renewed
    // certificates, and connections that are dropped, need that.
    const own = portOf(socket);
    closeListenSocket(socket);
    return listen(this.app, host, own, shared);
  }
}
