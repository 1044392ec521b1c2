/* Words that several things of this area share, or for which the file of the thing has no room. */
import { LATER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Fields of scheduled messages and reminders. */
export const FIELD_TEXTS = fieldTexts({
  scheduled_delivery_timestamp: ['When it is to be sent, UNIX seconds.', LATER],
  failed: 'Whether it could not be sent at its time.',
});

/** Parameters about scheduled messages and reminders. */
export const PARAMETER_TEXTS = parameterTexts({
  scheduled_delivery_timestamp: 'When to deliver, in UNIX seconds (UTC); it must be in the future.',
  note: [
    'Text that comes with the reminder, at most `max_reminder_note_length` characters.',
    'Ask the ghost',
  ],
});
