import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/** Stored alert words of a user. */
export const AlertWordsDocument = Type.Object({
  user_id: Type.Integer(),
  /** As written, in the order of addition; unique in any case. */
  words: Type.Array(Type.String()),
});

export type AlertWordsDocument = Static<typeof AlertWordsDocument>;

/** The stored documents of `alert_words`. */
export const alertWordsCollection = collection('alert_words', AlertWordsDocument);
