import * as descriptors from '../../../schemas/personal/drafts.js';
import {
  createDrafts,
  deleteDraft,
  draftsOf,
  editDraft,
} from '../../organization/personal/drafts.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Drafts (endpoints-personal.md#personal-things). */
export const draftHandlers: readonly AnyHandler[] = [
  handle(descriptors.getDrafts, ({ org }, { user }) => {
    const found = draftsOf(org, user.user_id).reverse();
    return { count: found.length, drafts: found };
  }),
  handle(descriptors.createDrafts, (tx, { user, params }) => ({
    ids: createDrafts(tx, user, params.drafts),
  })),
  handle(descriptors.editDraft, (tx, { user, params }) => {
    editDraft(tx, user, params.draft_id, params.draft);
    return {};
  }),
  handle(descriptors.deleteDraft, (tx, { user, params }) => {
    deleteDraft(tx, user, params.draft_id);
    return {};
  }),
];
