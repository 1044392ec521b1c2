import type net from 'node:net';
import type { Address } from '../exchange/jobs.js';
import { openSocket } from './http-connection.js';

export interface StreamRequest {
  readonly path: string;
  readonly authorization: string;
}

export interface StreamEvents {
  /** The head of the reply came: the stream is open. */
  open(): void;
  /** Data of one event, all its lines; empty for one without. `bytes` as they came, framing included. */
  message(data: Buffer, bytes: number): void;
  fault(error: Error): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const EVENT_END = Buffer.from('\n\n');
const DATA = Buffer.from('data: ');
const EMPTY = Buffer.alloc(0);

/** A client of server-sent events: chunked replies and those that end with the connection. */
export class HttpStream {
  private readonly socket: net.Socket;
  private rest: Buffer = EMPTY;
  /** Text of the stream that is no whole event yet. */
  private text: Buffer = EMPTY;
  private isOpen = false;
  private isChunked = false;
  private closed = false;

  constructor(
    server: Address,
    index: number,
    request: StreamRequest,
    private readonly events: StreamEvents,
  ) {
    this.socket = openSocket(server, index, (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error('The server closed the stream')));
    const authorization =
      request.authorization === '' ? '' : `Authorization: ${request.authorization}\r\n`;
    this.socket.write(
      `GET ${request.path} HTTP/1.1\r\nHost: ${server.host}\r\n${authorization}` +
        'Accept: text/event-stream\r\nUser-Agent: parley-bench\r\n\r\n',
    );
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.closed = true;
    this.socket.destroy();
  }

  private broken(error: Error): void {
    if (this.closed) return;
    this.close();
    this.events.fault(error);
  }

  private read(chunk: Buffer): void {
    let data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    if (!this.isOpen) {
      const end = data.indexOf(HEAD_END);
      if (end < 0) {
        this.rest = Buffer.from(data);
        return;
      }
      const head = data.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200')) {
        return this.broken(new Error(`The stream was refused: ${head.slice(0, 200)}`));
      }
      this.isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
      this.isOpen = true;
      this.events.open();
      data = data.subarray(end + 4);
    }
    const left = this.isChunked ? this.chunks(data) : this.take(data, data.length);
    // What is left lies in the memory that the next read overwrites.
    this.rest = left.length === 0 ? EMPTY : Buffer.from(left);
  }

  /** Takes whole chunks; returns what is left. The line end behind a chunk may come as late as the next one. */
  private chunks(data: Buffer): Buffer {
    while (!this.closed) {
      const from = data.indexOf(LINE_END) === 0 ? LINE_END.length : 0;
      const end = data.indexOf(LINE_END, from);
      if (end < 0) return data;
      const length = Number.parseInt(data.toString('latin1', from, end), 16);
      if (length === 0) {
        this.broken(new Error('The server ended the stream'));
        return EMPTY;
      }
      const start = end + LINE_END.length;
      if (data.length < start + length) return data;
      this.take(data.subarray(start, start + length), start + length);
      data = data.subarray(start + length);
    }
    return EMPTY;
  }

  private take(text: Buffer, bytes: number): Buffer {
    let data = this.text.length > 0 ? Buffer.concat([this.text, text]) : text;
    let counted = bytes;
    for (;;) {
      const end = data.indexOf(EVENT_END);
      if (end < 0) break;
      const at = data.subarray(0, end).indexOf(DATA);
      if (at >= 0) this.events.message(data.subarray(at + DATA.length, end), counted);
      counted = 0;
      data = data.subarray(end + EVENT_END.length);
      if (this.closed) return EMPTY;
    }
    this.text = data.length === 0 ? EMPTY : Buffer.from(data);
    return EMPTY;
  }
}
