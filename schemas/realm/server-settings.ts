import Type from 'typebox';
import { endpoint, nullable, optional, required } from '../endpoint.js';
import { LongText, ShortText, Token } from '../text.js';

/** One single sign-on button (server-settings.md#server-settings). */
export const ExternalAuthenticationMethod = Type.Object(
  {
    name: Type.String(),
    display_name: Type.String(),
    display_icon: nullable(Type.String()),
    login_url: Type.String(),
    signup_url: Type.String(),
  },
  { title: 'LoginService' },
);

/** What a client must know before it logs in (server-settings.md#server-settings). */
export const getServerSettings = endpoint({
  operation: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  access: 'anonymous',
  summary: 'Get the settings a client needs before it logs in',
  params: {},
  response: Type.Object({
    zulip_version: Type.String(),
    zulip_merge_base: Type.String(),
    zulip_feature_level: Type.Integer(),
    push_notifications_enabled: Type.Boolean(),
    is_incompatible: Type.Boolean(),
    email_auth_enabled: Type.Boolean(),
    require_email_format_usernames: Type.Boolean(),
    realm_uri: Type.String(),
    realm_url: Type.String(),
    realm_name: Type.String(),
    realm_icon: Type.String(),
    realm_description: Type.String(),
    realm_web_public_access_enabled: Type.Boolean(),
    external_authentication_methods: Type.Array(ExternalAuthenticationMethod),
    authentication_methods: Type.Record(Type.String(), Type.Boolean()),
  }),
  errors: [],
  events: [],
});

/** specification-endpoints.md#fetch-api-key; authentication.md#without-credentials. */
export const fetchApiKey = endpoint({
  operation: 'fetch-api-key',
  method: 'POST',
  path: '/fetch_api_key',
  access: 'anonymous',
  loginName: 'username',
  summary: 'Fetch an API key by user name and password',
  params: {
    username: required(ShortText),
    password: required(LongText),
    two_factor_code: optional(Token, {
      description:
        'What the authenticator app shows, or a recovery code; needed where two-factor authentication is on',
      example: '492039',
    }),
  },
  response: Type.Object({
    api_key: Type.String(),
    email: Type.String(),
    user_id: Type.Integer(),
  }),
  errors: [
    'AUTHENTICATION_FAILED',
    'TWO_FACTOR_REQUIRED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'PASSWORD_AUTH_DISABLED',
    'PASSWORD_RESET_REQUIRED',
    'RATE_LIMIT_HIT',
  ],
  example: { username: 'owner@example.com', password: 'abcd1234' },
  events: [],
  level: 171,
});
