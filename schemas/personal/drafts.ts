import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, oneOf, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { DRAFT, GENERAL } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_DRAFTS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText } from '../text.js';

/** Stored draft of a message. */
export const DraftDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Empty: no recipient yet. */
  type: oneOf('', 'stream', 'private'),
  /** Id of one channel, or ids of users; may be empty. */
  to: Type.Array(Type.Integer()),
  topic: Type.String(),
  content: Type.String(),
  /** UNIX seconds of the last edit. */
  timestamp: Type.Integer(),
});

export type DraftDocument = Static<typeof DraftDocument>;

/** The stored documents of `draft`. */
export const draftCollection = collection('draft', DraftDocument);

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

const draftsType = Type.Literal('drafts');

/** events-personal.md#personal-data. */
export const draftsAdd = Type.Object(
  { type: draftsType, op: Type.Literal('add'), drafts: Type.Array(Draft, { minItems: 1 }) },
  exact,
);

/** events-personal.md#personal-data. */
export const draftsUpdate = Type.Object(
  { type: draftsType, op: Type.Literal('update'), draft: Draft },
  exact,
);

/** events-personal.md#personal-data. */
export const draftsRemove = Type.Object(
  { type: draftsType, op: Type.Literal('remove'), draft_id: Type.Integer() },
  exact,
);

/** All events of drafts. */
export const draftEvents = events(draftsAdd, draftsUpdate, draftsRemove);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  drafts:
    'Drafts, as objects with `type` (`stream`, `private` or empty), `to` (ids), `topic`, `content` and `timestamp`; all are made, or none.',
  draft:
    'The draft as it is from now on: an object with `type`, `to`, `topic`, `content` and `timestamp`.',
  draft_id: 'Which draft of the caller’s own, by its number from `GET /drafts`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'Draft.id': ['Id of the draft.', 1],
  'Draft.type': 'Where the message shall go: a channel, people, or nowhere yet (empty).',
  'Draft.to': [
    'Id of the channel in a list of its own, or ids of people; may be empty.',
    [GENERAL],
  ],
  'Draft.topic': ['Topic of the message; empty for direct ones.', 'castle'],
  'Draft.content': ['Text so far, in Markdown.', 'Who’s'],
  'Draft.timestamp': [
    'When the draft was last edited, UNIX seconds; now, where left out.',
    1_750_000_000,
  ],
  count: ['Number of drafts in the list.', 1],
  'get-drafts.drafts': 'Drafts of the caller, the newest edit first.',
  ids: ['Ids of the new drafts, in the order of the request.', [1]],
  'drafts.drafts': 'The new drafts.',
  'drafts.draft': 'The draft after the change.',
  draft_id: ['Id of the draft that is gone.', 1],
});
