import Type from 'typebox';
import { exact } from '../exact.js';
import { Reminder } from './reminders.js';
import { events } from '../event.js';

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
