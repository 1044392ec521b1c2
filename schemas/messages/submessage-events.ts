import Type from 'typebox';
import { exact } from '../exact.js';
import { events } from '../event.js';

/** events-messages.md#submessage: somebody did something with a poll or a to-do list. */
export const submessageAdded = Type.Object(
  {
    type: Type.Literal('submessage'),
    message_id: Type.Integer(),
    submessage_id: Type.Integer(),
    sender_id: Type.Integer(),
    msg_type: Type.Literal('widget'),
    content: Type.String(),
  },
  exact,
);

/** All events of widgets. */
export const submessageEvents = events(submessageAdded);
