import Type from 'typebox';
import { Empty, endpoint, Id, nullable, optional, required } from '../endpoint.js';
import { GENERAL, OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_FAREWELL_LENGTH, MAX_PROFILE_FIELDS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { FullName, LongText, ShortText, text } from '../text.js';
import { Role } from './user-document.js';

/** A value of a custom profile field as a request carries it: a text, null, or ids of people. */
export const ProfileEntries = Type.Array(Type.Object({ id: Id, value: Type.Unknown() }), {
  maxItems: MAX_PROFILE_FIELDS,
});

const CHANGES = {
  full_name: optional(FullName),
  role: optional(Role),
  profile_data: optional(ProfileEntries),
  new_email: optional(ShortText),
  old_password: optional(LongText),
};

const UPDATE = {
  method: 'PATCH',
  access: 'user',
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: ['realm_user', 'user_group', 'stream', 'subscription', 'default_streams', 'realm_bot'],
  level: 385,
} as const;

/** Administrators, and owners of bots for their names (endpoints-users.md#user-administration). */
export const updateUser = endpoint({
  ...UPDATE,
  operation: 'update-user',
  path: '/users/{user_id}',
  summary: 'Change an account: name, role, profile, address',
  params: { user_id: required(Id), ...CHANGES },
  note: 'The e-mail address of a user may stand in place of the id.',
  example: { user_id: OPHELIA, full_name: 'Ophelia of Elsinore' },
});

/** As `update-user`, by API e-mail or by a real address the caller may see. */
export const updateUserByEmail = endpoint({
  ...UPDATE,
  operation: 'update-user-by-email',
  path: '/users/{email}',
  summary: 'Change an account found by its address',
  params: { email: required(ShortText), ...CHANGES },
  unpublished: true,
});

const LEAVING = [
  'realm_user',
  'subscription',
  'user_group',
  'realm',
  'stream',
  'invites_changed',
] as const;

/** Deletions that newer clients can ask for with a deactivation (level 459). */
const DeactivationActions = Type.Object({
  delete_profile: Type.Optional(Type.Boolean()),
  delete_public_channel_messages: Type.Optional(Type.Boolean()),
  delete_private_channel_messages: Type.Optional(Type.Boolean()),
  delete_direct_messages: Type.Optional(Type.Boolean()),
});

/** endpoints-users.md#user-administration. */
export const deactivateUser = endpoint({
  operation: 'deactivate-user',
  method: 'DELETE',
  path: '/users/{user_id}',
  access: 'administrator',
  summary: 'Deactivate an account',
  params: {
    user_id: required(Id),
    deactivation_notification_comment: optional(nullable(text(MAX_FAREWELL_LENGTH)), {
      example: 'Good night, sweet prince',
      description: 'Sent to the user by mail; null or absent sends no mail',
    }),
    actions: optional(DeactivationActions, {
      example: { delete_profile: false },
      description: 'What to delete as well; only false is accepted, as nothing is deleted',
    }),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { user_id: OPHELIA },
  events: LEAVING,
});

/** endpoints-users.md#user-administration. */
export const deactivateOwnUser = endpoint({
  operation: 'deactivate-own-user',
  method: 'DELETE',
  path: '/users/me',
  access: 'human',
  summary: 'Deactivate your own account',
  params: {},
  response: Empty,
  errors: ['CANNOT_DEACTIVATE_LAST_USER'],
  events: LEAVING,
});

/** endpoints-users.md#user-administration. */
export const reactivateUser = endpoint({
  operation: 'reactivate-user',
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  access: 'administrator',
  summary: 'Reactivate an account',
  params: { user_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { user_id: OPHELIA },
  events: ['realm_user', 'user_group', 'subscription', 'stream', 'realm_bot'],
});

/** The old key is dead at once; waiting polls may finish (endpoints-users.md#user-administration). */
export const regenerateOwnApiKey = endpoint({
  operation: 'regenerate-own-api-key',
  method: 'POST',
  path: '/users/me/api_key/regenerate',
  access: 'user',
  summary: 'Replace your own API key',
  params: {},
  response: Type.Object({ api_key: Type.String() }),
  errors: [],
  events: ['device'],
});

/** Only channels whose existence the caller may know of (endpoints-users.md#read-users). */
export const getUserChannels = endpoint({
  operation: 'get-user-channels',
  method: 'GET',
  path: '/users/{user_id}/channels',
  access: 'user',
  summary: 'Get the channels a user is subscribed to',
  params: { user_id: required(Id) },
  response: Type.Object({ subscribed_channel_ids: Type.Array(Type.Integer()) }),
  errors: [],
  example: { user_id: OWNER },
  events: [],
});

/** endpoints-users.md#read-users. */
export const getSubscriptionStatus = endpoint({
  operation: 'get-subscription-status',
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  access: 'user',
  summary: 'Get whether a user is subscribed to a channel',
  params: { user_id: required(Id), stream_id: required(Id) },
  response: Type.Object({ is_subscribed: Type.Boolean() }),
  errors: [],
  example: { user_id: OWNER, stream_id: GENERAL },
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'update-user.user_id': 'Id of the account to be changed, for administrators.',
  'update-user.old_password': [
    'Your password, needed with your own new address unless you logged in within the last ten minutes; checked wherever it is given.',
    'to-be-or-not-to-be',
  ],
  'update-user-by-email.old_password': ['As in `update-user`.', 'to-be-or-not-to-be'],
  'update-user-by-email.email': 'E-mail address of the account to be changed, real or API address.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  subscribed_channel_ids: [
    'Channels the user is subscribed to and the caller may know of, by id.',
    [GENERAL],
  ],
  is_subscribed: 'Whether the user is subscribed to the channel.',
  'deactivate-user.delete_profile': 'Whether to delete the profile; true is refused.',
  'deactivate-user.delete_public_channel_messages':
    'Whether to delete messages in public channels; true is refused.',
  'deactivate-user.delete_private_channel_messages':
    'Whether to delete messages in private channels; true is refused.',
  'deactivate-user.delete_direct_messages': 'Whether to delete direct messages; true is refused.',
});
