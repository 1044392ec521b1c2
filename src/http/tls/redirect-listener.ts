import {
  closeListenSocket,
  createApp,
  listen,
  type ListenSocket,
  type NativeApp,
  portOf,
  utf8Text,
} from '../native.js';
import type { ConnectionGate } from '../limits/connection-limit.js';
import { guardApp } from '../limits/guarded.js';

/** Connections at once: each is closed with its reply, so that more wait only where somebody means harm. */
export const MAX_REDIRECT_CONNECTIONS = 500;

/** What a `Host` header may be, its port apart; anything else would be a part of the answer's address. */
const HOST = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** RedirectListener answers plain HTTP with the HTTPS address of the same thing, whatever the method. */
export class RedirectListener {
  readonly port: number;
  private readonly app: NativeApp = createApp();
  private socket: ListenSocket | undefined;

  /**
   * @param target the base URL of the server, or the port of HTTPS where the name is whatever the client asks for
   * @param gate of its connections
   * @param isProxy whether all clients may share an address
   * @throws Error when the port is in use, or the address not local
   */
  constructor(
    { host, port, shared }: { host: string; port: number; shared: boolean },
    target: () => string | number,
    gate: ConnectionGate,
    isProxy: (address: string) => boolean,
  ) {
    guardApp(this.app, gate);
    this.app.any('/*', (response, request) => {
      const to = target();
      const base = typeof to === 'string' ? to : baseOf(request.getHeader('host'), to);
      const query = request.getQuery();
      const path = request.getUrl() + (query ? `?${query}` : '');
      response.cork(() => {
        if (base === null) response.writeStatus(utf8Text('400 Bad Request'));
        else {
          response.writeStatus(utf8Text('308 Permanent Redirect'));
          response.writeHeader('Location', utf8Text(base + path));
        }
        response.end(utf8Text(''), true);
      });
    });
    this.socket = listen(this.app, host, port, shared);
    this.port = portOf(this.socket);
    gate.listensAt(this.port, isProxy);
  }

  /** Idempotent. */
  close(): void {
    if (this.socket) closeListenSocket(this.socket);
    this.socket = undefined;
    this.app.close();
  }
}

function baseOf(header: string, port: number): string | null {
  const name = HOST.exec(header)?.[1];
  if (name === undefined) return null;
  return `https://${name}${port === 443 ? '' : `:${port}`}`;
}
