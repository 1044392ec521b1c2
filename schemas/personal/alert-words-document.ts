import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored words of which somebody wants to hear. */
export const AlertWordsDocument = Type.Object({
  user_id: Type.Integer(),
  /** As they were written, in the order they came; no two alike in any case. */
  words: Type.Array(Type.String()),
});

export type AlertWordsDocument = Static<typeof AlertWordsDocument>;

/** The stored documents of `alert_words`. */
export const alertWordsCollection = collection('alert_words', AlertWordsDocument);
