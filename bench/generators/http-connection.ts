import net from 'node:net';
import type { Address } from '../exchange/jobs.js';

/** One reply. `body` is valid during the callback only. */
export interface HttpReply {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: Buffer;
  /** Head and body on the wire. */
  readonly bytes: number;
}

export interface HttpEvents {
  reply(reply: HttpReply): void;
  /** The connection broke while a reply was due, or said something that is no reply. */
  fault(error: Error): void;
}

/** All sockets of a process read into the same memory: a chunk is used up before the next read. */
const READ_BUFFER = Buffer.allocUnsafe(256 * 1024);
/** Replies larger than this are refused. */
const MAX_REPLY = 64 * 1024 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Loopback address of client `index`: one address has about 28,000 ports. */
function sourceAddress(server: Address, index: number): string | undefined {
  if (!server.host.startsWith('127.') || index < 20_000) return undefined;
  return `127.0.0.${2 + Math.floor(index / 20_000)}`;
}

/** Opens a socket that reads without allocating. */
export function openSocket(
  server: Address,
  index: number,
  read: (chunk: Buffer) => void,
): net.Socket {
  const socket = net.connect({
    host: server.host,
    port: server.port,
    localAddress: sourceAddress(server, index),
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (length) => {
        read(READ_BUFFER.subarray(0, length));
        return true;
      },
    },
  });
  return socket;
}

/** A keep-alive HTTP/1.1 connection with at most one request under way. Opens when first used. */
export class HttpConnection {
  private socket: net.Socket | null = null;
  private rest: Buffer[] = [];
  private restLength = 0;
  /** Bytes of the reply under way, once its head is known. */
  private wanted = 0;
  private due = false;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly events: HttpEvents,
  ) {}

  /** True while a reply is due. */
  get busy(): boolean {
    return this.due;
  }

  send(request: string): void {
    if (this.due) throw new Error('A reply is still due on this connection');
    this.due = true;
    this.socket ??= this.open();
    this.socket.write(request, 'latin1');
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  close(): void {
    this.due = false;
    this.socket?.destroy();
    this.socket = null;
  }

  private open(): net.Socket {
    const socket = openSocket(this.server, this.index, (chunk) => this.read(chunk));
    socket.on('error', (error) => this.broken(socket, error));
    socket.on('close', () => this.broken(socket, new Error('The server closed the connection')));
    return socket;
  }

  private broken(socket: net.Socket, error: Error): void {
    if (this.socket !== socket) return;
    this.socket = null;
    this.rest = [];
    this.restLength = 0;
    this.wanted = 0;
    // Between requests a server may close: the next request opens another connection.
    if (!this.due) return;
    this.due = false;
    this.events.fault(error);
  }

  private read(chunk: Buffer): void {
    if (this.restLength > 0) {
      this.rest.push(Buffer.from(chunk));
      this.restLength += chunk.length;
      if (this.restLength < this.wanted) return;
      chunk = Buffer.concat(this.rest, this.restLength);
      this.rest = [];
      this.restLength = 0;
    }
    this.parse(chunk);
  }

  private parse(data: Buffer): void {
    const headEnd = data.indexOf(HEAD_END);
    if (headEnd < 0) return this.keep(data, 0);
    const head = data.toString('latin1', 0, headEnd);
    const status = Number(head.slice(9, 12));
    const found = CONTENT_LENGTH.exec(head);
    const length = found ? Number(found[1]) : 0;
    const total = headEnd + 4 + length;
    if (!head.startsWith('HTTP/1.1 ') || (!found && status !== 204) || total > MAX_REPLY) {
      return this.refuse(`Not a reply the bench can read: ${head.slice(0, 200)}`);
    }
    if (data.length < total) return this.keep(data, total);
    if (data.length > total || !this.due) return this.refuse('More bytes than one reply');
    this.wanted = 0;
    this.due = false;
    this.events.reply({ status, head, body: data.subarray(headEnd + 4), bytes: total });
  }

  private keep(data: Buffer, wanted: number): void {
    this.rest = [Buffer.from(data)];
    this.restLength = data.length;
    this.wanted = wanted;
  }

  private refuse(message: string): void {
    this.close();
    this.events.fault(new Error(message));
  }
}
