import type { Address } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { HttpStream } from './http-stream.js';
import { ParseMemo } from './memo.js';
import { WebSocketClient } from './web-socket.js';

/*
 * Subscribers of nchan: what is published comes as it is, one message at a time. A poll names the message that it has
 * by the time and the tag that came with it.
 */

const events = new ParseMemo((text) => [JSON.parse(text) as WireEvent]);

/** Where a client subscribes: the channel of all (''), or one of its own. */
function pathOf(channel: string): string {
  return `/events?client=${channel}`;
}

export class NchanPoller implements Client {
  private readonly connection: HttpConnection;
  private readonly head: string;

  constructor(
    server: Address,
    index: number,
    channel: string,
    private readonly told: ClientEvents,
  ) {
    this.head = `GET ${pathOf(channel)} HTTP/1.1\r\nHost: ${server.host}\r\n`;
    this.connection = new HttpConnection(server, index, {
      reply: (reply) => this.answered(reply),
      fault: (error) => told.fault(error),
    });
  }

  start(): void {
    this.connection.send(`${this.head}\r\n`);
    this.told.ready();
  }

  close(): void {
    this.connection.close();
  }

  private answered({ status, head, body, bytes }: HttpReply): void {
    if (status !== 200) {
      return this.told.fault(new Error(`A poll was answered ${status}: ${body.toString()}`));
    }
    const time = /\r\nLast-Modified: ([^\r]+)/.exec(head)?.[1] ?? '';
    const tag = /\r\nEtag: ([^\r]+)/.exec(head)?.[1] ?? '';
    const list = events.read(body);
    this.connection.send(`${this.head}If-Modified-Since: ${time}\r\nIf-None-Match: ${tag}\r\n\r\n`);
    this.told.events(list, bytes);
  }
}

/** Subscribes by a connection that goes on. */
abstract class NchanListener implements Client {
  protected abstract readonly kind: typeof WebSocketClient | typeof HttpStream;
  private connection: WebSocketClient | HttpStream | null = null;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly channel: string,
    private readonly told: ClientEvents,
  ) {}

  start(): void {
    this.connection = new this.kind(
      this.server,
      this.index,
      { path: pathOf(this.channel), authorization: '' },
      {
        open: () => this.told.ready(),
        message: (data, bytes) => this.told.events(events.read(data), bytes),
        fault: (error) => this.told.fault(error),
      },
    );
  }

  close(): void {
    this.connection?.close();
  }
}

export class NchanSocket extends NchanListener {
  protected readonly kind = WebSocketClient;
}

export class NchanStream extends NchanListener {
  protected readonly kind = HttpStream;
}
