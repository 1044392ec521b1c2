import Type, { type Static } from 'typebox';
import { nullable, oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/** A scheduled message, pending or failed. Kept in the store, not in memory. */
export const ScheduledMessageDocument = Type.Object({
  id: Type.Integer(),
  /** The author. */
  user_id: Type.Integer(),
  type: oneOf('stream', 'private'),
  /** Channel id; or the ids of the recipients, ascending, the author only when writing to themselves. */
  to: Type.Union([Type.Integer(), Type.Array(Type.Integer())]),
  /** Empty for a direct message. */
  topic: Type.String(),
  content: Type.String(),
  rendered_content: Type.String(),
  /** UNIX seconds. */
  deliver_at: Type.Integer(),
  failed: Type.Boolean(),
  /** Why it could not be sent. */
  failure: nullable(Type.String()),
  /** Name of the program that scheduled or last edited it. */
  client: Type.String(),
  read_by_sender: Type.Boolean(),
});
export type ScheduledMessageDocument = Static<typeof ScheduledMessageDocument>;

/** A pending reminder of a message. Kept in the store, not in memory. */
export const ReminderDocument = Type.Object({
  id: Type.Integer(),
  /** Its creator and recipient. */
  user_id: Type.Integer(),
  /** The message it is about. */
  message_id: Type.Integer(),
  /** May be empty. */
  note: Type.String(),
  /** What would be sent now. */
  content: Type.String(),
  rendered_content: Type.String(),
  /** UNIX seconds. */
  deliver_at: Type.Integer(),
  /** Reminders do not fail; the record has the field. */
  failed: Type.Boolean(),
});
export type ReminderDocument = Static<typeof ReminderDocument>;

/** The stored documents of `reminder`. */
export const reminderCollection = collection('reminder', ReminderDocument);

/** The stored documents of `scheduled_message`. */
export const scheduledMessageCollection = collection('scheduled_message', ScheduledMessageDocument);
