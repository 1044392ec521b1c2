import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

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
