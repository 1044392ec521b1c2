import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, optional, required, withDefault } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { LenientList } from '../lenient-list.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

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

const Person = Type.Object({ user_id: Type.Integer(), email: Type.String() }, exact);
const TYPING = { type: Type.Literal('typing'), op: oneOf('start', 'stop'), sender: Person };

/** events-messages.md#messages: somebody writes a direct message. */
export const typingDirectly = Type.Object(
  { ...TYPING, message_type: Type.Literal('direct'), recipients: Type.Array(Person) },
  exact,
);

/** events-messages.md#messages: somebody writes in a channel. */
export const typingInChannel = Type.Object(
  {
    ...TYPING,
    message_type: Type.Literal('stream'),
    stream_id: Type.Integer(),
    topic: Type.String(),
  },
  exact,
);

/** All events of typing. */
export const typingEvents = events(typingDirectly, typingInChannel);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'set-typing-status.type':
    'Where one types: `direct`, or `channel` (older: `stream`) with `stream_id` and `topic`.',
  'set-typing-status.stream_id': 'The channel one types in; with `type` `channel`.',
  'set-typing-status.topic': 'The topic one types in; with `type` `channel`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  sender: 'Who is typing.',
  recipients: 'Everybody in the direct conversation, the sender included.',
  'typing.stream_id': ['Channel in which somebody types.', GENERAL],
  'typing.topic': ['Topic in which somebody types.', 'castle'],
});
