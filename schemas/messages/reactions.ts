import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { MESSAGE, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText } from '../text.js';
import { REACTION_TYPES } from './message.js';

const CODE = optional(ShortText, {
  description:
    'Code points in hexadecimal joined by hyphens, the id of a custom emoji, or `zulip`; found by name if absent',
});
const TYPE = optional(checkedText({ enum: REACTION_TYPES }), {
  description: '`unicode_emoji`, `realm_emoji` or `zulip_extra_emoji`; found by name if absent',
});

/** endpoints-flags.md#reactions. */
export const addReaction = endpoint({
  operation: 'add-reaction',
  method: 'POST',
  path: '/messages/{message_id}/reactions',
  access: 'user',
  summary: 'React to a message with an emoji',
  params: {
    message_id: required(Id),
    emoji_name: required(ShortText),
    emoji_code: CODE,
    reaction_type: TYPE,
  },
  response: Empty,
  errors: ['REACTION_ALREADY_EXISTS'],
  example: { message_id: MESSAGE, emoji_name: 'tada' },
  events: ['reaction', 'user_topic', 'muted_topics'],
});

/** endpoints-flags.md#reactions: the name or the code must be given. */
export const removeReaction = endpoint({
  operation: 'remove-reaction',
  method: 'DELETE',
  path: '/messages/{message_id}/reactions',
  access: 'user',
  summary: 'Remove a reaction to a message',
  params: {
    message_id: required(Id),
    emoji_name: optional(ShortText),
    emoji_code: CODE,
    reaction_type: TYPE,
  },
  response: Empty,
  errors: ['REACTION_DOES_NOT_EXIST'],
  example: { message_id: MESSAGE, emoji_name: 'tada' },
  events: ['reaction'],
});

/** events-messages.md#messages: somebody reacted, or took a reaction back. */
function reaction<Op extends 'add' | 'remove'>(op: Op) {
  return Type.Object(
    {
      type: Type.Literal('reaction'),
      op: Type.Literal(op),
      message_id: Type.Integer(),
      user_id: Type.Integer(),
      user: Type.Object(
        { user_id: Type.Integer(), email: Type.String(), full_name: Type.String() },
        exact,
      ),
      emoji_name: Type.String(),
      emoji_code: Type.String(),
      reaction_type: oneOf(...REACTION_TYPES),
    },
    exact,
  );
}

/** events-messages.md#messages: somebody reacted. */
export const reactionAdded = reaction('add');
/** events-messages.md#messages: somebody took a reaction back. */
export const reactionRemoved = reaction('remove');

/** All events of reactions. */
export const reactionEvents = events(reactionAdded, reactionRemoved);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  emoji_name: 'Name of the emoji without colons, such as `tada`, or of a custom one.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'reaction.user_id': ['Who reacted, by user id.', OWNER],
  'reaction.user': 'Older form of `user_id`, with more about the person.',
});
