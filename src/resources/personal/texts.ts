import * as alertWords from '../../../schemas/personal/alert-words.js';
import * as drafts from '../../../schemas/personal/drafts.js';
import * as snippets from '../../../schemas/personal/saved-snippets.js';
import { addAlertWords, removeAlertWords } from '../../organization/personal/alert-words.js';
import {
  createDrafts,
  deleteDraft,
  draftsOf,
  editDraft,
} from '../../organization/personal/drafts.js';
import {
  addSnippet,
  changeSnippet,
  removeSnippet,
  savedSnippets,
} from '../../organization/personal/saved-snippets.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Drafts, saved snippets and alert words (endpoints-personal.md#personal-things and endpoints-users.md#muted-users-and-alert-words). */
export function personalHandlers(): AnyHandler[] {
  return [...draftHandlers, ...snippetHandlers, ...alertWordHandlers];
}

const draftHandlers: AnyHandler[] = [
  handle(drafts.getDrafts, ({ org }, { user }) => {
    const found = draftsOf(org, user.user_id);
    return { count: found.length, drafts: found };
  }),
  handle(drafts.createDrafts, (tx, { user, params }) => ({
    ids: createDrafts(tx, user, params.drafts),
  })),
  handle(drafts.editDraft, (tx, { user, params }) => {
    editDraft(tx, user, params.draft_id, params.draft);
    return {};
  }),
  handle(drafts.deleteDraft, (tx, { user, params }) => {
    deleteDraft(tx, user, params.draft_id);
    return {};
  }),
];

const snippetHandlers: AnyHandler[] = [
  handle(snippets.getSavedSnippets, ({ org }, { user }) => ({
    saved_snippets: savedSnippets(org, user.user_id),
  })),
  handle(snippets.createSavedSnippet, (tx, { user, params }) => ({
    saved_snippet_id: addSnippet(tx, user.user_id, params.title, params.content).id,
  })),
  handle(snippets.editSavedSnippet, (tx, { user, params }) => {
    changeSnippet(tx, user.user_id, params.saved_snippet_id, params);
    return {};
  }),
  handle(snippets.deleteSavedSnippet, (tx, { user, params }) => {
    removeSnippet(tx, user.user_id, params.saved_snippet_id);
    return {};
  }),
];

const alertWordHandlers: AnyHandler[] = [
  handle(alertWords.getAlertWords, ({ org }, { user }) => ({
    alert_words: org.alertWords.of(user.user_id),
  })),
  handle(alertWords.addAlertWords, (tx, { user, params }) => ({
    alert_words: addAlertWords(tx, user.user_id, params.alert_words),
  })),
  handle(alertWords.removeAlertWords, (tx, { user, params }) => ({
    alert_words: removeAlertWords(tx, user.user_id, params.alert_words),
  })),
];
