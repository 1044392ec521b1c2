import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { fetchApiKey } from '../realm/server-settings.js';
import { LongText, ShortText, Token } from '../text.js';

/** A login of a browser, from its beginning until it is ended (authentication.md#sessions). */
export const SessionDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** What its browser says it is, such as `Firefox on Linux`. */
  device: Type.String(),
  /** Digest of the password that the user had: another one ends the session, whoever set it. */
  password: Type.String(),
  /** Milliseconds since 1970. */
  created_at: Type.Integer(),
  /** Milliseconds since 1970, written about once a day. */
  used_at: Type.Integer(),
});
export type SessionDocument = Static<typeof SessionDocument>;

/** The stored documents of `session`. */
export const sessionCollection = collection('session', SessionDocument);

const Session = Type.Object(
  {
    id: Type.Integer(),
    device: Type.String(),
    created_at: Type.Integer(),
    last_used_at: Type.Integer(),
    is_current: Type.Boolean(),
  },
  { ...exact, title: 'Session' },
);

const path = '/users/me/sessions';

/** authentication.md#sessions. */
export const getSessions = endpoint({
  operation: 'get-sessions',
  method: 'GET',
  path,
  access: 'human',
  summary: 'Get the browsers in which you are logged in',
  params: {},
  response: Type.Object({ sessions: Type.Array(Session) }),
  errors: [],
  events: [],
  level: FEATURE_LEVEL,
});

/** authentication.md#sessions. */
export const endOneSession = endpoint({
  operation: 'end-session',
  method: 'DELETE',
  path: `${path}/{session_id}`,
  access: 'human',
  summary: 'Log yourself out in one browser',
  params: { session_id: required(Id) },
  response: Empty,
  errors: [],
  refusals: [404],
  example: { session_id: 1 },
  events: [],
  level: FEATURE_LEVEL,
});

/** authentication.md#sessions. */
export const endAllSessions = endpoint({
  operation: 'end-all-sessions',
  method: 'DELETE',
  path,
  access: 'human',
  summary: 'Log yourself out in all browsers',
  params: {},
  response: Empty,
  errors: [],
  events: [],
  level: FEATURE_LEVEL,
});

const LoggedIn = Type.Object({
  email: Type.String(),
  user_id: Type.Integer(),
  csrf_token: Type.String(),
});

/**
 * Below `/json` only, where browsers call with their session; no part of the API (authentication.md#sessions).
 */
export const BY_SESSION = {
  /** Begins a session by a password: the stored one, or that of the directory. */
  logIn: endpoint({
    operation: 'log-in',
    method: 'POST',
    path: '/sessions',
    access: 'anonymous',
    summary: 'Log in',
    params: {
      username: required(ShortText),
      password: required(LongText),
      two_factor_code: optional(Token),
    },
    loginName: 'username',
    response: LoggedIn,
    errors: [],
    events: [],
  }),
  /** Begins a session by a token that another service signed. */
  logInByToken: endpoint({
    operation: 'log-in-by-token',
    method: 'POST',
    path: '/jwt/sessions',
    access: 'anonymous',
    summary: 'Log in by a JSON Web Token',
    params: { token: required(LongText) },
    response: LoggedIn,
    errors: [],
    events: [],
  }),
  /** Ends the session of the request. */
  logOut: endpoint({
    operation: 'log-out',
    method: 'POST',
    path: '/logout',
    access: 'human',
    beforeTwoFactor: true,
    summary: 'Log out',
    params: {},
    response: Empty,
    errors: [],
    events: [],
  }),
  /** The API key of the session's user, who gives the password again. */
  fetchOwnApiKey: endpoint({
    operation: 'fetch-own-api-key',
    method: 'POST',
    path: '/fetch_api_key',
    access: 'human',
    summary: 'Fetch your API key',
    params: { password: required(LongText) },
    response: fetchApiKey.response,
    errors: [],
    events: [],
  }),
};

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  session_id: 'A session, by its `id` in the list of sessions.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-sessions.sessions': 'Your sessions, the one that was used last first.',
  'Session.id': ['Number of the session.', 7],
  'Session.device': ['What the browser says it is.', 'Firefox on Linux'],
  'Session.created_at': ['UNIX time of the login, seconds.', 1_760_000_000],
  'Session.last_used_at': [
    'UNIX time at which the session was used last, seconds; exact to a day.',
    1_760_000_000,
  ],
  'Session.is_current': 'Whether the request was made with this session.',
});
