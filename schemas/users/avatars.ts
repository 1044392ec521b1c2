import Type from 'typebox';
import { Empty, endpoint, required } from '../endpoint.js';
import { parameterTexts } from '../parameter-texts.js';
import { ShortText } from '../text.js';

const PICTURE = {
  access: 'user',
  params: {},
  response: Type.Object({ avatar_url: Type.String() }),
  events: ['realm_user'],
} as const;

/** The body is multipart with exactly one file (endpoints-users.md#user-administration). */
export const uploadAvatar = endpoint({
  ...PICTURE,
  operation: 'upload-avatar',
  method: 'POST',
  path: '/users/me/avatar',
  summary: 'Upload a picture of yourself',
  errors: ['BAD_IMAGE'],
  file: 'required',
});

/** Back to the organization's kind of default picture (endpoints-users.md#user-administration). */
export const deleteAvatar = endpoint({
  ...PICTURE,
  operation: 'delete-avatar',
  method: 'DELETE',
  path: '/users/me/avatar',
  summary: 'Remove the picture of yourself',
  errors: [],
});

const REDIRECT = {
  method: 'GET',
  access: 'user',
  params: { user_id_or_email: required(ShortText) },
  response: Empty,
  errors: [],
  events: [],
} as const;

/**
 * At the root, not below `/api/v1`: 302 to the picture of a user named by id or address (
 * endpoints-users.md#read-users).
 */
export const avatarRedirect = {
  normal: endpoint({
    ...REDIRECT,
    operation: 'avatar-redirect',
    path: '/avatar/{user_id_or_email}',
    summary: "Go to a user's picture",
  }),
  medium: endpoint({
    ...REDIRECT,
    operation: 'avatar-redirect-medium',
    path: '/avatar/{user_id_or_email}/medium',
    summary: "Go to a user's picture, 500 pixels wide",
  }),
};

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  user_id_or_email: 'An account, by its id or its API e-mail address.',
});
