import Type from 'typebox';
import { exact } from '../exact.js';
import { MutedUser } from './muted-users.js';

/** events-personal.md#personal-data: the complete list. */
export const mutedUsers = Type.Object(
  { type: Type.Literal('muted_users'), muted_users: Type.Array(MutedUser) },
  exact,
);
