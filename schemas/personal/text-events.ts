import Type from 'typebox';
import { Draft } from './drafts.js';
import { exact } from '../exact.js';
import { SavedSnippet } from './saved-snippets.js';
import { events } from '../event.js';

const drafts = Type.Literal('drafts');
const snippets = Type.Literal('saved_snippets');

/** events-personal.md#personal-data. */
export const draftsAdd = Type.Object(
  { type: drafts, op: Type.Literal('add'), drafts: Type.Array(Draft, { minItems: 1 }) },
  exact,
);

/** events-personal.md#personal-data. */
export const draftsUpdate = Type.Object(
  { type: drafts, op: Type.Literal('update'), draft: Draft },
  exact,
);

/** events-personal.md#personal-data. */
export const draftsRemove = Type.Object(
  { type: drafts, op: Type.Literal('remove'), draft_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data. */
export const savedSnippetsAdd = Type.Object(
  { type: snippets, op: Type.Literal('add'), saved_snippet: SavedSnippet },
  exact,
);

/** events-personal.md#personal-data. */
export const savedSnippetsUpdate = Type.Object(
  { type: snippets, op: Type.Literal('update'), saved_snippet: SavedSnippet },
  exact,
);

/** events-personal.md#personal-data. */
export const savedSnippetsRemove = Type.Object(
  { type: snippets, op: Type.Literal('remove'), saved_snippet_id: Type.Integer() },
  exact,
);

/** specification.md#events: the complete list. */
export const alertWords = Type.Object(
  { type: Type.Literal('alert_words'), alert_words: Type.Array(Type.String()) },
  exact,
);

/** All events of drafts, snippets and alert words. */
export const personalEvents = events(
  draftsAdd,
  draftsUpdate,
  draftsRemove,
  savedSnippetsAdd,
  savedSnippetsUpdate,
  savedSnippetsRemove,
  alertWords,
);
