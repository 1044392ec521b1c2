import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * A message that is to be told to an outgoing webhook bot's address, committed together with the message. Deleted with
 * the commit of the bot's reply, or of the notice that it could not be told.
 */
export const OutgoingHookDocument = Type.Object({
  id: Type.Integer(),
  bot_id: Type.Integer(),
  message_id: Type.Integer(),
  trigger: Type.Union([Type.Literal('mention'), Type.Literal('direct_message')]),
  attempts: Type.Integer(),
  /** Earliest time of the next attempt, milliseconds since 1970. */
  next_attempt_at: Type.Integer(),
});
export type OutgoingHookDocument = Static<typeof OutgoingHookDocument>;

/** The stored documents of `outgoing_hook`. */
export const outgoingHookCollection = collection('outgoing_hook', OutgoingHookDocument);
