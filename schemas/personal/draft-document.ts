import Type, { type Static } from 'typebox';
import { oneOf } from '../endpoint.js';
import { collection } from '../collection.js';

/** Stored unsent message somebody keeps with the server. */
export const DraftDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Empty: for nobody yet. */
  type: oneOf('', 'stream', 'private'),
  /** One channel, or users, or nobody. */
  to: Type.Array(Type.Integer()),
  topic: Type.String(),
  content: Type.String(),
  /** UNIX seconds of the last edit. */
  timestamp: Type.Integer(),
});

export type DraftDocument = Static<typeof DraftDocument>;

/** The stored documents of `draft`. */
export const draftCollection = collection('draft', DraftDocument);
