import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** Stored linkifier: a pattern whose matches in messages become links (specification-endpoints.md#add-linkifier). */
export const LinkifierDocument = Type.Object({
  id: Type.Integer(),
  /** Position; smaller ones are applied first. */
  order: Type.Integer(),
  pattern: Type.String(),
  url_template: Type.String(),
  example_input: nullable(Type.String()),
  reverse_template: nullable(Type.String()),
  alternative_url_templates: Type.Array(Type.String()),
});
export type LinkifierDocument = Static<typeof LinkifierDocument>;

/** The stored documents of `linkifier`. */
export const linkifierCollection = collection('linkifier', LinkifierDocument);
