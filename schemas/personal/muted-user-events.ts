import Type from 'typebox';
import { exact } from '../exact.js';
import { MutedUser } from './muted-users.js';
import { events } from '../event.js';

/** events-personal.md#personal-data: the complete list. */
export const mutedUsers = Type.Object(
  { type: Type.Literal('muted_users'), muted_users: Type.Array(MutedUser) },
  exact,
);

/** All events of muted people. */
export const mutedUserEvents = events(mutedUsers);
