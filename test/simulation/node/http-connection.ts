import type { NativeRequest, NativeResponse, SocketBehavior } from '../../../src/http/native.js';
import type { End } from '../world/network.js';
import { headIn, requestOf } from './http-text.js';
import type { SimProcess } from './process.js';

export type Handler = (response: NativeResponse, request: NativeRequest) => void;

export interface Route {
  /** Null for all. */
  readonly method: string | null;
  readonly path: string;
  readonly handle: Handler;
}

export interface SocketRoute {
  readonly path: string;
  readonly behavior: SocketBehavior<unknown>;
}

/** What a connection asks of its server. */
interface Owner {
  find(request: NativeRequest): Handler;
  socket(path: string): SocketRoute | null;
  closed(): void;
}

/** A frame of a WebSocket, which the network carries as one. */
export interface Frame {
  readonly frame: string;
}

/** The end of a WebSocket. */
export interface Goodbye {
  readonly code: number;
}

type Text = string | ArrayBuffer | Uint8Array;

/**
 * What the system takes of a connection whose client does not read, bytes: little, so that few events fill it, and more
 * of a reply of known length, as systems do. The library keeps the rest.
 */
const TAKEN_BYTES = { pushed: 1024, reply: 65_536 };
/** Of what is pushed, the library may have so much before more is sent to it, bytes; the program has a smaller bound, too. */
export const MOST_UNSENT_BYTES = 2048;
/** Heartbeats, comments and ends are no longer: they may be sent at any time. */
const SMALL_BYTES = 300;

/** A connection to a server of the simulation: requests one after the other, or a WebSocket. */
export class HttpConnection {
  response: SimResponse;
  #bytes: Buffer = Buffer.alloc(0);
  #isServing = false;
  #isOver = false;
  /** Since when it waits for a request. */
  #idleSince: number;
  #socket: { behavior: SocketBehavior<unknown>; socket: never } | null = null;

  constructor(
    private readonly process: SimProcess,
    readonly end: End,
    private readonly owner: Owner,
  ) {
    this.response = new SimResponse(this);
    this.#idleSince = process.machine.scheduler.now;
    end.onData = (payload) => this.#received(payload as Buffer | Frame | Goodbye);
    end.onClose = () => this.#ended();
    end.onTaken = () => this.#taken();
  }

  /** What waits in the library. */
  buffered(taken: number): number {
    return Math.max(0, this.end.unsent - taken);
  }

  /** Sends an event or more. @returns whether the system has taken all of it */
  push(payload: Buffer | Frame, size: number, mostUnsent: number): boolean {
    const before = this.buffered(TAKEN_BYTES.pushed);
    if (before > mostUnsent && size > SMALL_BYTES) {
      this.process.exceeded(`sends ${size} bytes to a client that has not taken ${before}`);
    }
    this.send(payload);
    const isTaken = this.buffered(TAKEN_BYTES.pushed) === 0;
    if (!isTaken) this.waits(TAKEN_BYTES.pushed);
    return isTaken;
  }

  /** Tells when the system takes more. */
  waits(taken: number): void {
    this.#waitsFor = taken;
  }

  #waitsFor: number | null = null;

  #taken(): void {
    const taken = this.#waitsFor;
    if (
      taken === null ||
      this.#isOver ||
      this.buffered(taken) > (this.#socket ? MOST_UNSENT_BYTES : 0)
    )
      return;
    if (this.buffered(taken) === 0) this.#waitsFor = null;
    this.process.run(() => {
      if (this.#isOver) return;
      if (this.#socket) this.#socket.behavior.drain?.(this.#socket.socket);
      else this.response.writable();
    });
  }

  send(payload: Buffer | Frame | Goodbye): void {
    this.process.send(() => this.end.send(payload));
  }

  /** Does something in a further round of the process. */
  later(work: () => void): void {
    this.process.run(() => {
      if (!this.#isOver) work();
    });
  }

  /** The reply is complete: the next request can be served. */
  done(closes: boolean): void {
    this.#isServing = false;
    this.#idleSince = this.process.machine.scheduler.now;
    if (closes) this.close();
    else this.process.run(() => this.#next());
  }

  close(): void {
    if (this.#isOver) return;
    this.process.send(() => this.end.close());
    this.#ended();
  }

  /** Whether it has waited for a request since a time. A WebSocket waits for none. */
  isIdleSince(time: number): boolean {
    return !this.#isServing && !this.#socket && this.#idleSince <= time;
  }

  upgrade(data: unknown, behavior: SocketBehavior<unknown>): void {
    const socket = {
      getUserData: () => data,
      getBufferedAmount: () => this.buffered(TAKEN_BYTES.pushed),
      send: (message: Text) => {
        const bytes = textOf(message);
        return Number(this.push({ frame: bytes.toString() }, bytes.length, MOST_UNSENT_BYTES));
      },
      end: (code: number) => {
        this.send({ code });
        this.close();
      },
      close: () => this.close(),
    } as never;
    this.#socket = { behavior, socket };
    this.send(Buffer.from('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    behavior.open?.(socket);
  }

  #received(payload: Buffer | Frame | Goodbye): void {
    if (this.#isOver) return;
    if (Buffer.isBuffer(payload)) {
      this.#bytes = this.#bytes.length === 0 ? payload : Buffer.concat([this.#bytes, payload]);
      this.#next();
    } else if ('frame' in payload) {
      const { behavior, socket } = this.#socket!;
      const bytes = new Uint8Array(Buffer.from(payload.frame)).buffer;
      behavior.message?.(socket, bytes, false);
    } else this.close();
  }

  /** Serves the next request that is there as a whole. */
  #next(): void {
    if (this.#isServing || this.#isOver || this.#socket) return;
    const head = headIn(this.#bytes);
    if (!head || this.#bytes.length < head.size + head.bodySize) return;
    const body = this.#bytes.subarray(head.size, head.size + head.bodySize);
    this.#bytes = this.#bytes.subarray(head.size + head.bodySize);
    this.#isServing = true;
    const response = new SimResponse(this);
    this.response = response;
    const request = requestOf(head);
    const route = head.headers.has('sec-websocket-key') ? this.owner.socket(head.path) : null;
    if (route) {
      response.behavior = route.behavior;
      route.behavior.upgrade?.(response as never, request, {});
    } else this.owner.find(request)(response as never, request);
    if (!this.#isOver && body.length > 0) response.deliver(body);
    else if (!this.#isOver) response.deliver(Buffer.alloc(0));
  }

  #ended(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.end.isOver = true;
    if (this.#isServing) this.response.aborted();
    if (this.#socket) this.#socket.behavior.close?.(this.#socket.socket);
    this.owner.closed();
  }
}

/** A response of uWebSockets.js, as far as the product uses it: everything is written at once. */
class SimResponse {
  behavior: SocketBehavior<unknown> = {};
  #status = '200 OK';
  #head = '';
  #isHeadSent = false;
  #isOver = false;
  #offset = 0;
  #onAborted: () => void = () => undefined;
  #onWritable: (offset: number) => boolean = () => true;
  #onData: ((chunk: ArrayBuffer, last: boolean) => void) | null = null;
  #body: Buffer | null = null;
  #isPaused = false;

  constructor(private readonly connection: HttpConnection) {}

  cork(write: () => void): this {
    write();
    return this;
  }

  writeStatus(line: Text): this {
    this.#status = latin1Of(line);
    return this;
  }

  writeHeader(name: Text, value: Text): this {
    this.#head += `${latin1Of(name)}: ${latin1Of(value)}\r\n`;
    return this;
  }

  /** A part of a body of unknown length. */
  write(text: Text): boolean {
    if (this.#isOver) return true;
    if (!this.#isHeadSent) this.#sendHead('Transfer-Encoding: chunked\r\n');
    const bytes = textOf(text);
    if (bytes.length === 0) return true;
    return this.connection.push(chunkOf(bytes), bytes.length, 0);
  }

  end(body: Text, closes = false): this {
    if (this.#isOver) return this;
    const bytes = textOf(body);
    if (this.#isHeadSent) this.#send(Buffer.concat([chunkOf(bytes), chunkOf(Buffer.alloc(0))]));
    else {
      this.#sendHead(`Content-Length: ${bytes.length}\r\n`, closes, bytes);
    }
    this.#finish(closes);
    return this;
  }

  endWithoutBody(length?: number, closes = false): this {
    if (length !== undefined) this.#head += `Content-Length: ${length}\r\n`;
    this.#sendHead('', closes);
    this.#finish(closes);
    return this;
  }

  tryEnd(body: Text, totalSize: number): [boolean, boolean] {
    const bytes = textOf(body);
    if (!this.#isHeadSent) this.#sendHead(`Content-Length: ${totalSize}\r\n`);
    const { connection } = this;
    const room = Math.max(0, TAKEN_BYTES.reply - connection.end.unsent);
    const part = bytes.subarray(0, room);
    if (part.length > 0) this.#send(part);
    const isTaken = part.length === bytes.length;
    if (!isTaken) connection.waits(TAKEN_BYTES.reply);
    this.#offset += part.length;
    if (this.#offset >= totalSize) this.#finish(false);
    return [isTaken, this.#offset >= totalSize];
  }

  getWriteOffset(): number {
    return this.#offset;
  }

  onAborted(listener: () => void): this {
    this.#onAborted = listener;
    return this;
  }

  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): this {
    this.#onData = listener;
    this.#deliverKept();
    return this;
  }

  /** No more of the body is to be delivered until it is resumed. */
  pause(): this {
    this.#isPaused = true;
    return this;
  }

  resume(): this {
    this.#isPaused = false;
    this.connection.later(() => this.#deliverKept());
    return this;
  }

  onWritable(listener: (offset: number) => boolean): this {
    this.#onWritable = listener;
    return this;
  }

  /** The system takes more. */
  writable(): void {
    if (!this.#isOver) this.#onWritable(this.#offset);
  }

  close(): this {
    this.connection.close();
    return this;
  }

  getRemoteAddressAsText(): ArrayBuffer {
    const [first, second] = Buffer.from(this.connection.end.peer.padEnd(2));
    return new Uint8Array(Buffer.from(`10.0.${first}.${second}`)).buffer;
  }

  upgrade(data: unknown): void {
    this.#isOver = true;
    this.connection.upgrade(data, this.behavior);
  }

  /** The body of the request has come. */
  deliver(body: Buffer): void {
    this.#body = body;
    this.#deliverKept();
  }

  #deliverKept(): void {
    const body = this.#body;
    if (!body || !this.#onData || this.#isPaused || this.#isOver) return;
    this.#body = null;
    this.#onData(new Uint8Array(body).buffer, true);
  }

  /** The client went away before the reply was complete. */
  aborted(): void {
    this.#isOver = true;
    this.#onAborted();
  }

  #sendHead(length: string, closes = false, body: Buffer = Buffer.alloc(0)): void {
    this.#isHeadSent = true;
    const closing = closes ? 'Connection: close\r\n' : '';
    const head = `HTTP/1.1 ${this.#status}\r\n${this.#head}${closing}${length}\r\n`;
    this.#send(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  }

  #send(bytes: Buffer): void {
    this.connection.send(bytes);
  }

  #finish(closes: boolean): void {
    this.#isOver = true;
    this.connection.done(closes);
  }
}

/** As some builds of the library do it: a string whose characters all lie below U+0100 becomes Latin-1. */
const LATIN_1 = /^[\u0000-\u00ff]*$/;

function textOf(text: Text): Buffer {
  if (typeof text === 'string') return Buffer.from(text, LATIN_1.test(text) ? 'latin1' : 'utf8');
  return text instanceof ArrayBuffer ? Buffer.from(text.slice(0)) : Buffer.from(text);
}

/** Its bytes, each as a character: of most texts, the text itself. */
function latin1Of(text: Text): string {
  return typeof text === 'string' && LATIN_1.test(text) ? text : textOf(text).toString('latin1');
}

function chunkOf(bytes: Buffer): Buffer {
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  return Buffer.concat([size, bytes, Buffer.from('\r\n')]);
}
