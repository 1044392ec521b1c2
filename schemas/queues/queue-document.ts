import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collectionApart } from '../collection.js';
import { StoredTimeField } from '../store/stored-time.js';

/**
 * Stored event queue. Written when the queue is registered and deleted when it ends; polls write nothing,
 * because the client keeps its cursor and the journal keeps the events.
 */
export const QueueDocument = Type.Object({
  queue_id: Type.String(),
  user_id: Type.Integer(),
  /** Journal position of the registration. */
  since: Type.Integer(),
  idle_timeout_ms: Type.Integer(),
  traits: Type.Object({
    event_types: nullable(Type.Array(Type.String())),
    apply_markdown: Type.Boolean(),
    client_gravatar: Type.Boolean(),
    slim_presence: Type.Boolean(),
    include_subscribers: Type.Union([Type.Boolean(), Type.Literal('partial')]),
    all_public_streams: Type.Boolean(),
    narrow: Type.Array(Type.Tuple([Type.String(), Type.String()])),
    capabilities: Type.Record(Type.String(), Type.Boolean()),
  }),
  /** Snapshot of the queue's actor. */
  actor: Type.Object({
    machine: Type.String(),
    version: Type.Integer(),
    value: Type.String(),
    context: Type.Object({
      queue_id: Type.String(),
      idle_timeout_ms: Type.Integer(),
      deadline: StoredTimeField,
    }),
  }),
});
export type QueueDocument = Static<typeof QueueDocument>;

/** The stored documents of `queue`. */
export const queueCollection = collectionApart('queue', QueueDocument);
