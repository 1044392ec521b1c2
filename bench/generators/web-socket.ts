import type net from 'node:net';
import type { Address } from '../exchange/jobs.js';
import { openSocket } from './http-connection.js';

export interface WebSocketEvents {
  open(): void;
  /** A text frame; `payload` is valid during the call only. */
  message(payload: Buffer, bytes: number): void;
  fault(error: Error): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const EMPTY = Buffer.alloc(0);
/** Any 16 bytes do: the bench does not check the accept header. */
const KEY = 'cGFybGV5LWJlbmNoLWtleQ==';

/** Frame of a client. Its mask is zero, which the protocol allows, so the payload stays as it is. */
function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const extended = length < 126 ? 0 : 2;
  if (length > 65_535) throw new Error('The bench sends no frames above 64 KiB');
  const frame = Buffer.alloc(2 + extended + 4 + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 0 ? length : 126);
  if (extended > 0) frame.writeUInt16BE(length, 2);
  payload.copy(frame, 6 + extended);
  return frame;
}

/** A WebSocket client without masking work, compression, fragmentation or buffers of its own. */
export class WebSocketClient {
  private readonly socket: net.Socket;
  private rest: Buffer = EMPTY;
  private upgraded = false;
  private closed = false;

  constructor(
    server: Address,
    index: number,
    request: { readonly path: string; readonly authorization: string },
    private readonly events: WebSocketEvents,
  ) {
    this.socket = openSocket(server, index, (chunk) => this.read(chunk));
    this.socket.on('error', (error) => this.broken(error));
    this.socket.on('close', () => this.broken(new Error('The server closed the socket')));
    const authorization =
      request.authorization === '' ? '' : `Authorization: ${request.authorization}\r\n`;
    this.socket.write(
      `GET ${request.path} HTTP/1.1\r\nHost: ${server.host}\r\n${authorization}` +
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        `Sec-WebSocket-Key: ${KEY}\r\n\r\n`,
    );
  }

  send(text: string): void {
    if (!this.closed) this.socket.write(clientFrame(1, Buffer.from(text)));
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
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    if (!this.upgraded) {
      const end = data.indexOf(HEAD_END);
      if (end < 0) return this.keep(data, 0);
      const head = data.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 101')) {
        return this.broken(new Error(`The upgrade was refused: ${head.slice(0, 200)}`));
      }
      this.upgraded = true;
      at = end + 4;
      this.events.open();
    }
    while (!this.closed) {
      const next = this.frame(data, at);
      if (next === null) break;
      at = next;
    }
    this.keep(data, at);
  }

  /** Handles the frame at `at`; returns where the next one starts, or null when it is incomplete. */
  private frame(data: Buffer, at: number): number | null {
    if (data.length < at + 2) return null;
    let length = data[at + 1]! & 0x7f;
    let start = at + 2;
    if (length === 126) {
      if (data.length < at + 4) return null;
      length = data.readUInt16BE(at + 2);
      start = at + 4;
    } else if (length === 127) {
      if (data.length < at + 10) return null;
      length = Number(data.readBigUInt64BE(at + 2));
      start = at + 10;
    }
    const end = start + length;
    if (data.length < end) return null;
    this.handle(data[at]!, data.subarray(start, end), end - at);
    return end;
  }

  private handle(first: number, payload: Buffer, bytes: number): void {
    const opcode = first & 0x0f;
    if (opcode === 1 && (first & 0x80) !== 0) return this.events.message(payload, bytes);
    if (opcode === 9) {
      this.socket.write(clientFrame(10, payload));
      return;
    }
    if (opcode === 10) return;
    const code = opcode === 8 && payload.length >= 2 ? payload.readUInt16BE(0) : null;
    this.broken(
      new Error(code === null ? `Unexpected frame ${first}` : `The server closed with ${code}`),
    );
  }

  private keep(data: Buffer, from: number): void {
    this.rest = from >= data.length ? EMPTY : Buffer.from(data.subarray(from));
  }
}
