import type { EventBodyOf, EventFields, EventType } from '../../../schemas/events.js';
import type { EventData, SubjectDocument } from '../entry.js';
import type { QueueFilter } from '../queues/queue-filter.js';

/** The receiver a body is rendered for. */
export interface Receiver {
  readonly userId: number;
  readonly queueId: string;
  readonly filter: QueueFilter;
  /** False for an all-public queue whose user is not in the audience. */
  readonly inAudience: boolean;
}

/** An event, live or replayed, with the document that it shows. */
export interface RenderableEvent<T extends string = string, D = EventData> {
  readonly type: T;
  readonly data: D;
  readonly subject: SubjectDocument | undefined;
}

/**
 * EventRenderer renders the events of one type for different receivers (events.md#variants). Renderers are
 * pure functions of the stored event, so that a replay after a restart gives the same bytes.
 */
export interface EventRenderer<
  T extends string = string,
  D = EventData,
  B = Readonly<Record<string, unknown>>,
> {
  /**
   * The variant that the receiver gets; receivers with equal keys share one serialization. Null: the event
   * is not for this queue. Keep the number of keys small.
   */
  variant(event: RenderableEvent<T, D>, receiver: Receiver): string | null;
  /** The bodies of a variant, without `id`; at most as many as the event has slots. */
  bodies(event: RenderableEvent<T, D>, variant: string): readonly B[];
}

/** The renderer of one event type: stored form in, the bodies of its schema out. */
export type RendererOf<T extends EventType, D = EventFields<T>, B = EventBodyOf<T>> = EventRenderer<
  T,
  D,
  B
>;

/** Renderers by event type; types without one have a single body made of `type` and their data. */
export type EventRenderers = ReadonlyMap<string, EventRenderer>;

/** The renderer of every type that is the same for all receivers. */
export const plainRenderer: EventRenderer = {
  variant: () => '',
  bodies: (event) => [{ type: event.type, ...event.data }],
};
