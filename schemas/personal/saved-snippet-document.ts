import Type, { type Static } from 'typebox';

/** Stored text somebody uses again and again. */
export const SnippetDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  title: Type.String(),
  content: Type.String(),
  /** UNIX seconds. */
  date_created: Type.Integer(),
});

export type SnippetDocument = Static<typeof SnippetDocument>;
