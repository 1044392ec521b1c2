import Type from 'typebox';
import { exact } from '../exact.js';
import { events } from '../event.js';

/** events-people.md#people: what there is to know is to be fetched by `GET /invites`. */
export const invitesChanged = Type.Object({ type: Type.Literal('invites_changed') }, exact);

/** The event of invitations: something changed (events-people.md#people). */
export const invitesEvents = events(invitesChanged);
