import { eventId, seqOfId, type JournalEvent, type SubjectDocument } from '../entry.js';
import {
  plainRenderer,
  type Receiver,
  type EventRenderer,
  type EventRenderers,
  type RenderableEvent,
} from '../renderers/event-renderer.js';

/**
 * EventText is one serialized variant of an event, made once and shared by every queue that receives this
 * variant.
 */
export class EventText {
  private frameBytes: Buffer | undefined;
  /** Queues that were given it. */
  queues = 0;

  constructor(
    /** Newest id in `json`. */
    readonly id: number,
    /** JSON of the event, or of several events joined by commas, without brackets. */
    readonly json: string,
    /** Position of the entry. */
    readonly seq = seqOfId(id),
    /** Oldest id in `json`. */
    readonly first = id,
    /** When it was made, seconds since 1970. */
    readonly madeAt = Math.floor(Date.now() / 1000),
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

  /** The WebSocket frame that carries this event alone, the same for every socket; as bytes, encoded once. */
  get frame(): Buffer {
    return (this.frameBytes ??= Buffer.from(`{"type":"events","events":[${this.json}]}`));
  }
}

/** SharedEvent renders and serializes each variant of an event at most once. */
export class SharedEvent implements RenderableEvent {
  private readonly renderer: EventRenderer;
  private plain: EventText | undefined;
  private variants: Map<string, EventText | null> | undefined;

  constructor(
    readonly event: JournalEvent,
    readonly subject: SubjectDocument | undefined,
    /** Position of the entry. */
    readonly seq: number,
    /** First id slot of this event within its entry. */
    private readonly slot: number,
    renderers: EventRenderers,
    /** When it happened, seconds since 1970; default: now. */
    private readonly madeAt?: number,
  ) {
    this.renderer = renderers.get(event.type) ?? plainRenderer;
  }

  /** The type on the wire. */
  get type(): string {
    return this.event.type;
  }

  get data(): JournalEvent['data'] {
    return this.event.data;
  }

  /** Newest id that any of its texts may have. */
  get lastId(): number {
    return eventId(this.seq, this.slot + this.event.slots - 1);
  }

  /** Whether all-public queues of users outside the audience may get it (messages of public channels). */
  get isPublic(): boolean {
    return this.event.data.public === true;
  }

  /** The text for a receiver; null where the event is not for this queue. */
  textFor(receiver: Receiver): EventText | null {
    if (this.renderer === plainRenderer) return (this.plain ??= this.serialize('')!);
    const key = this.renderer.variant(this, receiver);
    if (key === null) return null;
    this.variants ??= new Map();
    let text = this.variants.get(key);
    if (text === undefined) this.variants.set(key, (text = this.serialize(key)));
    return text;
  }

  /** The texts that were made so far, by the names that its renderer gives variants. */
  get made(): [variant: string, text: EventText][] {
    if (this.plain) return [['', this.plain]];
    return [...(this.variants ?? [])].filter((one): one is [string, EventText] => one[1] !== null);
  }

  /** Null for a variant without bodies. */
  private serialize(variant: string): EventText | null {
    const bodies = this.renderer.bodies(this, variant);
    if (bodies.length === 0) return null;
    const first = eventId(this.seq, this.slot);
    const parts = bodies.map((body, index) => JSON.stringify({ ...body, id: first + index }));
    const { seq, madeAt } = this;
    return new EventText(first + bodies.length - 1, parts.join(), seq, first, madeAt);
  }
}
