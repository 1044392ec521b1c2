import Type from 'typebox';
import { endpoint, Id, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MESSAGE, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_MESSAGES_PER_FETCH, MAX_NARROW_PAIRS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText } from '../text.js';
import { Narrow } from './narrow.js';

/** endpoints-messages.md#one-message. */
export const renderMessage = endpoint({
  operation: 'render-message',
  method: 'POST',
  path: '/messages/render',
  access: 'user',
  summary: 'Render a text as a message without sending it',
  params: { content: required(MessageText) },
  response: Type.Object({ rendered: Type.String() }, exact),
  errors: [],
  example: { content: 'To be or **not** to be' },
  events: [],
});

/** endpoints-messages.md#one-message. */
export const checkMessagesMatchNarrow = endpoint({
  operation: 'check-messages-match-narrow',
  method: 'GET',
  path: '/messages/matches_narrow',
  access: 'user',
  summary: 'Get which of some messages match a narrow',
  params: {
    msg_ids: required(Type.Array(Id, { maxItems: MAX_MESSAGES_PER_FETCH })),
    narrow: required(Narrow),
  },
  pairs: [{ of: ['msg_ids', 'narrow'], max: MAX_NARROW_PAIRS }],
  response: Type.Object(
    {
      messages: Type.Record(
        Type.String(),
        Type.Object({ match_content: Type.String(), match_subject: Type.String() }, exact),
      ),
    },
    exact,
  ),
  errors: ['BAD_NARROW'],
  example: { msg_ids: [MESSAGE], narrow: [['is', 'starred']] },
  events: [],
});

/** endpoints-messages.md#one-message. */
export const getReadReceipts = endpoint({
  operation: 'get-read-receipts',
  method: 'GET',
  path: '/messages/{message_id}/read_receipts',
  access: 'user',
  summary: 'Get who has read a message',
  params: { message_id: required(Id) },
  response: Type.Object({ user_ids: Type.Array(Type.Integer()) }, exact),
  errors: [],
  example: { message_id: MESSAGE },
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'render-message.content': 'Markdown to be turned into HTML; nothing is stored or sent.',
  'check-messages-match-narrow.narrow':
    'The terms each message is judged by, as in `GET /messages`.',
  msg_ids: 'Messages to be judged; those one cannot see are left out of the answer.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  rendered: [
    'The text as HTML, as a message would show it.',
    '<p>To be or <strong>not</strong> to be</p>',
  ],
  'check-messages-match-narrow.messages': [
    'Those that match, by id, with their matches marked.',
    { 1: { match_content: '<p>Who’s there?</p>', match_subject: 'castle' } },
  ],
  'check-messages-match-narrow.match_content': [
    'Text of the message as HTML, with what a search found in `<span class="highlight">`.',
    '<p>Who’s there?</p>',
  ],
  'check-messages-match-narrow.match_subject': [
    'Topic of the message as HTML, marked in the same way.',
    'castle',
  ],
  'get-read-receipts.user_ids': [
    'Users who have read the message, without its sender and users who send no read receipts.',
    [OWNER],
  ],
});
