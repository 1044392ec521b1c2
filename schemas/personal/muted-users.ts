import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { OPHELIA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Stored mute of one user by another. */
export const MutedUserDocument = Type.Object({
  user_id: Type.Integer(),
  muted_user_id: Type.Integer(),
  /** UNIX seconds. */
  timestamp: Type.Integer(),
});
export type MutedUserDocument = Static<typeof MutedUserDocument>;

/** The stored documents of `muted_user`. */
export const mutedUserCollection = collection('muted_user', MutedUserDocument);

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

/** events-personal.md#personal-data: the complete list. */
export const mutedUsers = Type.Object(
  { type: Type.Literal('muted_users'), muted_users: Type.Array(MutedUser) },
  exact,
);

/** All events of muted people. */
export const mutedUserEvents = events(mutedUsers);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  muted_user_id: 'Id of the person whose messages are hidden.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'MutedUser.id': ['Id of the muted user.', OPHELIA],
  'MutedUser.timestamp': ['When they were muted, UNIX seconds.', 1_750_000_000],
  'muted_users.muted_users': 'All users whom the user muted.',
});
