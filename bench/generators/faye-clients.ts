import type { Address } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { WebSocketClient } from './web-socket.js';

/*
 * The Bayeux protocol, as far as a receiver needs it: handshake, subscribe, then connect requests,
 * of which one is always held by the server.
 */
interface BayeuxMessage {
  readonly channel: string;
  readonly successful?: boolean;
  readonly clientId?: string;
  readonly data?: WireEvent;
  readonly error?: string;
}

/** The part of Bayeux that does not depend on how messages travel. */
class BayeuxSession {
  private clientId = '';
  private subscribed = false;

  constructor(
    private readonly connectionType: 'long-polling' | 'websocket',
    /** Channel for what goes to all, and one of its own. */
    private readonly channels: readonly string[],
    private readonly events: ClientEvents,
  ) {}

  /** The first thing to send. */
  handshake(): string {
    return JSON.stringify([
      {
        channel: '/meta/handshake',
        version: '1.0',
        supportedConnectionTypes: [this.connectionType],
      },
    ]);
  }

  /** Handles an array of messages; returns what to send next, or null for nothing. */
  receive(text: string, bytes: number): string | null {
    const messages = JSON.parse(text) as BayeuxMessage[];
    const events: WireEvent[] = [];
    let next: string | null = null;
    for (const message of messages) {
      if (message.successful === false) {
        this.events.fault(new Error(`Faye refused ${message.channel}: ${message.error ?? ''}`));
        return null;
      }
      if (message.data) events.push(message.data);
      else next = this.after(message) ?? next;
    }
    if (events.length > 0) this.events.events(events, bytes);
    return next;
  }

  private after(message: BayeuxMessage): string | null {
    const { clientId } = this;
    switch (message.channel) {
      case '/meta/handshake':
        this.clientId = message.clientId ?? '';
        return JSON.stringify([
          {
            channel: '/meta/subscribe',
            clientId: this.clientId,
            subscription: this.channels,
          },
        ]);
      case '/meta/subscribe':
        if (!this.subscribed) {
          this.subscribed = true;
          this.events.ready();
        }
        return this.connect();
      case '/meta/connect':
        return clientId === '' ? null : this.connect();
      default:
        return null;
    }
  }

  private connect(): string {
    const { clientId, connectionType } = this;
    return JSON.stringify([{ channel: '/meta/connect', clientId, connectionType }]);
  }
}

function channelsOf(index: number): string[] {
  return ['/events', `/events/${index}`];
}

/** A Faye client over WebSocket. */
export class FayeSocket implements Client {
  private socket: WebSocketClient | null = null;
  private readonly session: BayeuxSession;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly events: ClientEvents,
  ) {
    this.session = new BayeuxSession('websocket', channelsOf(index), events);
  }

  start(): void {
    const socket: WebSocketClient = new WebSocketClient(
      this.server,
      this.index,
      { path: '/faye', authorization: '' },
      {
        open: () => socket.send(this.session.handshake()),
        message: (payload, bytes) => {
          const next = this.session.receive(payload.toString(), bytes);
          if (next !== null) socket.send(next);
        },
        fault: (error) => this.events.fault(error),
      },
    );
    this.socket = socket;
  }

  close(): void {
    this.socket?.close();
  }
}

/** A Faye client over long polling. */
export class FayePoller implements Client {
  private readonly connection: HttpConnection;
  private readonly session: BayeuxSession;

  constructor(
    private readonly server: Address,
    index: number,
    private readonly events: ClientEvents,
  ) {
    this.session = new BayeuxSession('long-polling', channelsOf(index), events);
    this.connection = new HttpConnection(server, index, {
      reply: (reply) => this.answered(reply),
      fault: (error) => events.fault(error),
    });
  }

  start(): void {
    this.post(this.session.handshake());
  }

  close(): void {
    this.connection.close();
  }

  private post(body: string): void {
    this.connection.send(
      `POST /faye HTTP/1.1\r\nHost: ${this.server.host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  private answered({ status, body, bytes }: HttpReply): void {
    if (status !== 200) {
      return this.events.fault(new Error(`Faye answered ${status}: ${body.toString()}`));
    }
    const next = this.session.receive(body.toString(), bytes);
    if (next !== null) this.post(next);
  }
}
