import Type, { type Static } from 'typebox';
import { oneOf } from '../endpoint.js';

/** Stored unsent message somebody keeps with the server. */
export const DraftDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Empty: for nobody yet. */
  type: oneOf('', 'stream', 'private'),
  /** One channel, or users, or nobody. */
  to: Type.Array(Type.Integer()),
  topic: Type.String(),
  content: Type.String(),
  /** UNIX seconds of the last edit. */
  timestamp: Type.Integer(),
});
export type DraftDocument = Static<typeof DraftDocument>;

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

/** Stored words of which somebody wants to hear. */
export const AlertWordsDocument = Type.Object({
  user_id: Type.Integer(),
  /** As they were written, in the order they came; no two alike in any case. */
  words: Type.Array(Type.String()),
});
export type AlertWordsDocument = Static<typeof AlertWordsDocument>;
