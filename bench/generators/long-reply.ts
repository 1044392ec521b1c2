import type net from 'node:net';
import type { Address } from '../exchange/jobs.js';
import { openSocket } from './http-connection.js';

export interface LongRequest {
  readonly path: string;
  /** Empty for none. */
  readonly authorization: string;
}

export interface LongReplyEvents {
  /** The head of the reply came. */
  open(): void;
  /**
   * A text frame, or the data of one event, all its lines; empty for one without. Valid during the call only. `bytes`
   * as they came, framing included.
   */
  message(data: Buffer, bytes: number): void;
  fault(error: Error): void;
}

/** What one kind of these connections asks for, and what it is called. */
interface Kind {
  /** Lines of the request's head. */
  readonly headers: string;
  /** Status of the reply. */
  readonly status: number;
  readonly name: string;
  readonly refused: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');
export const EMPTY = Buffer.alloc(0);

/** A connection with one request, whose reply goes on: a WebSocket, or server-sent events. */
export abstract class LongReply {
  protected readonly socket: net.Socket;
  protected closed = false;
  private rest: Buffer = EMPTY;
  private isOpen = false;

  constructor(
    server: Address,
    index: number,
    request: LongRequest,
    protected readonly events: LongReplyEvents,
    private readonly kind: Kind,
  ) {
    this.socket = openSocket(server, index, (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error(`The server closed the ${kind.name}`)));
    const authorization =
      request.authorization === '' ? '' : `Authorization: ${request.authorization}\r\n`;
    this.socket.write(
      `GET ${request.path} HTTP/1.1\r\nHost: ${server.host}\r\n${authorization}${kind.headers}\r\n`,
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

  /** Takes what is whole. @returns what is left, which comes again with more behind it */
  protected abstract received(data: Buffer): Buffer;

  /** Told of the head, without its end. */
  protected began(_head: string): void {
    // Most need nothing of it.
  }

  protected broken(error: Error): void {
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
      if (!head.startsWith(`HTTP/1.1 ${this.kind.status}`)) {
        return this.broken(
          new Error(`The ${this.kind.refused} was refused: ${head.slice(0, 200)}`),
        );
      }
      this.isOpen = true;
      this.began(head);
      this.events.open();
      data = data.subarray(end + HEAD_END.length);
    }
    const left = this.received(data);
    // What is left lies in the memory that the next read overwrites.
    this.rest = left.length === 0 ? EMPTY : Buffer.from(left);
  }
}
