import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Record of a message that a client sent with `queue_id` and `local_id`, so that a repeated request gets the
 * first reply and sends nothing. Lives as long as the queue; a queue has a fixed number of slots, and a new
 * message replaces the oldest.
 */
export const IdempotencyKeyDocument = Type.Object({
  queue_id: Type.String(),
  /** The client's id of the message. */
  local_id: Type.String(),
  /** Counts the messages of the queue; its remainder by the number of slots is the slot. */
  number: Type.Integer({ minimum: 0 }),
  /** SHA-256 of recipient and content of the request (base64url). */
  digest: Type.String(),
  message_id: Type.Integer(),
  /** `automatic_new_visibility_policy` of the first reply. */
  visibility_policy: Type.Optional(Type.Integer()),
});
export type IdempotencyKeyDocument = Static<typeof IdempotencyKeyDocument>;

/** The stored documents of `idempotency_key`. */
export const idempotencyKeyCollection = collection('idempotency_key', IdempotencyKeyDocument);
