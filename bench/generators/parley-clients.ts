import { machineNow } from '../clock.js';
import type { Address, Seat } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { HttpStream } from './http-stream.js';
import { ParseMemo, PollReplyReader } from './memo.js';
import { WebSocketClient } from './web-socket.js';

const replies = new PollReplyReader();
const frames = new ParseMemo((text) => JSON.parse(text) as Frame);
const messages = new ParseMemo((text) => JSON.parse(text) as StreamMessage);

type Frame =
  | { readonly type: 'hello' }
  | { readonly type: 'events'; readonly events: readonly WireEvent[] }
  | { readonly type: 'error'; readonly msg: string };

/** Data of the stream: a greeting, events, or why it ends. */
type StreamMessage = {
  readonly events?: readonly WireEvent[];
  readonly close_code?: number;
  readonly msg?: string;
};

/** Polls a queue: each answer acknowledges what it brought by asking for what comes next. */
export class ParleyPoller implements Client {
  private readonly connection: HttpConnection;
  private readonly before: string;
  private readonly after: string;
  private cursor: number;

  constructor(
    server: Address,
    index: number,
    seat: Seat,
    private readonly events: ClientEvents,
  ) {
    this.cursor = seat.lastEventId;
    this.before = `GET /api/v1/events?queue_id=${encodeURIComponent(seat.queueId)}&last_event_id=`;
    this.after =
      ` HTTP/1.1\r\nHost: ${server.host}\r\nAuthorization: ${seat.authorization}\r\n` +
      'User-Agent: parley-bench\r\n\r\n';
    this.connection = new HttpConnection(server, index, {
      reply: (reply) => this.answered(reply),
      fault: (error) => events.fault(error),
    });
  }

  start(): void {
    this.poll();
    this.events.ready();
  }

  pause(): void {
    this.connection.pause();
  }

  resume(): void {
    this.connection.resume();
  }

  close(): void {
    this.connection.close();
  }

  private poll(): void {
    this.connection.send(this.before + this.cursor + this.after);
  }

  private answered({ status, body, bytes }: HttpReply): void {
    if (status !== 200) {
      return this.events.fault(new Error(`A poll was answered ${status}: ${body.toString()}`));
    }
    const events = replies.read(body);
    const newest = events.at(-1)?.id;
    if (newest !== undefined) this.cursor = newest;
    this.poll();
    this.events.events(events, bytes);
  }
}

/** Events between acknowledgements: often enough for any queue bound, rarely enough to be cheap. */
const ACK_EVERY = 16;

/** The same queue over the push channel. */
export class ParleySocket implements Client {
  private socket: WebSocketClient | null = null;
  private unacknowledged = 0;

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly seat: Seat,
    private readonly events: ClientEvents,
  ) {}

  start(): void {
    const { queueId, lastEventId, authorization } = this.seat;
    const path =
      `/api/v1/events?queue_id=${encodeURIComponent(queueId)}` + `&last_event_id=${lastEventId}`;
    this.socket = new WebSocketClient(
      this.server,
      this.index,
      { path, authorization },
      {
        open: () => undefined,
        message: (payload, bytes) => this.message(payload, bytes),
        fault: (error) => this.events.fault(error),
      },
    );
  }

  pause(): void {
    this.socket?.pause();
  }

  resume(): void {
    this.socket?.resume();
  }

  close(): void {
    this.socket?.close();
  }

  private message(payload: Buffer, bytes: number): void {
    // The hello frame differs between sockets and would only push the memo out.
    if (payload.subarray(0, 15).toString().includes('"hello"')) return this.events.ready();
    const frame = frames.read(payload);
    if (frame.type === 'hello') return this.events.ready();
    if (frame.type === 'error') return this.events.fault(new Error(frame.msg));
    this.acknowledge(frame.events);
    this.events.events(frame.events, bytes);
  }

  private acknowledge(events: readonly WireEvent[]): void {
    this.unacknowledged += events.length;
    const newest = events.at(-1)?.id;
    if (this.unacknowledged < ACK_EVERY || newest === undefined) return;
    this.unacknowledged = 0;
    this.socket?.send(`{"type":"ack","last_event_id":${newest}}`);
  }
}

/** Events after which a stream acknowledges: nothing comes back on it, so it takes a request. */
const STREAM_ACK_EVERY = 1000;
/** Longest time without an acknowledgement: half of what a server waits for one. */
const STREAM_ACK_MS = 45_000;

/** The same queue as server-sent events. */
export class ParleyStream implements Client {
  private stream: HttpStream | null = null;
  private readonly acknowledgements: HttpConnection;
  private unacknowledged = 0;
  private acknowledgedAt = machineNow();

  constructor(
    private readonly server: Address,
    private readonly index: number,
    private readonly seat: Seat,
    private readonly events: ClientEvents,
  ) {
    this.acknowledgements = new HttpConnection(server, index, {
      reply: ({ status }) => {
        if (status !== 200) events.fault(new Error(`An acknowledgement was answered ${status}`));
      },
      fault: (error) => events.fault(error),
    });
  }

  start(): void {
    const { queueId, lastEventId, authorization } = this.seat;
    const path = `/api/v1/events?queue_id=${encodeURIComponent(queueId)}&last_event_id=${lastEventId}`;
    this.stream = new HttpStream(
      this.server,
      this.index,
      { path, authorization },
      {
        open: () => undefined,
        message: (data, bytes) => this.message(data, bytes),
        fault: (error) => this.events.fault(error),
      },
    );
  }

  pause(): void {
    this.stream?.pause();
  }

  resume(): void {
    this.stream?.resume();
  }

  close(): void {
    this.stream?.close();
    this.acknowledgements.close();
  }

  private message(data: Buffer, bytes: number): void {
    // The greeting differs between streams and would only push the memo out.
    if (data.subarray(0, 10).toString() !== '{"events":') {
      const { close_code: code, msg } = JSON.parse(data.toString()) as StreamMessage;
      if (code === undefined) return this.events.ready();
      this.close();
      return this.events.fault(new Error(`The stream ended with ${code}: ${msg ?? ''}`));
    }
    const { events = [] } = messages.read(data);
    this.acknowledge(events);
    this.events.events(events, bytes);
  }

  private acknowledge(events: readonly WireEvent[]): void {
    this.unacknowledged += events.length;
    const newest = events.at(-1)?.id;
    const isDue =
      this.unacknowledged >= STREAM_ACK_EVERY || machineNow() - this.acknowledgedAt > STREAM_ACK_MS;
    if (newest === undefined || !isDue || this.acknowledgements.busy) return;
    this.unacknowledged = 0;
    this.acknowledgedAt = machineNow();
    const { queueId, authorization } = this.seat;
    const body = `queue_id=${encodeURIComponent(queueId)}&last_event_id=${newest}`;
    this.acknowledgements.send(
      `POST /api/v1/events/ack HTTP/1.1\r\nHost: ${this.server.host}\r\nAuthorization: ${authorization}\r\n` +
        'Content-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }
}
