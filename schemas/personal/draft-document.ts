import Type, { type Static } from 'typebox';
import { oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

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
