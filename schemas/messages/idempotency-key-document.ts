import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Stored memory of one message that a client sent with `queue_id` and `local_id`, so that the same request
 * sent again is answered and not carried out again. Lives as long as the queue; a queue has a fixed number
 * of slots, of which the newest message takes the oldest.
 */
export const IdempotencyKeyDocument = Type.Object({
  queue_id: Type.String(),
  /** The client's own name for the message. */
  local_id: Type.String(),
  /** Counts the messages of the queue; its remainder by the number of slots is the slot. */
  number: Type.Integer({ minimum: 0 }),
  /** SHA-256 of what the request said (base64url). */
  digest: Type.String(),
  message_id: Type.Integer(),
  /** What sending changed about the sender's view of the topic, as the first answer told. */
  visibility_policy: Type.Optional(Type.Integer()),
});
export type IdempotencyKeyDocument = Static<typeof IdempotencyKeyDocument>;

/** The stored documents of `idempotency_key`. */
export const idempotencyKeyCollection = collection('idempotency_key', IdempotencyKeyDocument);
