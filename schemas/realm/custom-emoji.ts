import Type from 'typebox';
import { Empty, endpoint, nullable, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { ShortText } from '../text.js';

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
