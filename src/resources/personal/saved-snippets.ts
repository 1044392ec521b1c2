import * as descriptors from '../../../schemas/personal/saved-snippets.js';
import {
  addSnippet,
  changeSnippet,
  removeSnippet,
  savedSnippets,
} from '../../organization/personal/saved-snippets.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Saved snippets (endpoints-personal.md#personal-things). */
export const snippetHandlers: readonly AnyHandler[] = [
  handle(descriptors.getSavedSnippets, ({ org }, { user }) => ({
    saved_snippets: savedSnippets(org, user.user_id),
  })),
  handle(descriptors.createSavedSnippet, (tx, { user, params }) => ({
    saved_snippet_id: addSnippet(tx, user.user_id, params.title, params.content).id,
  })),
  handle(descriptors.editSavedSnippet, (tx, { user, params }) => {
    changeSnippet(tx, user.user_id, params.saved_snippet_id, params);
    return {};
  }),
  handle(descriptors.deleteSavedSnippet, (tx, { user, params }) => {
    removeSnippet(tx, user.user_id, params.saved_snippet_id);
    return {};
  }),
];
