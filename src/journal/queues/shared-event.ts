import { eventId, seqOfId, type JournalEvent, type SubjectDocument } from '../entry.js';
import {
  plainRenderer,
  type Receiver,
  type EventRenderer,
  type EventRenderers,
  type RenderableEvent,
} from '../renderers/event-renderer.js';

/**
 * One serialized body of an event: made once, referred to by every queue that receives this variant.
 */
export class EventText {
  private frameText: string | undefined;

  constructor(
    /** Newest id in `json`. */
    readonly id: number,
    /** JSON of the event, or of several events joined by commas, without brackets. */
    readonly json: string,
    /** Position of the entry. */
    readonly seq = seqOfId(id),
    /** Oldest id in `json`. */
    readonly first = id,
  ) {}

  /** What of it follows an id: all but where it is of several events. `id` is older than its newest. */
  after(id: number): EventText {
    if (this.first > id) return this;
    const events = JSON.parse(`[${this.json}]`) as { readonly id: number }[];
    const rest = events.filter((event) => event.id > id);
    const json = rest.map((event) => JSON.stringify(event)).join();
    return new EventText(this.id, json, this.seq, rest[0]!.id);
  }

  /** Size that counts against a queue's bound, in UTF-16 units. */
  get size(): number {
    return this.json.length;
  }

  /** The WebSocket frame that carries this event alone, the same for every socket. */
  get frame(): string {
    return (this.frameText ??= `{"type":"events","events":[${this.json}]}`);
  }
}

/** An event on its way to queues: shapes and serializes each variant at most once. */
export class SharedEvent implements RenderableEvent {
  private readonly shape: EventRenderer;
  private plain: EventText | undefined;
  private variants: Map<string, EventText | null> | undefined;

  constructor(
    readonly event: JournalEvent,
    readonly subject: SubjectDocument | undefined,
    /** Position of the entry. */
    readonly seq: number,
    /** First id slot of this event within its entry. */
    private readonly slot: number,
    shapes: EventRenderers,
  ) {
    this.shape = shapes.get(event.type) ?? plainRenderer;
  }

  /** The type on the wire. */
  get type(): string {
    return this.event.type;
  }

  get data(): JournalEvent['data'] {
    return this.event.data;
  }

  /** Newest id any of its texts can have. */
  get lastId(): number {
    return eventId(this.seq, this.slot + this.event.slots - 1);
  }

  /** Whether wide queues of users outside the audience may get it (public channels' messages). */
  get isPublic(): boolean {
    return this.event.data.public === true;
  }

  /** The text for a receiver, or null when the event is not for this queue. */
  textFor(receiver: Receiver): EventText | null {
    if (this.shape === plainRenderer) return (this.plain ??= this.serialize('')!);
    const key = this.shape.variant(this, receiver);
    if (key === null) return null;
    this.variants ??= new Map();
    let text = this.variants.get(key);
    if (text === undefined) this.variants.set(key, (text = this.serialize(key)));
    return text;
  }

  /** Null for a variant without bodies. */
  private serialize(variant: string): EventText | null {
    const bodies = this.shape.bodies(this, variant);
    if (bodies.length === 0) return null;
    const first = eventId(this.seq, this.slot);
    const parts = bodies.map((body, index) => JSON.stringify({ ...body, id: first + index }));
    return new EventText(first + bodies.length - 1, parts.join(), this.seq, first);
  }
}
