import type { WireEvent } from '../exchange/sample.js';

/** What a client tells the generator it belongs to. */
export interface ClientEvents {
  /** Attached: events from now on will come. Called once. */
  ready(): void;
  events(events: readonly WireEvent[], bytes: number): void;
  fault(error: Error): void;
}

/** One client of a server that delivers events. */
export interface Client {
  start(): void;
  close(): void;
  /** Reads nothing until `resume`, where the client can do that. */
  pause?(): void;
  resume?(): void;
}
