import type { Address } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { ParseMemo } from './memo.js';
import { WebSocketClient } from './web-socket.js';

/*
 * Engine.IO protocol 4 and Socket.IO protocol 5, as far as a receiver needs them. Packets: `0` open,
 * `2` ping, `3` pong, `4` message; inside a message `0` connect, `2` event. Polls may carry several
 * packets, separated by the character 0x1e.
 */
const CONNECT = '40';
const PONG = '3';

const packets = new ParseMemo((text) => text.split('\x1e').map(parsePacket));

type Packet =
  | { readonly kind: 'connected' | 'ping' | 'other' }
  | { readonly kind: 'event'; readonly event: WireEvent };

function parsePacket(text: string): Packet {
  if (text.startsWith('42')) {
    return { kind: 'event', event: (JSON.parse(text.slice(2)) as [string, WireEvent])[1] };
  }
  if (text.startsWith('40')) return { kind: 'connected' };
  return { kind: text === '2' ? 'ping' : 'other' };
}

function eventsOf(list: readonly Packet[]): WireEvent[] {
  return list.flatMap((packet) => (packet.kind === 'event' ? [packet.event] : []));
}

/** A Socket.IO client over WebSocket alone. */
export class SocketIoSocket implements Client {
  private socket: WebSocketClient | null = null;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly events: ClientEvents,
  ) {}

  start(): void {
    const path = `/socket.io/?EIO=4&transport=websocket&client=${this.index}`;
    this.socket = new WebSocketClient(
      this.server,
      this.index,
      { path, authorization: '' },
      {
        open: () => undefined,
        message: (payload, bytes) => this.message(payload, bytes),
        fault: (error) => this.events.fault(error),
      },
    );
  }

  close(): void {
    this.socket?.close();
  }

  private message(payload: Buffer, bytes: number): void {
    if (payload[0] === 0x30) {
      this.socket?.send(CONNECT);
      return;
    }
    const list = packets.read(payload);
    for (const packet of list) {
      if (packet.kind === 'connected') this.events.ready();
      if (packet.kind === 'ping') this.socket?.send(PONG);
    }
    const events = eventsOf(list);
    if (events.length > 0) this.events.events(events, bytes);
  }
}

/** A Socket.IO client over its long polling alone. */
export class SocketIoPoller implements Client {
  private readonly connection: HttpConnection;
  private session = '';
  /** What the reply under way answers. */
  private asked: 'handshake' | 'post' | 'poll' = 'handshake';

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly events: ClientEvents,
  ) {
    this.connection = new HttpConnection(server, index, {
      reply: (reply) => this.answered(reply),
      fault: (error) => events.fault(error),
    });
  }

  start(): void {
    this.request('handshake', 'GET');
  }

  close(): void {
    this.connection.close();
  }

  private request(asked: typeof this.asked, method: 'GET' | 'POST', body = ''): void {
    this.asked = asked;
    const session = this.session === '' ? '' : `&sid=${this.session}`;
    const head =
      method === 'POST'
        ? `Content-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
        : '';
    this.connection.send(
      `${method} /socket.io/?EIO=4&transport=polling&client=${this.index}${session} HTTP/1.1\r\n` +
        `Host: ${this.server.host}\r\n${head}\r\n${body}`,
    );
  }

  private answered({ status, body, bytes }: HttpReply): void {
    if (status !== 200) {
      return this.events.fault(new Error(`Socket.IO answered ${status}: ${body.toString()}`));
    }
    if (this.asked === 'handshake') {
      this.session = (JSON.parse(body.toString().slice(1)) as { sid: string }).sid;
      return this.request('post', 'POST', CONNECT);
    }
    if (this.asked === 'post') return this.request('poll', 'GET');
    const list = packets.read(body);
    if (list.some((packet) => packet.kind === 'ping')) this.request('post', 'POST', PONG);
    else this.request('poll', 'GET');
    if (list.some((packet) => packet.kind === 'connected')) this.events.ready();
    const events = eventsOf(list);
    if (events.length > 0) this.events.events(events, bytes);
  }
}
