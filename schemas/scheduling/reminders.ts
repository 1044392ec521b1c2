import Type from 'typebox';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_REMINDER_NOTE_LENGTH } from '../limits.js';
import { DeliveryTime } from './scheduled-messages.js';
import { text } from '../text.js';
import { MESSAGE, LATER } from '../example-values.js';

/** A reminder as the wire shows it (endpoints-personal.md#personal-things, events-personal.md#personal-data). */
export const Reminder = Type.Object(
  {
    reminder_id: Type.Integer(),
    type: Type.Literal('private'),
    /** The own id. */
    to: Type.Array(Type.Integer()),
    content: Type.String(),
    rendered_content: Type.String(),
    scheduled_delivery_timestamp: Type.Integer(),
    failed: Type.Boolean(),
    reminder_target_message_id: Type.Integer(),
  },
  { ...exact, title: 'Reminder' },
);

/** endpoints-personal.md#personal-things. */
export const createReminder = endpoint({
  operation: 'create-reminder',
  method: 'POST',
  path: '/reminders',
  access: 'user',
  summary: 'Create a reminder of a message',
  params: {
    message_id: required(Id),
    scheduled_delivery_timestamp: required(DeliveryTime),
    note: optional(text(MAX_REMINDER_NOTE_LENGTH)),
  },
  response: Type.Object({ reminder_id: Type.Integer() }, exact),
  errors: [],
  example: { message_id: MESSAGE, scheduled_delivery_timestamp: LATER },
  events: ['reminders'],
  level: 415,
});

/** endpoints-personal.md#personal-things. */
export const getReminders = endpoint({
  operation: 'get-reminders',
  method: 'GET',
  path: '/reminders',
  access: 'user',
  summary: 'Get your reminders that were not delivered',
  params: {},
  response: Type.Object({ reminders: Type.Array(Reminder) }, exact),
  errors: [],
  events: [],
  level: 399,
});

/** endpoints-personal.md#personal-things. */
export const deleteReminder = endpoint({
  operation: 'delete-reminder',
  method: 'DELETE',
  path: '/reminders/{reminder_id}',
  access: 'user',
  summary: 'Delete a reminder',
  params: { reminder_id: required(Id) },
  response: Empty,
  errors: [],
  example: { reminder_id: 1 },
  refusals: [404],
  events: ['reminders'],
  level: 399,
});
