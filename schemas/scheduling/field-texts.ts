import { fieldTexts } from '../field-texts.js';
import { GENERAL, LATER, MESSAGE, OWNER, SCHEDULED } from '../example-values.js';

/** Fields of scheduled messages and reminders. */
export const schedulingFields = fieldTexts({
  reminder_id: ['Id of the reminder.', 1],
  'Reminder.type': 'Always `private`: a reminder is a direct message to the caller.',
  'Reminder.to': ['Who is reminded: the caller alone.', [OWNER]],
  'Reminder.content': [
    'Text of the reminder in Markdown: the note, and a link to the message.',
    'You requested a reminder for this message.',
  ],
  scheduled_delivery_timestamp: ['When it is to be sent, UNIX seconds.', LATER],
  failed: 'Whether it could not be sent at its time.',
  reminder_target_message_id: ['Message of which to remind.', MESSAGE],
  'get-reminders.reminders': 'Reminders of the caller that were not delivered, by delivery time.',
  'reminders.reminders': 'The new reminder, in a list of its own.',

  scheduled_message_id: ['Id of the scheduled message.', SCHEDULED],
  'ScheduledMessage.type': '`stream` for a message in a channel, `private` for a direct one.',
  'ScheduledMessage.to': [
    'Id of the channel, or ids of the recipients without the author.',
    GENERAL,
  ],
  'ScheduledMessage.topic': ['Topic of a channel message; left out for direct ones.', 'castle'],
  'ScheduledMessage.content': ['Text of the message in Markdown.', 'Good morning'],
  'ScheduledMessage.rendered_content': ['The text as HTML.', '<p>Good morning</p>'],
  split_group_id: [
    'Common id of the parts of a split message; always null, because this server splits none.',
    null,
  ],
  'get-scheduled-messages.scheduled_messages':
    'Scheduled messages of the caller that were not sent, by delivery time.',
  'scheduled_messages.scheduled_messages': 'The new scheduled message, in a list of its own.',
  scheduled_message: 'The scheduled message as it is now.',
});
