import {
  closeListenSocket,
  createApp,
  listen,
  portOf,
  type ListenSocket,
  type NativeApp,
  type NativeRequest,
  type NativeResponse,
} from '../native.js';
import { carriesKey } from './internal-headers.js';

/**
 * InternalListener is the address at which the nodes of one organization reach one another. Whoever lacks
 * their key learns nothing there.
 */
export class InternalListener {
  readonly port: number;
  private readonly app: NativeApp = createApp();
  private socket: ListenSocket | undefined;

  /**
   * @param key of the nodes
   * @param enter a request that carries it
   * @throws Error when the port is in use or the address is not local
   */
  constructor(
    host: string,
    port: number,
    key: string,
    enter: (response: NativeResponse, request: NativeRequest) => void,
  ) {
    if (key === '') throw new Error('The nodes need a key');
    const bytes = Buffer.from(key);
    this.app.any('/*', (response, request) => {
      if (carriesKey(request, bytes)) enter(response, request);
      else response.cork(() => response.writeStatus('403 Forbidden').end('', true));
    });
    this.socket = listen(this.app, host, port);
    this.port = portOf(this.socket);
  }

  /** Accepts no further connections. */
  closeListener(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
  }

  /** Closes every connection. */
  stop(): void {
    this.closeListener();
    this.app.close();
  }
}
