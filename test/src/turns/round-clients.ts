/* What is on the other end of connections in tests of their turns, without a network: clients that read, and that send. */
import type { Socket as MailSocket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import type { Stream } from '../../../src/http/events/event-stream.js';
import type { Socket } from '../../../src/http/events/websocket.js';
import type { Exchange } from '../../../src/http/reply/exchange.js';
import type { StreamListener } from '../../../src/http/reply/reply-stream.js';
import { LineTurns } from '../../../src/services/incoming-mail/line-turns.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What all connections have been sent, bytes, and what may still be. */
export class Network {
  moved = 0;
  readonly received: number[] = [];

  take(connection: number, bytes: number): void {
    this.moved += bytes;
    this.received[connection] = (this.received[connection] ?? 0) + bytes;
  }
}

/** A client that takes so many bytes until it is told to go on. */
export class Client implements Stream, Socket {
  isBlocked = false;
  drained: () => void = () => undefined;
  gone: () => void = () => undefined;
  private unread = 0;

  constructor(
    private readonly network: Network,
    private readonly index: number,
    private readonly buffer: number,
  ) {}

  listen(listener: StreamListener): void {
    this.drained = () => listener.drained();
    this.gone = () => listener.gone();
  }

  write(frame: string | Uint8Array): void {
    if (this.isBlocked) throw new Error('Nothing may be written now');
    this.takes(frame.length);
  }

  send(frame: string | ArrayBuffer | Uint8Array): number {
    this.takes(typeof frame === 'string' ? frame.length : frame.byteLength);
    return this.isBlocked ? 0 : 1;
  }

  getBufferedAmount(): number {
    return this.isBlocked ? 16 * MIB : 0;
  }

  end(): void {
    throw new Error('Nobody ends it');
  }

  close(): void {
    throw new Error('Nobody closes it');
  }

  /** It has read everything. */
  reads(): void {
    this.unread = 0;
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.drained();
  }

  private takes(bytes: number): void {
    this.network.take(this.index, bytes);
    this.unread += bytes;
    this.isBlocked = this.unread > this.buffer;
  }
}

/** A poll whose reply is made in one text, and then sent in chunks, which have turns of their own. */
export function poll(network: Network, index: number): Exchange {
  const exchange = {
    settled: false,
    method: 'GET',
    acceptEncoding: '',
    onAbort: () => undefined,
    hold: () => ({ progressed: () => undefined, ended: () => undefined }),
    replyJsonChunks: async ({ size }: { size: number }) => {
      exchange.settled = true;
      network.take(index, size);
    },
  };
  return exchange as unknown as Exchange;
}

/** A client that sends a body as fast as it may. */
export class Sender {
  settled = false;
  contentLength = 0;
  contentCoding = '';
  holdsBody = false;
  receiving = false;
  isHeld = false;
  sent = 0;
  private data!: (chunk: ArrayBuffer, last: boolean) => void;

  constructor(
    readonly account: number,
    readonly size: number,
    length: number,
    /** What of it comes with its head. */
    private readonly first = 512 * KIB,
  ) {
    this.contentLength = length;
  }

  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    this.data = listener;
  }

  onAbort(): void {}
  closeAfterReply(): void {}

  holdBody(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  /** What the native layer reads at a time. @returns how much that was */
  sends(): number {
    return this.isHeld ? 0 : this.sendsHeld();
  }

  /** As {@link sends}, though it is held back: the native layer may have read more already. */
  sendsHeld(): number {
    if (this.sent === this.size) return 0;
    const most = this.sent === 0 ? this.first : 512 * KIB;
    const length = Math.min(most, this.size - this.sent);
    const chunk = new Uint8Array(length).fill(this.sent / (512 * KIB));
    this.sent += length;
    this.data(chunk.buffer, this.sent === this.size);
    return length;
  }
}

/** A client that says lines to a listener for mails, and what reads them there. */
export class MailClient {
  private readonly socket: PassThrough;

  constructor(network: Network, index: number, account: number) {
    this.socket = Object.assign(new PassThrough(), { remoteAddress: String(account) });
    LineTurns.between(this.socket as unknown as MailSocket);
    this.socket.pipe(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          network.take(index, chunk.length);
          done();
        },
      }),
    );
  }

  says(lines: number): void {
    this.socket.write('NOOP\n'.repeat(lines));
  }
}
