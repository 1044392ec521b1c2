import Type from 'typebox';
import { exact } from '../exact.js';
import { events } from '../event.js';

const type = Type.Literal('delete_message');

/** What an event about messages of a channel has beside their ids. */
const CHANNEL = {
  type,
  message_type: Type.Literal('stream'),
  stream_id: Type.Integer(),
  /** As it was; the organization's name for the empty one where the queue cannot show that. */
  topic: Type.String(),
};
/** The same of direct messages. */
const DIRECT = { type, message_type: Type.Literal('private') };
/** Ascending. */
const MANY = { message_ids: Type.Array(Type.Integer(), { minItems: 1 }) };
const ONE = { message_id: Type.Integer() };

/** Messages of a channel are gone; queues with `bulk_message_deletion`. */
export const channelMessagesDeleted = Type.Object({ ...CHANNEL, ...MANY }, exact);

/** A message of a channel is gone; other queues. */
export const channelMessageDeleted = Type.Object({ ...CHANNEL, ...ONE }, exact);

/** Direct messages are gone; queues with `bulk_message_deletion`. */
export const directMessagesDeleted = Type.Object({ ...DIRECT, ...MANY }, exact);

/** A direct message is gone; other queues. */
export const directMessageDeleted = Type.Object({ ...DIRECT, ...ONE }, exact);

/** events-messages.md#messages, to whoever could see the messages. */
export const deleteMessageEvents = events(
  channelMessagesDeleted,
  channelMessageDeleted,
  directMessagesDeleted,
  directMessageDeleted,
);
