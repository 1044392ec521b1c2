import Type from 'typebox';
import { MAX_SUBMESSAGE_LENGTH } from '../limits.js';
import { Empty, endpoint, Id, oneOf, required } from '../endpoint.js';
import { MESSAGE } from '../example-values.js';

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
