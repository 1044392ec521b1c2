import Type from 'typebox';
import { endpoint, Id, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_MESSAGES_PER_FETCH, MAX_NARROW_PAIRS } from '../limits.js';
import { Narrow } from './narrow.js';
import { MessageText } from '../text.js';
import { MESSAGE } from '../example-values.js';

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
