import type { ApiClient, Parameters, Snapshot, WireEvent } from './client.js';

/** A client that reads one queue, acknowledging what it has seen, and checks that ids increase. */
export class QueueReader {
  constructor(
    private client: ApiClient,
    readonly queueId: string,
    public cursor: number,
  ) {}

  static async open(client: ApiClient, parameters: Parameters = {}): Promise<QueueReader> {
    return QueueReader.from(client, await client.register(parameters));
  }

  static from(client: ApiClient, snapshot: Snapshot): QueueReader {
    return new QueueReader(client, snapshot.queue_id, snapshot.last_event_id);
  }

  /** Goes on at another address, e.g. after a restart. */
  move(client: ApiClient): void {
    this.client = client;
  }

  /** Waits for events, heartbeats included. */
  async next(): Promise<WireEvent[]> {
    return this.taken(await this.client.poll(this.queueId, this.cursor));
  }

  /** Whatever is there now. */
  async now(): Promise<WireEvent[]> {
    return this.taken(await this.client.poll(this.queueId, this.cursor, { dontBlock: true }));
  }

  /** Events up to and including the first that satisfies the condition. */
  async until(found: (event: WireEvent) => boolean): Promise<WireEvent[]> {
    const seen: WireEvent[] = [];
    for (;;) {
      seen.push(...(await this.next()));
      if (seen.some(found)) return seen;
    }
  }

  /** @throws Error when ids do not increase strictly */
  private taken(events: WireEvent[]): WireEvent[] {
    for (const { id } of events) {
      if (id <= this.cursor) throw new Error(`event ${id} after ${this.cursor}`);
      this.cursor = id;
    }
    return events;
  }
}
