import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Stored playground: a site that runs code of one language
 * (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 */
export const PlaygroundDocument = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  pygments_language: Type.String(),
  /** RFC 6570, with the one variable `code`. */
  url_template: Type.String(),
});
export type PlaygroundDocument = Static<typeof PlaygroundDocument>;

/** The stored documents of `playground`. */
export const playgroundCollection = collection('playground', PlaygroundDocument);
