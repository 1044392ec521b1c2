import Type, { type Static } from 'typebox';
import { nullable, oneOf, type Frozen } from '../endpoint.js';
import { exact } from '../exact.js';

const Text = Type.String();
const Int = Type.Integer();

/** Link in a topic. */
export const TopicLink = Type.Object({ text: Text, url: Text }, { ...exact, title: 'TopicLink' });

/** Kinds of emoji. */
export const REACTION_TYPES = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const;

/** A reaction as messages and events show it (endpoints-messages.md#message-object). */
export const ReactionObject = Type.Object(
  {
    emoji_name: Text,
    emoji_code: Text,
    reaction_type: oneOf(...REACTION_TYPES),
    user_id: Int,
    user: Type.Optional(Type.Object({ user_id: Int, email: Text, full_name: Text }, exact)),
  },
  { ...exact, title: 'Reaction' },
);

/** A widget, or what somebody did with it, as messages show it (endpoints-messages.md#message-object). */
export const SubmessageObject = Type.Object(
  { id: Int, message_id: Int, sender_id: Int, msg_type: Type.Literal('widget'), content: Text },
  { ...exact, title: 'Submessage' },
);
export type SubmessageObject = Frozen<Static<typeof SubmessageObject>>;

/** Somebody in a direct conversation. */
const Participant = Type.Object(
  { id: Int, email: Text, full_name: Text, is_mirror_dummy: Type.Literal(false) },
  { ...exact, title: 'Participant' },
);

/** A change of a message (endpoints-messages.md#message-object, edit_history). */
export const EditHistoryEntry = Type.Object(
  {
    user_id: nullable(Int),
    timestamp: Int,
    prev_topic: Type.Optional(Text),
    topic: Type.Optional(Text),
    prev_stream: Type.Optional(Int),
    stream: Type.Optional(Int),
    prev_content: Type.Optional(Text),
    prev_rendered_content: Type.Optional(Text),
  },
  { ...exact, title: 'MessageEdit' },
);

const FIELDS = {
  id: Int,
  sender_id: Int,
  sender_email: Text,
  sender_full_name: Text,
  sender_realm_str: Text,
  type: oneOf('stream', 'private'),
  stream_id: Type.Optional(Int),
  display_recipient: Type.Union([Text, Type.Array(Participant)]),
  subject: Text,
  recipient_id: Int,
  content: Text,
  content_type: oneOf('text/html', 'text/x-markdown'),
  timestamp: Int,
  client: Text,
  avatar_url: nullable(Text),
  reactions: Type.Array(ReactionObject),
  is_me_message: Type.Boolean(),
  topic_links: Type.Array(TopicLink),
  submessages: Type.Array(SubmessageObject),
  last_edit_timestamp: Type.Optional(Int),
  last_moved_timestamp: Type.Optional(Int),
};

/** A message inside an event (endpoints-messages.md#message-object). */
export const EventMessage = Type.Object(FIELDS, { ...exact, title: 'EventMessage' });
export type EventMessage = Frozen<Static<typeof EventMessage>>;

/** A message that was fetched (endpoints-messages.md#message-object). */
export const MessageObject = Type.Object(
  {
    ...FIELDS,
    flags: Type.Array(Text),
    edit_history: Type.Optional(Type.Array(EditHistoryEntry)),
    match_content: Type.Optional(Text),
    match_subject: Type.Optional(Text),
  },
  { ...exact, title: 'Message' },
);
export type MessageObject = Frozen<Static<typeof MessageObject>>;
