import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { MESSAGE, OWNER, SENT } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_SUBMESSAGE_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';

/** endpoints-flags.md#submessages. */
export const addSubmessage = endpoint({
  operation: 'add-submessage',
  method: 'POST',
  path: '/submessage',
  access: 'user',
  summary: 'Vote in a poll, or change a to-do list',
  params: {
    message_id: required(Id),
    msg_type: required(oneOf('widget')),
    // Text rather than JSON: clients get it as it was sent, and the handler refuses what is no JSON in its own words.
    content: required(Type.String({ maxLength: MAX_SUBMESSAGE_LENGTH, nulAllowed: true })),
  },
  response: Empty,
  errors: [],
  note:
    'Actions of a poll: `{"type":"vote","key","vote"}` (`vote` 1, or -1 to take it back), ' +
    '`{"type":"new_option","idx","option"}`, and by its author `{"type":"question","question"}`. An option’s key is ' +
    '`canned,` and its number for those of the message, else the user id of who added it, a comma and `idx`. Of a ' +
    'to-do list: `{"type":"new_task","key","task","desc","completed"}`, `{"type":"strike","key"}` (done, or not ' +
    'done again), and by its author `{"type":"new_task_list_title","title"}`. A task’s key for `strike` is its number, ' +
    'a comma, and `canned` or the user id.',
  example: {
    message_id: MESSAGE,
    msg_type: 'widget',
    content: '{"type":"vote","key":"canned,0","vote":1}',
  },
  events: ['submessage', 'user_topic', 'muted_topics'],
  level: 354,
});

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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  msg_type: 'Always `widget`.',
  'add-submessage.message_id': 'Message with the poll or to-do list.',
  'add-submessage.content': [
    'What is done, as JSON; its forms are listed above.',
    '{"type":"vote","key":"canned,0","vote":1}',
  ],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  submessage_id: ['Id of the new part.', 2],
  'submessage.message_id': ['Message with the poll or to-do list.', SENT],
  'submessage.sender_id': ['Who did it, by user id.', OWNER],
  'submessage.content': [
    'What was done, as `POST /submessage` took it.',
    '{"type":"vote","key":"canned,0","vote":1}',
  ],
});
