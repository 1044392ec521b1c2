import Type from 'typebox';
import { endpoint, required, withDefault } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { LongText } from '../text.js';
import { UserObject } from '../users/users.js';

const { is_system_bot: _bots, profile_data: _fields, ...PROFILE } = UserObject.properties;

/** The user profile object of the contract, as a reply with a key contains it. */
export const ProfileWithKey = Type.Object(PROFILE);

/** specification-endpoints.md#fetch-api-key-jwt; authentication.md#without-credentials. */
export const fetchApiKeyByToken = endpoint({
  operation: 'fetch-api-key-by-token',
  method: 'POST',
  path: '/jwt/fetch_api_key',
  access: 'anonymous',
  summary: 'Fetch an API key by a JSON Web Token',
  params: {
    token: required(LongText, { description: 'Signed token whose claim `email` names the user' }),
    include_profile: withDefault(Type.Boolean(), false),
  },
  response: Type.Object({
    api_key: Type.String(),
    email: Type.String(),
    user: Type.Optional(ProfileWithKey),
  }),
  errors: [
    'AUTHENTICATION_FAILED',
    'TWO_FACTOR_SETUP_REQUIRED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
  ],
  example: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6Im8ifQ.signature' },
  events: [],
  level: 160,
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  include_profile: 'Whether the reply holds the user’s profile as `user`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'fetch-api-key-by-token.email': [
    'API e-mail address of the account, the user name of HTTP Basic.',
    'owner@example.com',
  ],
  'fetch-api-key-by-token.user': 'Profile of the account; only with `include_profile`.',
});
