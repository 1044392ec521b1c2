import type { WebSocket } from 'ws';
import { utf8Of } from './utf8.js';
import { eventFault } from './contract.js';
import type { ApiClient, Body, Parameters, WireEvent } from './client.js';

/** A client on the WebSocket channel. Events wait here until they are taken. */
export class SocketReader {
  /** The close code, once closed. */
  readonly closed: Promise<number>;
  private readonly frames: Body[] = [];
  private readonly events: WireEvent[] = [];
  private readonly errors: Body[] = [];
  private changed: (() => void) | undefined;
  private code: number | undefined;
  private fault = '';

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received(utf8Of(data)));
    // A refused upgrade also shows as a close.
    socket.on('error', (error) => (this.fault = error.message));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => {
        this.code = code;
        this.changed?.();
        resolve(code);
      });
    });
  }

  /** Opens a socket and waits for the first frame. */
  static async open(client: ApiClient, parameters: Parameters = {}): Promise<SocketReader> {
    const reader = new SocketReader(client.socket(parameters));
    await reader.ready();
    return reader;
  }

  /** The first frame. */
  get hello(): Body {
    return this.frames[0]!;
  }

  async ready(): Promise<void> {
    await this.wait(() => this.frames.length > 0);
  }

  /** The next `count` events. @throws Error when the socket closes before */
  async take(count: number): Promise<WireEvent[]> {
    await this.wait(() => this.events.length >= count);
    return this.events.splice(0, count);
  }

  /** Events up to and including the first that satisfies the condition. */
  async until(found: (event: WireEvent) => boolean): Promise<WireEvent[]> {
    await this.wait(() => this.events.some(found));
    return this.events.splice(0, this.events.findIndex(found) + 1);
  }

  /** The next error frame. */
  async refusal(): Promise<Body> {
    await this.wait(() => this.errors.length > 0);
    return this.errors.shift()!;
  }

  send(frame: string | Buffer): void {
    this.socket.send(frame);
  }

  acknowledge(id: number): void {
    this.send(JSON.stringify({ type: 'ack', last_event_id: id }));
  }

  /** Stops reading from the network; the operating system's buffers still fill. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Closes in an orderly way; what was sent before arrives. */
  close(): void {
    this.socket.close();
  }

  private received(text: string): void {
    const frame = JSON.parse(text) as Body;
    this.frames.push(frame);
    if (this.frames.length === 1 && frame.type !== 'hello') throw new Error(`first: ${text}`);
    if (frame.type === 'events') {
      const events = frame.events as WireEvent[];
      for (const event of events) {
        const fault = eventFault(event);
        if (fault !== null) throw new Error(fault);
      }
      this.events.push(...events);
    }
    if (frame.type === 'error') this.errors.push(frame);
    this.changed?.();
  }

  private async wait(ready: () => boolean): Promise<void> {
    while (!ready()) {
      if (this.code !== undefined)
        throw new Error(`the socket closed with ${this.code} ${this.fault}`);
      await new Promise<void>((resolve) => (this.changed = resolve));
    }
  }
}
