import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_DRAFTS } from '../limits.js';
import { MessageText } from '../text.js';
import { DRAFT } from '../example-values.js';

/** A draft as clients see it (events-personal.md#personal-data). */
export const Draft = Type.Object(
  {
    id: Type.Integer(),
    type: oneOf('', 'stream', 'private'),
    to: Type.Array(Type.Integer()),
    topic: Type.String(),
    content: Type.String(),
    timestamp: Type.Integer(),
  },
  { ...exact, title: 'Draft' },
);

/** A draft as clients write it; other keys are ignored. */
const DraftInput = Type.Object(
  {
    type: oneOf('', 'stream', 'private', 'channel', 'direct'),
    to: Type.Array(Id, { maxItems: 1000 }),
    topic: MessageText,
    content: MessageText,
    timestamp: Type.Optional(Type.Number()),
  },
  { title: 'DraftInput' },
);

const SELF = { access: 'user', errors: [] } as const;

/** endpoints-personal.md#personal-things. */
export const getDrafts = endpoint({
  ...SELF,
  operation: 'get-drafts',
  method: 'GET',
  path: '/drafts',
  summary: 'Get your drafts, newest first',
  params: {},
  response: Type.Object({ count: Type.Integer(), drafts: Type.Array(Draft) }),
  events: [],
});

/** endpoints-personal.md#personal-things. */
export const createDrafts = endpoint({
  ...SELF,
  operation: 'create-drafts',
  method: 'POST',
  path: '/drafts',
  summary: 'Create drafts',
  params: { drafts: required(Type.Array(DraftInput, { maxItems: MAX_DRAFTS })) },
  response: Type.Object({ ids: Type.Array(Type.Integer()) }),
  events: ['drafts'],
  example: { drafts: [DRAFT] },
});

/** endpoints-personal.md#personal-things. */
export const editDraft = endpoint({
  ...SELF,
  operation: 'edit-draft',
  method: 'PATCH',
  path: '/drafts/{draft_id}',
  summary: 'Change a draft',
  params: { draft_id: required(Id), draft: required(DraftInput) },
  response: Empty,
  events: ['drafts'],
  refusals: [404],
  example: { draft_id: 1, draft: { ...DRAFT, content: 'Who’s there?' } },
});

/** endpoints-personal.md#personal-things. */
export const deleteDraft = endpoint({
  ...SELF,
  operation: 'delete-draft',
  method: 'DELETE',
  path: '/drafts/{draft_id}',
  summary: 'Delete a draft',
  params: { draft_id: required(Id) },
  response: Empty,
  events: ['drafts'],
  refusals: [404],
  example: { draft_id: 1 },
});
