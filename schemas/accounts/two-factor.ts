import Type from 'typebox';
import { Empty, endpoint, required } from '../endpoint.js';
import { LongText, Token } from '../text.js';

const password = required(LongText, { description: 'The caller’s password' });
const path = '/users/me/two_factor';

/** endpoints-users.md#two-factor. */
export const getTwoFactor = endpoint({
  operation: 'get-two-factor',
  method: 'GET',
  path,
  access: 'human',
  summary: 'Get whether your logins by password need a second factor',
  params: {},
  response: Type.Object({ enabled: Type.Boolean(), recovery_codes_left: Type.Integer() }),
  errors: [],
  events: [],
});

/** endpoints-users.md#two-factor. */
export const beginTwoFactor = endpoint({
  operation: 'begin-two-factor',
  method: 'POST',
  path,
  access: 'human',
  summary: 'Get a secret for your authenticator app',
  params: { password },
  response: Type.Object({ secret: Type.String(), otpauth_url: Type.String() }),
  errors: [],
  example: { password: 'abcd1234' },
  events: [],
});

/** endpoints-users.md#two-factor. */
export const confirmTwoFactor = endpoint({
  operation: 'confirm-two-factor',
  method: 'PATCH',
  path,
  access: 'human',
  summary: 'Switch two-factor authentication on by a first code',
  params: { code: required(Token, { description: 'What the authenticator app shows' }) },
  response: Type.Object({ recovery_codes: Type.Array(Type.String()) }),
  errors: [],
  example: { code: '492039' },
  events: [],
});

/** endpoints-users.md#two-factor. */
export const removeTwoFactor = endpoint({
  operation: 'remove-two-factor',
  method: 'DELETE',
  path,
  access: 'human',
  summary: 'Switch two-factor authentication off',
  params: {
    password,
    code: required(Token, { description: 'What the authenticator app shows, or a recovery code' }),
  },
  response: Empty,
  errors: [],
  example: { password: 'abcd1234', code: '492039' },
  events: [],
});
