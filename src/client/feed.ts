import { ParleyError, type Calls, type Params, type Reply } from './calls.js';
import { pauseBefore } from './pauses.js';
import { Blocked, connect, QueueGone, type Cursor, type Transport } from './transports.js';
import type { Event } from './types.js';

export interface FeedOptions {
  /** How the queue is registered, also where it must be registered again. */
  readonly register?: Params<'POST /register'>;
  /** One transport alone; default: the first of socket, stream and poll by which events come. */
  readonly transport?: Transport;
  /** Go on at this place, which an earlier feed had as its {@link EventFeed.cursor}, instead of registering. */
  readonly resume?: Cursor;
  /** Told whenever the connection changes. */
  readonly onState?: (state: FeedState) => void;
}

export interface FeedState {
  readonly connected: boolean;
  readonly transport: Transport;
  /** Why there is no connection. */
  readonly error?: unknown;
}

/**
 * What a feed gives: first the state to which events are applied, then these. Where the queue was lost (a week
 * away, say), a new state: what happened meanwhile is in it and not in events.
 */
export type FeedItem =
  | {
      readonly kind: 'snapshot';
      readonly snapshot: Reply<'POST /register'>;
      readonly lost: boolean;
    }
  | { readonly kind: 'event'; readonly event: Event };

/** Longest pause before a connection is tried again. Milliseconds. */
const LONGEST_PAUSE_MS = 30_000;
/** A connection that lasted for so long, or gave an event, had no fault that each has. Milliseconds. */
const STEADY_MS = 10_000;
/**
 * Connections in a row without a greeting before the next transport is tried: one alone may be a server that went down.
 */
const BLOCKED_TIMES = 2;

/**
 * The events of one queue, each once and in order, over whatever connection there is:
 *
 *     for await (const item of client.events({ register: { event_types: ['message'] } })) …
 *
 * An event is acknowledged when the next item is asked for, so one that was being dealt with when the program ended
 * comes again to a reader who resumes at the {@link cursor}.
 */
export class EventFeed implements AsyncIterable<FeedItem> {
  private readonly ended = new AbortController();
  private connection = new AbortController();
  private place: Cursor | undefined;
  private chosen: Transport | undefined;
  /** Index in {@link order}, where no transport was chosen. */
  private fallback = 0;
  private failures = 0;
  /** Queues that were lost since the last event. */
  private gone = 0;
  private blocked = 0;
  private wake: () => void = () => undefined;

  constructor(
    private readonly client: Calls,
    private readonly options: FeedOptions,
  ) {
    this.place = options.resume;
    this.chosen = options.transport;
  }

  /** Where to resume; undefined before the first snapshot. */
  get cursor(): Cursor | undefined {
    return this.place;
  }

  get transport(): Transport {
    return this.chosen ?? this.order[this.fallback % this.order.length]!;
  }

  /** Goes on over another transport, at the same place; undefined: over what works. */
  use(transport: Transport | undefined): void {
    this.chosen = transport;
    this.fallback = 0;
    this.connection.abort();
    this.retryNow();
  }

  /** Ends the pause before the next try, for callers who know that the network is back. */
  retryNow(): void {
    this.failures = 0;
    this.wake();
  }

  /** Ends the feed; the queue stays until it expires. */
  close(): void {
    this.ended.abort();
    this.connection.abort();
    this.wake();
  }

  /** @throws ParleyError for a refusal of the server that no repetition heals, such as of a key; Superseded */
  async *[Symbol.asyncIterator](): AsyncGenerator<FeedItem> {
    let isFirst = true;
    while (!this.ended.signal.aborted) {
      this.connection = new AbortController();
      const { signal } = this.connection;
      try {
        if (!this.place) {
          const snapshot = await this.client.call('POST /register', this.options.register ?? {}, {
            signal: this.ended.signal,
          });
          this.place = { queueId: String(snapshot.queue_id), lastEventId: snapshot.last_event_id };
          yield { kind: 'snapshot', snapshot, lost: !isFirst };
        }
        isFirst = false;
        yield* this.received(signal);
        // It was closed without a word: a restart.
        if (!signal.aborted) await this.pause(undefined);
      } catch (error) {
        if (this.ended.signal.aborted) return;
        if (error instanceof QueueGone) {
          isFirst = false;
          this.place = undefined;
          // Once is what happens to one that was away; a server that knows none of its own queues is no reason to hurry.
          if (this.gone++ > 0) await this.pause(undefined);
        } else if (!signal.aborted) await this.pause(error);
      }
    }
  }

  /** The events of one connection. */
  private async *received(signal: AbortSignal): AsyncGenerator<FeedItem> {
    const { transport } = this;
    const { queueId } = this.place!;
    const connection = connect(transport, this.client, this.place!, signal);
    const since = performance.now();
    let isOpen = false;
    // A poll says nothing until there is an event.
    if (transport === 'poll') this.tell({ connected: this.failures === 0, transport });
    try {
      for await (const events of connection) {
        if (!isOpen) this.tell({ connected: true, transport });
        isOpen = true;
        this.blocked = 0;
        if (events.length > 0) this.worked();
        for (const event of events) {
          // Sent again, because its acknowledgement was lost.
          if (event.id <= this.place!.lastEventId) continue;
          if (event.type !== 'heartbeat') yield { kind: 'event', event };
          this.place = { queueId, lastEventId: event.id };
          // Somebody changed the transport: what is left comes by the other one.
          if (signal.aborted) return;
        }
        if (events.length > 0) connection.acknowledge(this.place!.lastEventId);
      }
    } finally {
      // One that is greeted and closed at once, again and again, waits longer each time.
      if (isOpen && performance.now() - since >= STEADY_MS) this.worked();
    }
  }

  /** The next failure is the first. */
  private worked(): void {
    this.failures = 0;
    this.gone = 0;
  }

  private get order(): readonly Transport[] {
    return this.client.WebSocket ? ['socket', 'stream', 'poll'] : ['stream', 'poll'];
  }

  /** Waits before the next try. @throws the error, where waiting helps nothing */
  private async pause(error: unknown): Promise<void> {
    if (error instanceof Blocked) {
      this.blocked += 1;
      if (this.blocked >= BLOCKED_TIMES) {
        this.fallback += 1;
        this.blocked = 0;
      }
    } else if (error instanceof ParleyError) {
      // A page that something in between shows, such as a proxy during a restart, is no word of the server.
      const isRefusal = error.reply['result'] === 'error';
      const mayPass = error.status >= 500 || error.status === 429;
      if (isRefusal && !mayPass) throw error;
    } else if (error instanceof Error && error.name === 'Superseded') throw error;
    this.tell({ connected: false, transport: this.transport, error });
    const ms = pauseBefore(this.failures, LONGEST_PAUSE_MS, error);
    this.failures += 1;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private tell(state: FeedState): void {
    this.options.onState?.(state);
  }
}
