import type { ActorSnapshot } from '../../../actors/host.js';
import { hasQueueEnded, type EventQueueContext } from '../../../actors/event-queue.js';
import { wallTime } from '../../platform/time.js';
import { badRequest, badEventQueueId } from '../../errors/index.js';
import type { QueueFilter } from './queue-filter.js';
import type { Receiver } from '../renderers/event-renderer.js';

/** Why a queue detached its consumer. */
export type EndReason =
  | 'superseded'
  | 'expired'
  | 'deleted'
  | 'overflowed'
  | 'revoked'
  | 'organization_deactivated'
  | 'draining';

/** A consumer that waits on a queue: a pending poll, a socket, or a stream of server-sent events. */
export interface Consumer {
  readonly kind: 'poll' | 'socket' | 'stream';
  /** Milliseconds since 1970 when the consumer was attached or, if later, last received an event. */
  readonly deliveredAt: number;
  /** Events are waiting in the queue; called after all events of a commit were added. */
  wake(): void;
  /**
   * No event was added during the heartbeat interval; `json` is a heartbeat event with an id of this queue.
   * Waiting events have smaller ids, so they are sent first, or the heartbeat is omitted.
   */
  heartbeat(json: string): void;
  /** The queue detaches the consumer, which answers or closes and must not use the queue again. */
  end(reason: EndReason): void;
}

/**
 * EventText is one serialized variant of an event, made once and shared by every queue that receives this
 * variant.
 */
export class EventText {
  /** What a WebSocket, a stream and the reply to a poll have of it alone; made once for all of them, where any is. */
  readonly frames: { socket?: Buffer; stream?: Buffer; poll?: Buffer } = {};
  /** Queues that were given it. */
  queues = 0;

  constructor(
    /** Newest id in `json`. */
    readonly id: number,
    /** JSON of the event, or of several events joined by commas, without brackets. */
    readonly json: string,
    /** Position of the entry. */
    readonly seq: number,
    /** Oldest id in `json`. */
    readonly first = id,
    /** When it was made, seconds since 1970. */
    readonly madeAt = Math.floor(wallTime() / 1000),
  ) {}

  /**
   * The events after an id: all of the text unless it has several events. `id` is older than the newest id
   * in it.
   */
  after(id: number): EventText {
    if (this.first > id) return this;
    const events = JSON.parse(`[${this.json}]`) as { readonly id: number }[];
    const rest = events.filter((event) => event.id > id);
    const json = rest.map((event) => JSON.stringify(event)).join();
    return new EventText(this.id, json, this.seq, rest[0]!.id, this.madeAt);
  }

  /** Size that counts towards the bounds of a queue, UTF-16 units. */
  get size(): number {
    return this.json.length;
  }
}

/** Bounds of one queue. A queue that exceeds them ends, and its client registers again. */
export interface QueueLimits {
  readonly maxEvents: number;
  /** In UTF-16 units of the serialized events. */
  readonly maxBytes: number;
}

/**
 * Length above which a poll is answered with a part of the waiting events, UTF-16 units: about 5 ms of
 * work.
 */
export const MAX_POLL_LENGTH = 1024 * 1024;

const EMPTY: readonly EventText[] = [];

/**
 * EventQueue is a cursor and a filter over the journal, with references to the shared texts of
 * unacknowledged events (event-queues.md#life-cycle). It has no timers and no transport.
 *
 * Its actor's snapshot says whose it is, what it filters, where it began, and whether it lives. Beside it is what is hot
 * and ends with the process: buffer, cursor, consumer, and when it was last used.
 */
export class EventQueue implements Receiver {
  /** Unacknowledged events in order of id. */
  private buffer: EventText[] | null = null;
  private bytes = 0;
  /** Newest id that an acknowledgement removed. */
  private pruned = -1;
  /** Newest id that the client may have received: registration cursor, events, heartbeats. */
  private issued: number;
  /** False after a restart, until the journal has been replayed from the client's cursor. */
  private live: boolean;
  private currentConsumer: Consumer | null = null;
  /** Whether its consumer is about to be woken; maintained by the fan-out. */
  ready = false;
  /**
   * Whether the store has its document, which its end deletes; false where the document is gone and the queue follows.
   * Maintained by the registry.
   */
  hasDocument = true;
  /** Milliseconds since 1970 of the newest request for this queue. */
  touchedAt: number;
  /** When its client last came to this node, by the same clock; before that, when this node heard of the queue. */
  usedAt: number;
  /** Oldest journal position that the node needs which serves the queue; 0 where none has said. */
  neededElsewhere = 0;
  /** Name of the program that registered it; empty where this process has not heard of it. */
  client = '';
  /** On the leader: another node holds a consumer of the queue, as far as it has said. */
  heldElsewhere = false;

  constructor(
    /** Changed by the queue's actor, and by folding what another node wrote. */
    public snapshot: ActorSnapshot<EventQueueContext>,
    options: { readonly cursor: number; readonly now: number; readonly live: boolean },
  ) {
    this.issued = options.cursor;
    this.touchedAt = options.now;
    this.usedAt = options.now;
    this.live = options.live;
  }

  /** Whether it has ended, which its actor alone decides. */
  get hasEnded(): boolean {
    return hasQueueEnded(this.snapshot);
  }

  get queueId(): string {
    return this.snapshot.context.queue_id;
  }

  get userId(): number {
    return this.snapshot.context.user_id;
  }

  get filter(): QueueFilter {
    return this.snapshot.context.traits;
  }

  /**
   * The queue gets the events after this journal position: that of its registration, or a later one up to
   * which the client has acknowledged everything.
   */
  get since(): number {
    return this.snapshot.context.since;
  }

  get idleTimeoutMs(): number {
    return this.snapshot.context.idle_timeout_ms;
  }

  /** Always true: fan-out represents queues of users outside the audience by another receiver. */
  get inAudience(): true {
    return true;
  }

  /** The consumer attached now, if any. */
  get consumer(): Consumer | null {
    return this.currentConsumer;
  }

  /** Whether events must be replayed from the journal before the queue can answer. */
  get needsReplay(): boolean {
    return !this.live;
  }

  /** As `Consumer.deliveredAt`; null without a consumer. */
  get deliveredAt(): number | null {
    return this.currentConsumer?.deliveredAt ?? null;
  }

  /** Newest id that the client has received or that waits for it. */
  get newestId(): number {
    return this.issued;
  }

  /** Newest acknowledged id, or -1. */
  get acknowledgedId(): number {
    return this.pruned;
  }

  /** Events in the buffer. */
  get length(): number {
    return this.buffer?.length ?? 0;
  }

  /** Oldest journal position that a replay after a restart has to read; null where none is needed. */
  get oldestNeeded(): number | null {
    if (!this.live) return Math.max(this.since + 1, this.neededElsewhere);
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
   * Adds an event. @returns false where a bound is exceeded: then the queue must end. Ignores an event that
   * the queue already has, which happens where an audience names a user twice.
   */
  push(text: EventText, limits: QueueLimits): boolean {
    if (!this.live || text.id <= this.issued) return true;
    // A list made by `push` has room for 17: most queues hold one event, until its client has it.
    if (this.buffer) this.buffer.push(text);
    else this.buffer = [text];
    this.bytes += text.size;
    this.issued = text.id;
    return this.buffer.length <= limits.maxEvents && this.bytes <= limits.maxBytes;
  }

  /** Issues a heartbeat with this id, which must be larger than every id so far. */
  issueHeartbeat(id: number): string {
    this.issued = id;
    return `{"type":"heartbeat","id":${id}}`;
  }

  /**
   * Removes acknowledged events (event-queues.md#get-events).
   * @throws ApiError `BAD_REQUEST` for an id that this queue never issued, with nothing acknowledged;
   *   `BAD_EVENT_QUEUE_ID` when events after `id` are already removed
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

  /** Removes the acknowledged part of a text with several events. */
  private dropBeginning(buffer: EventText[], id: number): void {
    const text = buffer[0]!;
    if (text.first > id) return;
    const rest = text.after(id);
    this.bytes += rest.size - text.size;
    this.pruned = id;
    buffer[0] = rest;
  }

  /** All unacknowledged events, in order. */
  pending(): readonly EventText[] {
    return this.buffer ?? EMPTY;
  }

  /**
   * JSON of the unacknowledged events, joined by commas; where they are long only the first ones, at least
   * one text. The rest follows after the acknowledgement.
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

  /** Attaches a consumer, or none; the former one must have ended. */
  setConsumer(consumer: Consumer | null): void {
    this.currentConsumer = consumer;
  }

  /**
   * Fills a queue that was restored after a restart.
   *
   * @param acknowledged the cursor it was replayed from, or -1
   * @param newestId newest id that the client may have received
   */
  replayed(texts: EventText[], acknowledged: number, newestId: number): void {
    this.buffer = texts.length > 0 ? texts : null;
    this.bytes = texts.reduce((sum, text) => sum + text.size, 0);
    // Events up to the cursor were not read back: an older cursor would miss them.
    this.pruned = Math.max(this.pruned, acknowledged);
    this.issued = Math.max(this.issued, newestId);
    this.live = true;
  }

  /**
   * Drops the events: the queue has ended, or another node serves it, or may. Until they are replayed, when its client
   * comes back, it accepts and returns nothing, whoever still refers to it.
   */
  suspend(): void {
    this.buffer = null;
    this.bytes = 0;
    this.live = false;
  }
}
