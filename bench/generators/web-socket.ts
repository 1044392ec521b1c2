import type { Address } from '../exchange/jobs.js';
import { EMPTY, LongReply, type LongReplyEvents, type LongRequest } from './long-reply.js';

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
export class WebSocketClient extends LongReply {
  constructor(server: Address, index: number, request: LongRequest, events: LongReplyEvents) {
    super(server, index, request, events, {
      headers:
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        `Sec-WebSocket-Key: ${KEY}\r\n`,
      ...{ status: 101, name: 'socket', refused: 'upgrade' },
    });
  }

  send(text: string): void {
    if (!this.closed) this.socket.write(clientFrame(1, Buffer.from(text)));
  }

  protected override received(data: Buffer): Buffer {
    let at = 0;
    while (!this.closed) {
      const next = this.frame(data, at);
      if (next === null) break;
      at = next;
    }
    return at >= data.length ? EMPTY : data.subarray(at);
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
}
