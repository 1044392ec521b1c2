import type { EventQueueState } from '../../../actors/event-queue.js';
import { badRequest, badEventQueueId } from '../../errors.js';
import type { QueueFilter } from './queue-filter.js';
import type { EventText } from './shared-event.js';
import type { Receiver } from '../renderers/event-renderer.js';

/** Why a queue let go of its consumer. */
export type EndReason =
  | 'superseded'
  | 'expired'
  | 'deleted'
  | 'overflowed'
  | 'revoked'
  | 'draining';

/** Whoever waits on a queue: one held poll, or one socket. */
export interface Consumer {
  readonly kind: 'poll' | 'socket';
  /** Milliseconds since 1970 when it came or, if later, was last given an event. */
  readonly deliveredAt: number;
  /** Events wait in the queue. Called after all events of a commit were added. */
  wake(): void;
  /**
   * Nothing came for the heartbeat interval; `json` is a heartbeat event with an id of this queue.
   * Whatever waits in the queue has a smaller id, so it goes first, or the heartbeat is left out.
   */
  heartbeat(json: string): void;
  /** The queue lets go; the consumer answers or closes and does not touch the queue again. */
  end(reason: EndReason): void;
}

/** Bounds of one queue; what does not fit ends it, and its client registers again. */
export interface QueueLimits {
  readonly maxEvents: number;
  /** In UTF-16 units of the serialized events. */
  readonly maxBytes: number;
}

/** Length from which on a poll is answered with part of what waits, UTF-16 units: about 5 ms of work. */
const MAX_POLL_LENGTH = 1024 * 1024;

const EMPTY: readonly EventText[] = [];

/**
 * A cursor and a filter over the journal, with references to the shared texts of the events that were
 * not acknowledged yet (event-queues.md#life-cycle). Holds no timers and no transport.
 */
export class EventQueue implements Receiver {
  /** Unacknowledged events in order of id. */
  private buffer: EventText[] | null = null;
  private bytes = 0;
  /** Newest id that was dropped by an acknowledgement. */
  private pruned = -1;
  /** Newest id the client may have been told: registration cursor, events, heartbeats. */
  private issued: number;
  /** False after a restart, until the journal has been replayed from the client's cursor. */
  private live: boolean;
  private consumerHeld: Consumer | null = null;
  /** Waits for its consumer to be woken; kept by the fan-out. */
  ready = false;
  /** What the queue's actor was last told; kept by the actors. */
  actorState: EventQueueState = 'idle';
  /** Milliseconds since 1970 of the newest request for this queue. */
  touchedAt: number;

  constructor(
    readonly queueId: string,
    readonly userId: number,
    readonly filter: QueueFilter,
    /**
     * The queue gets what comes after this journal position: that of its registration, or a later one
     * up to which its client has seen everything.
     */
    public since: number,
    readonly idleTimeoutMs: number,
    options: { readonly cursor: number; readonly now: number; readonly live: boolean },
  ) {
    this.issued = options.cursor;
    this.touchedAt = options.now;
    this.live = options.live;
  }

  /** Queues of users outside the audience are presented by a stand-in. */
  get inAudience(): true {
    return true;
  }

  /** Who waits for events now, if anybody. */
  get consumer(): Consumer | null {
    return this.consumerHeld;
  }

  /** Whether events must be replayed from the journal before the queue can answer. */
  get needsReplay(): boolean {
    return !this.live;
  }

  /** Milliseconds since 1970 when the consumer came or was last given an event; null without one. */
  get deliveredAt(): number | null {
    return this.consumerHeld?.deliveredAt ?? null;
  }

  /** Newest id known to the client or waiting for it. */
  get newestId(): number {
    return this.issued;
  }

  /** Newest id that was acknowledged away, or -1. */
  get acknowledgedId(): number {
    return this.pruned;
  }

  /** Events in the buffer. */
  get length(): number {
    return this.buffer?.length ?? 0;
  }

  /** Oldest journal position that a replay after a restart would have to read; null: none so far. */
  get oldestNeeded(): number | null {
    if (!this.live) return this.since + 1;
    return this.buffer?.[0]?.seq ?? null;
  }

  get bufferedBytes(): number {
    return this.bytes;
  }

  /** Whether the filter admits an event type. */
  admits(type: string): boolean {
    const types = this.filter.event_types;
    return types === null || types.includes(type);
  }

  /**
   * Adds an event; false when that breaks a bound, after which the queue must end. Does nothing with
   * an event it has already, which happens where an audience names a user twice.
   */
  push(text: EventText, limits: QueueLimits): boolean {
    if (!this.live || text.id <= this.issued) return true;
    this.buffer ??= [];
    this.buffer.push(text);
    this.bytes += text.size;
    this.issued = text.id;
    return this.buffer.length <= limits.maxEvents && this.bytes <= limits.maxBytes;
  }

  /** Reserves an id for a heartbeat, larger than every id so far. */
  issueHeartbeat(id: number): string {
    this.issued = id;
    return `{"type":"heartbeat","id":${id}}`;
  }

  /**
   * Drops what the client has seen (event-queues.md#get-events).
   * @throws ApiError `BAD_REQUEST` for an id this queue never gave, having acknowledged nothing;
   *   `BAD_EVENT_QUEUE_ID` when events after `id` are gone already
   */
  acknowledge(id: number): void {
    if (id > this.issued) throw badRequest(`Event ${id} was not in this queue`);
    if (id < 0) return;
    if (id < this.pruned) throw badEventQueueId(this.queueId);
    const { buffer } = this;
    if (!buffer || buffer.length === 0 || buffer[0]!.first > id) return;
    let count = 0;
    while (count < buffer.length && buffer[count]!.id <= id) {
      this.bytes -= buffer[count]!.size;
      count += 1;
    }
    if (count > 0) this.pruned = buffer[count - 1]!.id;
    if (count === buffer.length) {
      this.buffer = null;
      return;
    }
    buffer.splice(0, count);
    this.dropBeginning(buffer, id);
  }

  /** Drops what was acknowledged of several events in one text. */
  private dropBeginning(buffer: EventText[], id: number): void {
    const text = buffer[0]!;
    if (text.first > id) return;
    const rest = text.after(id);
    this.bytes += rest.size - text.size;
    this.pruned = id;
    buffer[0] = rest;
  }

  /** Everything not acknowledged, in order. */
  pending(): readonly EventText[] {
    return this.buffer ?? EMPTY;
  }

  /**
   * JSON of what is not acknowledged, joined by commas; of much of it the beginning, at least one text. The
   * rest follows when that is acknowledged.
   */
  pendingJson(): string {
    const { buffer } = this;
    if (!buffer) return '';
    if (buffer.length === 1) return buffer[0]!.json;
    let json = buffer[0]!.json;
    for (let i = 1; i < buffer.length && json.length < MAX_POLL_LENGTH; i++) {
      json += `,${buffer[i]!.json}`;
    }
    return json;
  }

  /** Gives the queue to a consumer; the former one must have been ended. */
  hold(consumer: Consumer | null): void {
    this.consumerHeld = consumer;
  }

  /**
   * Fills a queue restored after a restart.
   *
   * @param acknowledged the cursor it was replayed from, or -1
   * @param newestId newest id that anybody may have been given
   */
  replayed(texts: EventText[], acknowledged: number, newestId: number): void {
    this.buffer = texts.length > 0 ? texts : null;
    this.bytes = texts.reduce((sum, text) => sum + text.size, 0);
    // Events up to the cursor were not read back: an older cursor would miss them.
    this.pruned = Math.max(this.pruned, acknowledged);
    this.issued = Math.max(this.issued, newestId);
    this.live = true;
  }

  /** The queue has ended: it takes and gives nothing any more, whoever still refers to it. */
  close(): void {
    this.buffer = null;
    this.bytes = 0;
    this.live = false;
  }
}
