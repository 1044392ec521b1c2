import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { endpoint, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_ALERT_WORD_LENGTH, MAX_ALERT_WORDS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/** Stored alert words of a user. */
export const AlertWordsDocument = Type.Object({
  user_id: Type.Integer(),
  /** As written, in the order of addition; unique in any case. */
  words: Type.Array(Type.String()),
});

export type AlertWordsDocument = Static<typeof AlertWordsDocument>;

/** The stored documents of `alert_words`. */
export const alertWordsCollection = collection('alert_words', AlertWordsDocument);

const Words = Type.Array(text(MAX_ALERT_WORD_LENGTH), { maxItems: MAX_ALERT_WORDS });
const ALL = {
  path: '/users/me/alert_words',
  access: 'user',
  response: Type.Object({ alert_words: Type.Array(Type.String()) }),
  errors: [],
} as const;

/** endpoints-users.md#muted-users-and-alert-words. */
export const getAlertWords = endpoint({
  ...ALL,
  operation: 'get-alert-words',
  method: 'GET',
  summary: 'Get your alert words',
  params: {},
  events: [],
});

/** endpoints-users.md#muted-users-and-alert-words. */
export const addAlertWords = endpoint({
  ...ALL,
  operation: 'add-alert-words',
  method: 'POST',
  summary: 'Add alert words',
  params: { alert_words: required(Words) },
  events: ['alert_words'],
  example: { alert_words: ['ghost'] },
});

/** endpoints-users.md#muted-users-and-alert-words. */
export const removeAlertWords = endpoint({
  ...ALL,
  operation: 'remove-alert-words',
  method: 'DELETE',
  summary: 'Remove alert words',
  params: { alert_words: required(Words) },
  events: ['alert_words'],
  example: { alert_words: ['ghost'] },
});

/** specification.md#events: the complete list. */
export const alertWords = Type.Object(
  { type: Type.Literal('alert_words'), alert_words: Type.Array(Type.String()) },
  exact,
);

/** The event of alert words. */
export const alertWordEvents = events(alertWords);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  alert_words: 'Words and phrases, at most 100 characters each; case makes no difference.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  alert_words: ['Words and phrases that notify the caller, all of them.', ['ghost']],
});
