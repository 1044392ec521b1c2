import Type from 'typebox';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { LATER, MESSAGE, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_REMINDER_NOTE_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';
import { DeliveryTime } from './scheduled-messages.js';

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

const type = Type.Literal('reminders');

/** A reminder was made; the list has one entry. */
export const remindersAdd = Type.Object(
  {
    type,
    op: Type.Literal('add'),
    reminders: Type.Array(Reminder, { minItems: 1, maxItems: 1 }),
  },
  exact,
);

/** A reminder was deleted, or delivered. */
export const remindersRemove = Type.Object(
  { type, op: Type.Literal('remove'), reminder_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data, to the user only. */
export const reminderEvents = events(remindersAdd, remindersRemove);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  reminder_id: 'Which reminder of the caller’s own, by its number from `GET /reminders`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  reminder_id: ['Id of the reminder.', 1],
  'Reminder.type': 'Always `private`: a reminder is a direct message to the caller.',
  'Reminder.to': ['Who is reminded: the caller alone.', [OWNER]],
  'Reminder.content': [
    'Text of the reminder in Markdown: the note, and a link to the message.',
    'You requested a reminder for this message.',
  ],
  reminder_target_message_id: ['Message of which to remind.', MESSAGE],
  'get-reminders.reminders': 'Reminders of the caller that were not delivered, by delivery time.',
  'reminders.reminders': 'The new reminder, in a list of its own.',
});
