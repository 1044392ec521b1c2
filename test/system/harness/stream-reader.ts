import type { TextDecoder } from 'node:util';
import { eventFault } from './contract.js';
import { utf8Decoder } from './utf8.js';
import { form, type ApiClient, type Body, type Parameters, type WireEvent } from './client.js';

/** One event of a stream, as an `EventSource` would see it. */
interface StreamEvent {
  /** `message` where the stream names none. */
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** How a stream is opened. */
export interface StreamOptions {
  /** `Last-Event-ID`. */
  readonly lastEventId?: string;
  /** False: with a ticket in place of credentials. */
  readonly isAuthorized?: boolean;
}

/** A client of server-sent events. Events wait here until they are taken. */
export class StreamReader {
  readonly headers: Headers;
  readonly comments: string[] = [];
  private readonly unread: StreamEvent[] = [];
  private readonly connection: AbortController;
  private readonly waiting: (() => void)[] = [];
  private isOver = false;
  /** What was wrong with the bytes of the stream. */
  private fault: TypeError | undefined;

  private constructor(response: Response, connection: AbortController) {
    this.headers = response.headers;
    this.connection = connection;
    void this.read(response.body!);
  }

  /** Opens a stream. @returns the refusal where there is one */
  static async open(
    client: ApiClient,
    parameters: Parameters,
    { lastEventId, isAuthorized = true }: StreamOptions = {},
  ): Promise<StreamReader | { status: number; body: Body }> {
    const connection = new AbortController();
    const response = await fetch(`${client.url}/api/v1/events?${form(parameters)}`, {
      headers: {
        Accept: 'text/event-stream',
        ...(isAuthorized ? { Authorization: client.authorization } : {}),
        ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
      },
      signal: connection.signal,
    });
    if (response.status === 200) return new StreamReader(response, connection);
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** The next event. @throws Error when the stream ends before */
  async next(): Promise<StreamEvent> {
    for (;;) {
      const event = this.unread.shift();
      if (event) return event;
      if (this.fault) throw this.fault;
      if (this.isOver) throw new Error('The stream has ended');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** The next `count` events of the queue; each id is that of the newest one before it. */
  async take(count: number): Promise<WireEvent[]> {
    const found: WireEvent[] = [];
    while (found.length < count) {
      const { name, id, data } = await this.next();
      if (name !== 'message') throw new Error(`event ${name}: ${data}`);
      const { events } = JSON.parse(data) as { events: WireEvent[] };
      for (const event of events) {
        const fault = eventFault(event);
        if (fault !== null) throw new Error(fault);
      }
      if (Number(id) !== events.at(-1)?.id) throw new Error(`id ${id} of ${data}`);
      found.push(...events);
    }
    return found;
  }

  /** Whether the server has completed the reply, once it has. */
  async ended(): Promise<boolean> {
    while (!this.isOver) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.fault) throw this.fault;
    return this.unread.length === 0;
  }

  close(): void {
    this.connection.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    const decoder = utf8Decoder();
    try {
      for await (const chunk of body) {
        text += this.decoded(decoder, chunk);
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        for (const block of blocks) this.block(block);
        this.tell();
      }
    } catch {
      // Closed by the client, or broken.
    }
    this.isOver = true;
    this.tell();
  }

  /** @throws TypeError for bytes that are not UTF-8, which whoever reads gets, too */
  private decoded(decoder: TextDecoder, chunk: Uint8Array): string {
    try {
      return decoder.decode(chunk, { stream: true });
    } catch (error) {
      this.fault = error as TypeError;
      throw error;
    }
  }

  private block(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments.push(line);
      else fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
    }
    const data = fields.get('data');
    if (data === undefined) return;
    this.unread.push({ name: fields.get('event') ?? 'message', id: fields.get('id'), data });
  }

  private tell(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
