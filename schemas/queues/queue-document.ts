import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { nullable } from '../endpoint.js';
import { collectionApart } from '../collection.js';
import { StoredTimeField } from '../store/stored-time.js';

/**
 * Stored event queue: the snapshot of its actor. Written when the queue is registered and deleted when it ends; polls
 * write nothing, because the client keeps its cursor and the journal keeps the events. A document in a final state is
 * of a queue that ended, and is removed by the next start.
 */
export const QueueDocument = snapshot(
  'event-queue',
  3,
  ['live', 'expired', 'deleted', 'overflowed', 'revoked'],
  Type.Object({
    queue_id: Type.String(),
    user_id: Type.Integer(),
    /** The queue has the events after this journal position: that of its registration, or a later one. */
    since: Type.Integer(),
    /** How long the queue lives without a consumer. */
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
    deadline: StoredTimeField,
  }),
);
export type QueueDocument = Static<typeof QueueDocument>;

/** The stored documents of `queue`. */
export const queueCollection = collectionApart('queue', QueueDocument);
