import { machineNow } from '../clock.js';
import type { Manner, Seat } from '../exchange/jobs.js';
import type { WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';

/** A client that broke comes back within this time, not all of them at once. */
const RETURN_MS = { least: 100, spread: 400 };
/** How long a slow client reads nothing after each batch of events. */
const SLOW_MS = 1000;

/** Place is one receiver over its connections: it comes back with the cursor that it had reached. */
export class Place {
  private client: Client | null = null;
  /** Connections that stay open although nobody reads them any more. */
  private readonly abandoned: Client[] = [];
  private cursor: number;
  private stormAt: number | null = null;
  private recoveryMs = 0;
  private isClosed = false;

  constructor(
    private readonly seat: Seat,
    private readonly manner: Manner | null,
    private readonly told: ClientEvents,
    private readonly connect: (seat: Seat, events: ClientEvents) => Client,
  ) {
    this.cursor = seat.lastEventId;
  }

  open(): void {
    if (this.isClosed) return;
    const client: Client = this.connect(
      { ...this.seat, lastEventId: this.cursor },
      {
        ready: () => this.told.ready(),
        events: (events, bytes) => {
          if (this.client === client) this.received(client, events, bytes);
        },
        fault: (error) => {
          if (this.client === client) this.broken(error);
        },
      },
    );
    this.client = client;
    client.start();
  }

  /** Loses the connection, and comes back at once, like everybody else. */
  storm(): void {
    this.stormAt = machineNow();
    this.client?.close();
    this.open();
  }

  /** Reads nothing more, without a word to the server, and comes back by another connection. */
  vanish(): void {
    if (!this.client) return;
    this.client.pause?.();
    this.abandoned.push(this.client);
    this.open();
  }

  /** Time from the storm to the first event after it; 0 without one. Starts over. */
  takeRecovery(): number {
    const recovered = this.recoveryMs;
    this.recoveryMs = 0;
    return recovered;
  }

  close(): void {
    this.isClosed = true;
    this.client?.close();
    for (const client of this.abandoned) client.close();
  }

  private received(client: Client, events: readonly WireEvent[], bytes: number): void {
    this.cursor = events.at(-1)?.id ?? this.cursor;
    if (this.stormAt !== null) {
      this.recoveryMs = machineNow() - this.stormAt;
      this.stormAt = null;
    }
    this.told.events(events, bytes);
    if (!this.manner?.isSlow) return;
    client.pause?.();
    setTimeout(() => client.resume?.(), SLOW_MS);
  }

  private broken(error: Error): void {
    this.told.fault(error);
    if (!this.manner?.returns) return;
    this.client?.close();
    this.client = null;
    setTimeout(() => this.open(), RETURN_MS.least + Math.random() * RETURN_MS.spread);
  }
}
