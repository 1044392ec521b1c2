import Type from 'typebox';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { REACTION_TYPES } from '../messages/message-object.js';
import { MAX_STATUS_TEXT_LENGTH } from '../limits.js';
import { checkedText, ShortText, text } from '../text.js';
import { OPHELIA, OWNER } from '../example-values.js';

const STATUS = {
  status_text: optional(text(MAX_STATUS_TEXT_LENGTH)),
  emoji_name: optional(ShortText),
  emoji_code: optional(ShortText),
  reaction_type: optional(checkedText({ enum: [...REACTION_TYPES, ''] })),
};

/** What a status shows: only what is set. */
export const UserStatus = Type.Object(
  {
    away: Type.Optional(Type.Boolean()),
    status_text: Type.Optional(Type.String()),
    emoji_name: Type.Optional(Type.String()),
    emoji_code: Type.Optional(Type.String()),
    reaction_type: Type.Optional(Type.String()),
  },
  { title: 'UserStatus' },
);

/** endpoints-users.md#presence-and-status; empty texts clear. */
export const updateOwnStatus = endpoint({
  operation: 'update-own-status',
  method: 'POST',
  path: '/users/me/status',
  access: 'human',
  summary: 'Set your own status',
  params: {
    ...STATUS,
    away: optional(Type.Boolean(), { description: 'Older form of the setting presence_enabled' }),
  },
  response: Empty,
  errors: [],
  example: { status_text: 'on the ramparts' },
  events: ['user_status', 'user_settings', 'presence', 'realm_user'],
});

/** endpoints-users.md#presence-and-status. */
export const updateUserStatus = endpoint({
  operation: 'update-user-status',
  method: 'POST',
  path: '/users/{user_id}/status',
  access: 'administrator',
  summary: "Set somebody's status",
  params: { user_id: required(Id), ...STATUS },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { user_id: OPHELIA, status_text: 'picking flowers' },
  events: ['user_status'],
});

/** endpoints-users.md#presence-and-status. */
export const getUserStatus = endpoint({
  operation: 'get-user-status',
  method: 'GET',
  path: '/users/{user_id}/status',
  access: 'user',
  summary: "Get somebody's status",
  params: { user_id: required(Id) },
  response: Type.Object({ status: UserStatus }),
  errors: [],
  example: { user_id: OWNER },
  events: [],
});
