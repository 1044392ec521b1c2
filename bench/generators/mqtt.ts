import type net from 'node:net';
import type { Address } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { openSocket, type HttpEvents } from './http-connection.js';
import { ParseMemo } from './memo.js';

/* MQTT 3.1.1, as far as a subscriber (at most once) and a publisher (at least once) need it. */

const CONNACK = 2;
const PUBLISH = 3;
const PUBACK = 4;
const SUBACK = 9;
const EMPTY = Buffer.alloc(0);
/** The only packet identifier: one packet that needs an answer is under way at a time. */
const PACKET_ID = Buffer.from([0, 1]);

/** A string with its length before it. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function packet(first: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  for (let left = body.length; ; left >>= 7) {
    if (left < 128) {
      length.push(left);
      break;
    }
    length.push((left & 0x7f) | 0x80);
  }
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}

/** Without a client id the broker makes one; a clean session; no keep-alive, so that nobody pings. */
const CONNECT = packet(0x10, text('MQTT'), Buffer.from([4, 2, 0, 0]), text(''));

/** A message that the broker acknowledges, as text of one byte a character. */
export function publishPacket(topic: string, body: string): string {
  return packet(0x32, text(topic), PACKET_ID, Buffer.from(body)).toString('latin1');
}

/** A connection to a broker that calls back for each packet. */
class MqttConnection {
  private readonly socket: net.Socket;
  private rest: Buffer = EMPTY;
  private closed = false;

  constructor(
    server: Address,
    index: number,
    private readonly handle: (kind: number, body: Buffer, bytes: number) => void,
    private readonly fault: (error: Error) => void,
  ) {
    this.socket = openSocket(server, index, (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error('The broker closed the connection')));
    this.socket.write(CONNECT);
  }

  write(bytes: Buffer | string): void {
    if (typeof bytes === 'string') this.socket.write(bytes, 'latin1');
    else this.socket.write(bytes);
  }

  close(): void {
    this.closed = true;
    this.socket.destroy();
  }

  private broken(error: Error): void {
    if (this.closed) return;
    this.close();
    this.fault(error);
  }

  private read(chunk: Buffer): void {
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (!this.closed) {
      let length = 0;
      let start = at + 1;
      let byte = 0x80;
      for (let shift = 0; byte & 0x80 && start < data.length; shift += 7) {
        byte = data[start++]!;
        length |= (byte & 0x7f) << shift;
      }
      if (byte & 0x80 || data.length < start + length) break;
      const end = start + length;
      this.handle(data[at]! >> 4, data.subarray(start, end), end - at);
      at = end;
    }
    this.rest = at >= data.length ? EMPTY : Buffer.from(data.subarray(at));
  }
}

const events = new ParseMemo((json) => [JSON.parse(json) as WireEvent]);

/** Subscribes to one topic. */
export class MqttSubscriber implements Client {
  private connection: MqttConnection | null = null;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly channel: string,
    private readonly told: ClientEvents,
  ) {}

  start(): void {
    const fault = (error: Error): void => this.told.fault(error);
    const connection = new MqttConnection(
      this.server,
      this.index,
      (kind, body, bytes) => {
        const topic = text(`events/${this.channel}`);
        if (kind === CONNACK) {
          connection.write(packet(0x82, PACKET_ID, topic, Buffer.from([0])));
        }
        if (kind === SUBACK) this.told.ready();
        // At most once: the payload follows the topic.
        if (kind === PUBLISH) this.told.events(events.read(body.subarray(topic.length)), bytes);
      },
      fault,
    );
    this.connection = connection;
  }

  close(): void {
    this.connection?.close();
  }
}

/** Publishes like a connection that sends requests: each packet is answered by its acknowledgement. */
export class MqttPublisher {
  private connection: MqttConnection | null = null;
  private waiting = '';

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly events: HttpEvents,
  ) {}

  send(request: string): void {
    if (this.connection) return this.connection.write(request);
    this.waiting = request;
    const connection = new MqttConnection(
      this.server,
      this.index,
      (kind, _body, bytes) => {
        if (kind === CONNACK) connection.write(this.waiting);
        if (kind === PUBACK) this.events.reply({ status: 200, head: '', body: EMPTY, bytes });
      },
      (error) => {
        this.connection = null;
        this.events.fault(error);
      },
    );
    this.connection = connection;
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
  }
}
