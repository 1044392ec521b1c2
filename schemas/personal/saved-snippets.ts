import Type from 'typebox';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_MESSAGE_LENGTH, MAX_SNIPPET_TITLE_LENGTH } from '../limits.js';
import { text } from '../text.js';

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
