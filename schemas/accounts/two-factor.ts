import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, required } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { LongText, Token } from '../text.js';

/** A user's second factor, from the beginning of its set-up (endpoints-users.md#two-factor). */
export const TwoFactorDocument = Type.Object({
  user_id: Type.Integer(),
  /** Whether password logins need it: true once a code of the app was correct. */
  two_factor: Type.Boolean(),
  /** Random; the secret of the codes is derived from it and a secret outside the store. */
  nonce: Type.String(),
  /** The newest time step whose code was used: a code works once. */
  last_step: Type.Integer(),
  /** Digests of recovery codes that were not used. */
  recovery_codes: Type.Array(Type.String()),
});
export type TwoFactorDocument = Static<typeof TwoFactorDocument>;

/** The stored documents of `two_factor`. */
export const twoFactorCollection = collection('two_factor', TwoFactorDocument);

const password = required(LongText, { description: 'The caller’s password' });
const path = '/users/me/two_factor';

/** endpoints-users.md#two-factor. */
export const getTwoFactor = endpoint({
  operation: 'get-two-factor',
  method: 'GET',
  path,
  access: 'human',
  beforeTwoFactor: true,
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
  beforeTwoFactor: true,
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
  beforeTwoFactor: true,
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
  beforeTwoFactor: true,
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

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-two-factor.enabled': 'Whether logins by password need a code.',
  'begin-two-factor.secret': [
    'The secret in the form that people type into an app.',
    'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  ],
});
