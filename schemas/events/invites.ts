import Type from 'typebox';
import { exact } from '../exact.js';

/** Events.md section 11: what there is to know is to be fetched by `GET /invites`. */
export const invitesChanged = Type.Object({ type: Type.Literal('invites_changed') }, exact);

/** The event of invitations: something changed (events.md section 11). */
export const invitesEvents = [invitesChanged] as const;
