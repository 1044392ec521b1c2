import type { Address } from '../exchange/jobs.js';
import { EMPTY, LongReply, type LongReplyEvents, type LongRequest } from './long-reply.js';

const LINE_END = Buffer.from('\r\n');
const EVENT_END = Buffer.from('\n\n');
const DATA = Buffer.from('data: ');

/** A client of server-sent events: chunked replies and those that end with the connection. */
export class HttpStream extends LongReply {
  /** Text of the stream that is no whole event yet. */
  private text: Buffer = EMPTY;
  private isChunked = false;

  constructor(server: Address, index: number, request: LongRequest, events: LongReplyEvents) {
    super(server, index, request, events, {
      headers: 'Accept: text/event-stream\r\nUser-Agent: parley-bench\r\n',
      ...{ status: 200, name: 'stream', refused: 'stream' },
    });
  }

  protected override began(head: string): void {
    this.isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  }

  protected override received(data: Buffer): Buffer {
    return this.isChunked ? this.chunks(data) : this.take(data, data.length);
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
