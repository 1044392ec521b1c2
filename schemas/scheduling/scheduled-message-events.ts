import Type from 'typebox';
import { exact } from '../exact.js';
import { ScheduledMessage } from './scheduled-messages.js';
import { events } from '../event.js';

const type = Type.Literal('scheduled_messages');

/** A message was scheduled; the list has one entry. */
export const scheduledMessagesAdd = Type.Object(
  {
    type,
    op: Type.Literal('add'),
    scheduled_messages: Type.Array(ScheduledMessage, { minItems: 1, maxItems: 1 }),
  },
  exact,
);

/** A scheduled message was edited, or could not be sent at its time. */
export const scheduledMessagesUpdate = Type.Object(
  { type, op: Type.Literal('update'), scheduled_message: ScheduledMessage },
  exact,
);

/** A scheduled message was deleted, or sent. */
export const scheduledMessagesRemove = Type.Object(
  { type, op: Type.Literal('remove'), scheduled_message_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data, to the author only. */
export const scheduledMessageEvents = events(
  scheduledMessagesAdd,
  scheduledMessagesUpdate,
  scheduledMessagesRemove,
);
