import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_MESSAGE_LENGTH, MAX_SNIPPET_TITLE_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

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

/** A saved snippet as clients see it (events-personal.md#personal-data). */
export const SavedSnippet = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    content: Type.String(),
    date_created: Type.Integer(),
  },
  { ...exact, title: 'SavedSnippet' },
);

const Title = text(MAX_SNIPPET_TITLE_LENGTH);
// The handler refuses NUL in words of its own, as for messages.
const Content = Type.String({ maxLength: MAX_MESSAGE_LENGTH, nulAllowed: true });
const SELF = { access: 'user', errors: [] } as const;

/** endpoints-personal.md#personal-things. */
export const getSavedSnippets = endpoint({
  ...SELF,
  operation: 'get-saved-snippets',
  method: 'GET',
  path: '/saved_snippets',
  summary: 'Get your saved snippets, oldest first',
  params: {},
  response: Type.Object({ saved_snippets: Type.Array(SavedSnippet) }),
  events: [],
});

/** endpoints-personal.md#personal-things. */
export const createSavedSnippet = endpoint({
  ...SELF,
  operation: 'create-saved-snippet',
  method: 'POST',
  path: '/saved_snippets',
  summary: 'Save a snippet',
  params: { title: required(Title), content: required(Content) },
  response: Type.Object({ saved_snippet_id: Type.Integer() }),
  events: ['saved_snippets'],
  example: { title: 'Oath', content: 'Swear by my sword' },
});

/** endpoints-personal.md#personal-things. */
export const editSavedSnippet = endpoint({
  ...SELF,
  operation: 'edit-saved-snippet',
  method: 'PATCH',
  path: '/saved_snippets/{saved_snippet_id}',
  summary: 'Change a saved snippet',
  params: {
    saved_snippet_id: required(Id),
    title: optional(Title),
    content: optional(Content),
  },
  response: Empty,
  events: ['saved_snippets'],
  refusals: [404],
  example: { saved_snippet_id: 1, title: 'The oath' },
});

/** endpoints-personal.md#personal-things. */
export const deleteSavedSnippet = endpoint({
  ...SELF,
  operation: 'delete-saved-snippet',
  method: 'DELETE',
  path: '/saved_snippets/{saved_snippet_id}',
  summary: 'Delete a saved snippet',
  params: { saved_snippet_id: required(Id) },
  response: Empty,
  events: ['saved_snippets'],
  refusals: [404],
  example: { saved_snippet_id: 1 },
});

const savedSnippetsType = Type.Literal('saved_snippets');

/** events-personal.md#personal-data. */
export const savedSnippetsAdd = Type.Object(
  { type: savedSnippetsType, op: Type.Literal('add'), saved_snippet: SavedSnippet },
  exact,
);

/** events-personal.md#personal-data. */
export const savedSnippetsUpdate = Type.Object(
  { type: savedSnippetsType, op: Type.Literal('update'), saved_snippet: SavedSnippet },
  exact,
);

/** events-personal.md#personal-data. */
export const savedSnippetsRemove = Type.Object(
  { type: savedSnippetsType, op: Type.Literal('remove'), saved_snippet_id: Type.Integer() },
  exact,
);

/** All events of snippets. */
export const savedSnippetEvents = events(
  savedSnippetsAdd,
  savedSnippetsUpdate,
  savedSnippetsRemove,
);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'create-saved-snippet.content':
    'Text of the snippet in Markdown, at most `max_message_length` code points.',
  'edit-saved-snippet.content': 'New text of the snippet in Markdown.',
  saved_snippet_id: 'Which snippet of the caller’s own, by its number from `GET /saved_snippets`.',
  title: 'Name of the snippet, at most 60 characters.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'SavedSnippet.id': ['Id of the snippet.', 1],
  'SavedSnippet.title': ['Name by which the snippet is found.', 'Oath'],
  'SavedSnippet.content': ['Text of the snippet, in Markdown.', 'Swear by my sword'],
  'get-saved-snippets.saved_snippets': 'Snippets of the caller, oldest first.',
  saved_snippet: 'The snippet as it is now.',
  saved_snippet_id: ['Id of the snippet.', 1],
});
