import Type from 'typebox';
import { oneOf } from '../endpoint.js';
import { exact } from '../exact.js';
import { EventMessage } from './message-object.js';
import { events } from '../event.js';

const Ids = Type.Array(Type.Integer());

/** events-messages.md#messages: a new message. */
export const message = Type.Object(
  {
    type: Type.Literal('message'),
    message: EventMessage,
    flags: Type.Array(Type.String()),
    local_message_id: Type.Optional(Type.String()),
  },
  exact,
);

/** A message that is unread again. */
const Details = Type.Union([
  Type.Object(
    {
      type: Type.Literal('private'),
      mentioned: Type.Optional(Type.Literal(true)),
      user_ids: Ids,
    },
    exact,
  ),
  Type.Object(
    {
      type: Type.Literal('stream'),
      mentioned: Type.Optional(Type.Literal(true)),
      stream_id: Type.Integer(),
      topic: Type.String(),
      unmuted_stream_msg: Type.Boolean(),
    },
    exact,
  ),
]);

/** events-messages.md#messages: own flags of messages changed. */
export const updateMessageFlags = Type.Object(
  {
    type: Type.Literal('update_message_flags'),
    op: oneOf('add', 'remove'),
    operation: oneOf('add', 'remove'),
    flag: Type.String(),
    messages: Ids,
    all: Type.Boolean(),
    message_details: Type.Optional(Type.Record(Type.String(), Details)),
  },
  exact,
);

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

/** All events of messages, flags and typing. */
export const messageEvents = events(message, updateMessageFlags, typingDirectly, typingInChannel);
