import Type from 'typebox';
import { nullable, oneOf } from '../endpoint.js';
import { exact } from '../exact.js';
import { PROPAGATE_MODES } from './message-editing.js';
import { events } from '../event.js';

const TopicLinks = Type.Array(Type.Object({ text: Type.String(), url: Type.String() }, exact));

/** Keys of every `update_message`. */
const ALWAYS = {
  type: Type.Literal('update_message'),
  user_id: nullable(Type.Integer()),
  edit_timestamp: Type.Integer(),
  message_id: Type.Integer(),
  message_ids: Type.Array(Type.Integer(), { minItems: 1 }),
  flags: Type.Array(Type.String()),
  rendering_only: Type.Literal(false),
};

const OF_CHANNEL = { stream_id: Type.Integer(), stream_name: Type.String() };

const CONTENT = {
  orig_content: Type.String(),
  orig_rendered_content: Type.String(),
  content: Type.String(),
  rendered_content: Type.String(),
  is_me_message: Type.Boolean(),
};

const MOVE = {
  orig_subject: Type.String(),
  propagate_mode: oneOf(...PROPAGATE_MODES),
};

const TOPIC = { subject: Type.String(), topic_links: TopicLinks };

/** The content of a direct message was changed. */
export const updateDirectMessage = Type.Object({ ...ALWAYS, ...CONTENT }, exact);

/** The content of a channel message was changed. */
export const updateMessageContent = Type.Object({ ...ALWAYS, ...OF_CHANNEL, ...CONTENT }, exact);

/** Messages got another topic in the same channel. */
export const updateMessageTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, ...TOPIC },
  exact,
);

/** Both at once. */
export const updateMessageContentAndTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...CONTENT, ...MOVE, ...TOPIC },
  exact,
);

/** Messages went to another channel under the same topic. */
export const updateMessageChannel = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, new_stream_id: Type.Integer() },
  exact,
);

/** Messages went to another topic of another channel. */
export const updateMessageChannelAndTopic = Type.Object(
  { ...ALWAYS, ...OF_CHANNEL, ...MOVE, ...TOPIC, new_stream_id: Type.Integer() },
  exact,
);

/** The HTML of a message changed by the server's own doing: a thumbnail is ready. */
export const updateMessageRendering = Type.Object(
  {
    ...ALWAYS,
    rendering_only: Type.Literal(true),
    stream_id: Type.Optional(Type.Integer()),
    stream_name: Type.Optional(Type.String()),
    content: Type.String(),
    rendered_content: Type.String(),
    is_me_message: Type.Boolean(),
  },
  exact,
);

/** Somebody writes, or stopped writing, while editing a message. */
export const typingEditMessage = Type.Object(
  {
    type: Type.Literal('typing_edit_message'),
    op: oneOf('start', 'stop'),
    sender_id: Type.Integer(),
    message_id: Type.Integer(),
    recipient: Type.Union([
      Type.Object(
        {
          type: Type.Literal('channel'),
          channel_id: Type.Integer(),
          topic: Type.String(),
        },
        exact,
      ),
      Type.Object(
        { type: Type.Literal('direct'), user_ids: Type.Array(Type.Integer(), { minItems: 1 }) },
        exact,
      ),
    ]),
  },
  exact,
);

/** events-messages.md#messages. */
export const messageEditingEvents = events(
  updateDirectMessage,
  updateMessageContent,
  updateMessageTopic,
  updateMessageContentAndTopic,
  updateMessageChannel,
  updateMessageChannelAndTopic,
  updateMessageRendering,
  typingEditMessage,
);
