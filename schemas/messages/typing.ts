import { Empty, endpoint, Id, oneOf, optional, required, withDefault } from '../endpoint.js';
import { LenientList } from '../lenient-list.js';
import { ShortText } from '../text.js';
import { GENERAL } from '../example-values.js';

/**
 * Tells others that the caller is writing; stored nowhere (endpoints-queues.md#post-typing,
 * endpoints-queues.md#typing).
 */
export const setTypingStatus = endpoint({
  operation: 'set-typing-status',
  method: 'POST',
  path: '/typing',
  isRepeated: true,
  access: 'user',
  summary: 'Set your typing status',
  params: {
    op: required(oneOf('start', 'stop')),
    type: withDefault(oneOf('direct', 'private', 'stream', 'channel'), 'direct'),
    to: optional(LenientList, {
      wire: 'lenient',
      description: 'User ids; old clients send one id, or e-mail addresses',
    }),
    stream_id: optional(Id),
    topic: optional(ShortText),
  },
  response: Empty,
  errors: ['STREAM_DOES_NOT_EXIST'],
  example: { op: 'start', type: 'channel', stream_id: GENERAL, topic: 'castle' },
  events: ['typing'],
});
