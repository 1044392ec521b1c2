import Type from 'typebox';
import { oneOf } from '../endpoint.js';
import { exact } from '../exact.js';
import { REACTION_TYPES } from './message-object.js';
import { events } from '../event.js';

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
