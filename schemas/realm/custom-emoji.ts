import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, nullable, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

/** Stored custom emoji; deactivated ones stay, because messages and reactions show them. */
export const CustomEmojiDocument = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** Who added it; null if unknown. */
  author_id: nullable(Type.Integer()),
  deactivated: Type.Boolean(),
  /** Name of its files. */
  file: Type.String(),
  /** Whether it is animated: then there is a still picture too. */
  animated: Type.Boolean(),
});
export type CustomEmojiDocument = Static<typeof CustomEmojiDocument>;

/** The stored documents of `custom_emoji`. */
export const customEmojiCollection = collection('custom_emoji', CustomEmojiDocument);

/** A custom emoji as clients see it (events-organization.md#organization, emoji entry). */
export const CustomEmojiObject = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    source_url: Type.String(),
    still_url: nullable(Type.String()),
    deactivated: Type.Boolean(),
    author_id: nullable(Type.Integer()),
  },
  { ...exact, title: 'CustomEmoji' },
);

/** By id, which is text here; deactivated ones too. */
export const CustomEmojiMap = Type.Record(Type.String(), CustomEmojiObject);

/** endpoints-organization.md#custom-emoji. */
export const getCustomEmoji = endpoint({
  operation: 'get-custom-emoji',
  method: 'GET',
  path: '/realm/emoji',
  access: 'user',
  summary: 'Get all custom emoji, also those that were deactivated',
  params: {},
  response: Type.Object({ emoji: CustomEmojiMap }),
  errors: [],
  events: [],
});

/** endpoints-organization.md#custom-emoji: the body is multipart with exactly one file. */
export const uploadCustomEmoji = endpoint({
  operation: 'upload-custom-emoji',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  access: 'user',
  right: 'can_add_custom_emoji_group',
  summary: 'Add a custom emoji',
  params: { emoji_name: required(ShortText) },
  response: Empty,
  errors: ['BAD_IMAGE'],
  events: ['realm_emoji'],
  file: 'required',
  example: { emoji_name: 'skull' },
});

/** endpoints-organization.md#custom-emoji. */
export const deactivateCustomEmoji = endpoint({
  operation: 'deactivate-custom-emoji',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  access: 'user',
  summary: 'Deactivate a custom emoji',
  params: { emoji_name: required(ShortText) },
  response: Empty,
  errors: [],
  example: { emoji_name: 'skull' },
  events: ['realm_emoji'],
});

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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'upload-custom-emoji.emoji_name': 'Name of the new emoji: small letters, digits, `-` and `_`.',
  'deactivate-custom-emoji.emoji_name':
    'Which custom emoji is put away; messages that use it still show it.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'CustomEmoji.id': ['Id of the emoji, as text.', '1'],
  'CustomEmoji.name': ['Name without colons.', 'skull'],
  source_url: ['Address of the picture; may be relative.', '/user_avatars/emoji/1.png'],
  still_url: [
    'Address of a still form of an animated picture; null for others.',
    '/user_avatars/emoji/1-still.png',
  ],
  'CustomEmoji.deactivated': 'Whether it can no longer be used; old messages still show it.',
  author_id: ['Who added it, by user id; null where unknown.', OWNER],
  emoji_id: ['Id of the emoji, as text.', '1'],
  'realm_emoji.data': 'What changed, with its new value.',
});
