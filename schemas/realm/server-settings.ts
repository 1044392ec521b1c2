import Type from 'typebox';
import { endpoint, nullable, optional, required } from '../endpoint.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
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
    'TWO_FACTOR_SETUP_REQUIRED',
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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'fetch-api-key.password': 'Password of the account, or the one in the directory.',
  username:
    'E-mail address of the account, or its name in the directory (see `require_email_format_usernames` in the server’s settings).',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  push_notifications_enabled: 'Whether notifications are pushed to mobile devices.',
  is_incompatible: 'Whether the client that asks is too old for this server.',
  email_auth_enabled: 'Whether people log in by e-mail address and password.',
  require_email_format_usernames:
    'Whether user names are e-mail addresses; false with a directory.',
  realm_uri: ['Older name of `realm_url`.', 'https://chat.example.com'],
  realm_url: ['Public address of the organization, without a path.', 'https://chat.example.com'],
  realm_name: ['Name of the organization.', 'Elsinore'],
  realm_icon: ['Address of the icon; may be relative to `realm_url`.', '/static/icon.svg'],
  realm_description: [
    'What the organization is for, as HTML.',
    '<p>The <em>court</em> at Elsinore</p>',
  ],
  realm_web_public_access_enabled:
    'Whether visitors without an account can read something; always false.',
  external_authentication_methods:
    'Buttons for logging in at other services, in their order; may be empty.',
  'get-server-settings.authentication_methods': [
    'Ways to log in by name. Deprecated; some clients still read it.',
    { password: true, email: true, ldap: false },
  ],
  'LoginService.name': ['Name of the service for programs, different for each.', 'saml:elsinore'],
  'LoginService.display_name': ['Name for the button.', 'Castle login'],
  'LoginService.display_icon': [
    'Address of a picture for the button; null without one.',
    '/static/icon.svg',
  ],
  'LoginService.login_url': [
    'Where logging in begins; relative to `realm_url`.',
    '/accounts/login/social/saml/elsinore',
  ],
  'LoginService.signup_url': [
    'Where signing up begins; relative to `realm_url`.',
    '/accounts/register/social/saml/elsinore',
  ],
  'fetch-api-key.email': [
    'API e-mail address of the account, the user name of HTTP Basic.',
    'owner@example.com',
  ],
  'fetch-api-key.user_id': ['Id of the account. Since level 171.', OWNER],
});
