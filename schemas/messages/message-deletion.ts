import Type from 'typebox';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { LongText } from '../text.js';
import { MESSAGE, GENERAL } from '../example-values.js';

/** endpoints-messages.md#one-message. */
export const deleteMessage = endpoint({
  operation: 'delete-message',
  method: 'DELETE',
  path: '/messages/{message_id}',
  access: 'user',
  summary: 'Delete a message',
  params: { message_id: required(Id) },
  response: Empty,
  errors: [],
  example: { message_id: MESSAGE },
  events: ['delete_message', 'stream', 'attachment', 'update_message_flags'],
});

/** specification-endpoints.md#delete-topic. */
export const deleteTopic = endpoint({
  operation: 'delete-topic',
  method: 'POST',
  path: '/streams/{stream_id}/delete_topic',
  access: 'administrator',
  summary: 'Delete a topic and all its messages',
  params: {
    stream_id: required(Id),
    // Too long a name is cut, as it is when a message is sent there.
    topic_name: required(LongText),
  },
  response: Type.Object(
    {
      complete: Type.Boolean({
        description:
          'Whether all messages are deleted; where not, the time was too short for all: call again.',
      }),
    },
    exact,
  ),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { stream_id: GENERAL, topic_name: 'castle' },
  events: ['delete_message', 'stream', 'attachment', 'update_message_flags'],
  level: 211,
});
