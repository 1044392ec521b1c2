import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { collection } from '../collection.js';
import { nullable } from '../endpoint.js';
import { StoredTimeField } from '../store/stored-time.js';

/**
 * Presence of one client of one user: the snapshot of its actor. What clients are told of a user is in another document
 * (`presence.ts`), which outlives the sessions.
 */
export const PresenceSessionDocument = snapshot(
  'presence-session',
  2,
  ['active', 'idle', 'offline', 'forgotten'],
  Type.Object({
    user_id: Type.Integer(),
    /** Name of the program; empty for those beyond the bound of sessions of a user, together. */
    client: Type.String(),
    /** Last report with status `active`; null when there was none in this session. */
    last_active_at: nullable(StoredTimeField),
    /** Last report of any status. */
    last_seen_at: StoredTimeField,
    /** When the session turns idle or offline unless a report comes first. */
    deadline: StoredTimeField,
  }),
);
export type PresenceSessionDocument = Static<typeof PresenceSessionDocument>;

/** The stored documents of `presence_session`. */
export const presenceSessionCollection = collection('presence_session', PresenceSessionDocument);
