import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored snippet: a text for repeated use. */
export const SnippetDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  content: Type.String(),
  /** UNIX seconds. */
  date_created: Type.Integer(),
});

export type SnippetDocument = Static<typeof SnippetDocument>;

/** The stored documents of `saved_snippet`. */
export const savedSnippetCollection = collection('saved_snippet', SnippetDocument);
