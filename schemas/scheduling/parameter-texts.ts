import { parameterTexts } from '../parameter-texts.js';

/** Parameters about scheduled messages and reminders. */
export const schedulingTexts = parameterTexts({
  'create-scheduled-message.to':
    'Channel messages: the id of the channel. Direct messages: a list of user ids.',
  'update-scheduled-message.to':
    'New recipient, as in creating: the id of a channel or a list of user ids; required when `type` changes.',
  scheduled_delivery_timestamp: 'When to deliver, in UNIX seconds (UTC); it must be in the future.',
  scheduled_message_id:
    'Id of a scheduled message of the caller; no message ever has the same one.',
  note: [
    'Text that comes with the reminder, at most `max_reminder_note_length` characters.',
    'Ask the ghost',
  ],
  reminder_id: 'Which reminder of the caller’s own, by its number from `GET /reminders`.',
});
