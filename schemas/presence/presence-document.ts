import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** Stored presence of one user (register-structures.md#presences). Times in UNIX seconds. */
export const PresenceDocument = Type.Object({
  user_id: Type.Integer(),
  active_timestamp: nullable(Type.Integer()),
  idle_timestamp: nullable(Type.Integer()),
  /** Position in the organization-wide sequence of presence changes. */
  update_id: Type.Integer(),
});
export type PresenceDocument = Static<typeof PresenceDocument>;

/** The stored documents of `presence`. */
export const presenceCollection = collection('presence', PresenceDocument);
