/* What administrators do about how others log in (endpoints-organization.md#console). */
import Type from 'typebox';
import { Empty, endpoint, Id, nullable, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { OPHELIA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL } from '../limits.js';

const PersonSession = Type.Object(
  {
    id: Type.Integer(),
    device: Type.String(),
    created_at: Type.Integer(),
    last_used_at: Type.Integer(),
  },
  { ...exact, title: 'PersonSession' },
);

const path = '/realm/console/users/{user_id}';
const SHARED = {
  access: 'human-administrator',
  errors: [],
  events: [],
  level: FEATURE_LEVEL,
} as const;

/** By what somebody is logged in. */
export const getPersonLogins = endpoint({
  ...SHARED,
  operation: 'get-person-logins',
  method: 'GET',
  path,
  summary: 'Get where somebody is logged in',
  params: { user_id: required(Id) },
  response: Type.Object({
    sessions: Type.Array(PersonSession),
    has_two_factor: Type.Boolean(),
    reset_is_mailed: Type.Boolean(),
  }),
  example: { user_id: OPHELIA },
});

/** A link by which somebody sets a new password. */
export const resetPersonPassword = endpoint({
  ...SHARED,
  operation: 'reset-person-password',
  method: 'POST',
  path: `${path}/password_reset`,
  summary: 'Let somebody set a new password',
  params: { user_id: required(Id) },
  response: Type.Object({ mailed: Type.Boolean(), reset_link: nullable(Type.String()) }),
  example: { user_id: OPHELIA },
  note: 'The link works once, for one day. Without a mail server only owners get it, to hand it over themselves.',
});

export const endPersonSession = endpoint({
  ...SHARED,
  operation: 'end-person-session',
  method: 'DELETE',
  path: `${path}/sessions/{session_id}`,
  summary: 'Log somebody out in one browser',
  params: { user_id: required(Id), session_id: required(Id) },
  response: Empty,
  refusals: [404],
  example: { user_id: OPHELIA, session_id: 1 },
});

/** Ends the API key, too. */
export const logPersonOut = endpoint({
  ...SHARED,
  operation: 'log-person-out',
  method: 'DELETE',
  path: `${path}/sessions`,
  summary: 'Log somebody out everywhere',
  params: { user_id: required(Id) },
  response: Empty,
  example: { user_id: OPHELIA },
  note: 'All sessions end, the API key changes, and devices for pushes are forgotten. The password stays.',
});

export const removePersonTwoFactor = endpoint({
  ...SHARED,
  operation: 'remove-person-two-factor',
  method: 'DELETE',
  path: `${path}/two_factor`,
  summary: 'Turn off two-factor authentication for somebody who has lost it',
  params: { user_id: required(Id) },
  response: Empty,
  example: { user_id: OPHELIA },
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-person-logins.sessions': 'Their sessions, the one that was used last first.',
  'PersonSession.id': ['Number of the session.', 7],
  'PersonSession.device': ['What the browser says it is.', 'Firefox on Linux'],
  'PersonSession.created_at': ['UNIX time of the login, seconds.', 1_760_000_000],
  'PersonSession.last_used_at': [
    'UNIX time at which the session was used last, seconds; exact to a day.',
    1_760_000_000,
  ],
  has_two_factor: 'Whether their password logins need a second factor.',
  reset_is_mailed: 'Whether a link to set a password is mailed; else owners are shown it.',
  mailed: 'Whether the link was mailed to them.',
  reset_link: [
    'The link, for owners of a server without a mail server; else null. Whoever has it sets the password.',
    null,
  ],
});
