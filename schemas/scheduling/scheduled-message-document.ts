import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { nullable, oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/** States of a scheduled message or reminder (`actors/scheduled-message.ts`); the last two are its end. */
export const SCHEDULED_STATES = ['pending', 'delivering', 'failed', 'sent', 'cancelled'] as const;
export type ScheduledState = (typeof SCHEDULED_STATES)[number];

/** A scheduled message. Kept in the store, not in memory. */
export const ScheduledMessageDocument = snapshot(
  'scheduled-message',
  2,
  SCHEDULED_STATES,
  Type.Object({
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
    /** Why it could not be sent. */
    failure: nullable(Type.String()),
    /** Name of the program that scheduled or last edited it. */
    client: Type.String(),
    read_by_sender: Type.Boolean(),
  }),
);
export type ScheduledMessageDocument = Static<typeof ScheduledMessageDocument>;

/** A reminder of a message: an actor of the same machine. Kept in the store, not in memory. */
export const ReminderDocument = snapshot(
  'scheduled-message',
  2,
  SCHEDULED_STATES,
  Type.Object({
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
    /** Why it could not be sent. */
    failure: nullable(Type.String()),
  }),
);
export type ReminderDocument = Static<typeof ReminderDocument>;

/** The stored documents of `reminder`. */
export const reminderCollection = collection('reminder', ReminderDocument);

/** The stored documents of `scheduled_message`. */
export const scheduledMessageCollection = collection('scheduled_message', ScheduledMessageDocument);
