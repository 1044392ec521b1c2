import Type from 'typebox';
import { endpoint, required } from '../endpoint.js';
import { MAX_ALERT_WORD_LENGTH, MAX_ALERT_WORDS } from '../limits.js';
import { text } from '../text.js';

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
