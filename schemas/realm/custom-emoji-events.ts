import Type from 'typebox';
import { CustomEmojiMap, CustomEmojiObject } from './custom-emoji.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

const type = Type.Literal('realm_emoji');

/** events-organization.md#organization, for queues that declared `individual_emoji_changes`. */
export const customEmojiAdded = Type.Object(
  { type, op: Type.Literal('add'), emoji: CustomEmojiObject },
  exact,
);

/** As above. */
export const customEmojiChanged = Type.Object(
  {
    type,
    op: Type.Literal('update_one'),
    emoji_id: Type.String(),
    data: Type.Object({ deactivated: Type.Boolean() }, exact),
  },
  exact,
);

/** events-organization.md#organization, for all other queues: the complete map. */
export const customEmojiMap = Type.Object(
  { type, op: Type.Literal('update'), realm_emoji: CustomEmojiMap },
  exact,
);

/** All events of custom emoji. */
export const customEmojiEvents = events(customEmojiAdded, customEmojiChanged, customEmojiMap);
