import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { REACTION_TYPES } from './message-object.js';
import { checkedText, ShortText } from '../text.js';
import { MESSAGE } from '../example-values.js';

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
