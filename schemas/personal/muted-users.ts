import Type from 'typebox';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { OPHELIA } from '../example-values.js';

/** A muted user as clients see it (events-personal.md#personal-data). */
export const MutedUser = Type.Object(
  { id: Type.Integer(), timestamp: Type.Integer() },
  { ...exact, title: 'MutedUser' },
);

/** endpoints-users.md#muted-users-and-alert-words. */
export const muteUser = endpoint({
  operation: 'mute-user',
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  summary: 'Mute a user',
  params: { muted_user_id: required(Id) },
  response: Empty,
  errors: [],
  example: { muted_user_id: OPHELIA },
  events: ['muted_users', 'update_message_flags'],
  level: 48,
});

/** endpoints-users.md#muted-users-and-alert-words. */
export const unmuteUser = endpoint({
  operation: 'unmute-user',
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  access: 'user',
  summary: 'Unmute a user',
  params: { muted_user_id: required(Id) },
  response: Empty,
  errors: [],
  example: { muted_user_id: OPHELIA },
  events: ['muted_users'],
  level: 48,
});
