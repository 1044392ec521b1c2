import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';

/** Lines of the log that one reply lists. */
export const CONSOLE_LOG = 200;

/** Levels of the log, from most lines to fewest. */
export const CONSOLE_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const Count = Type.Integer({ minimum: 0 });

/** A line of the log of a process. */
export const LogRow = Type.Object(
  {
    at: Count,
    level: Type.String(),
    message: Type.String(),
    details: Type.String(),
    node_id: Type.String(),
  },
  { title: 'LogRow' },
);
export type LogRowFields = Static<typeof LogRow>;

const Figure = Type.Array(nullable(Type.Number()));

/** Figures of the last hours, a minute each, the oldest first. */
export const FiguresHistory = Type.Object(
  {
    minutes: Type.Array(Count),
    requests_per_second: Figure,
    events_per_second: Figure,
    entries_per_second: Figure,
    commit_p99_ms: Figure,
    send_p99_ms: Figure,
    memory_bytes: Figure,
    event_queues: Figure,
    waiting_mails: Figure,
  },
  { title: 'FiguresHistory' },
);
export type FiguresHistoryFields = Static<typeof FiguresHistory>;

const LoginMethod = Type.Object(
  { login_method: Type.String(), is_enabled: Type.Boolean(), is_available: Type.Boolean() },
  { title: 'LoginMethod' },
);

/** How people log in. */
export const ConsoleLogins = Type.Object(
  {
    login_methods: Type.Array(LoginMethod),
    login_services: Type.Array(Type.String()),
    active_people: Count,
    people_with_password: Count,
    people_with_two_factor: Count,
  },
  { title: 'ConsoleLogins' },
);
export type LoginsFields = Static<typeof ConsoleLogins>;

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  log: 'With `with_log` the newest 200 lines of the logs that match, the newest first.',
  'LogRow.at': ['When it was written, milliseconds since 1970.', 1_750_000_000_000],
  level: ['`trace` to `fatal`.', 'warn'],
  'LogRow.message': ['What happened.', 'a mail was not sent and will be tried again'],
  details: [
    'What belongs to it, as JSON without secrets and addresses of people; empty for nothing.',
    '{"mail":12,"attempts":2}',
  ],
  history: 'With `with_history` figures of the leader of the last 24 hours, which a restart keeps.',
  minutes: ['The minutes for which there are figures, since 1970.', [29_166_666]],
  requests_per_second: ['Requests answered in that minute; null where nobody knows.', [2.5]],
  events_per_second: ['Events put into queues.', [12]],
  entries_per_second: ['Journal entries.', [1.2]],
  commit_p99_ms: ['How long the store took for a commit, in 99 of 100 cases.', [5]],
  send_p99_ms: ['How long `POST /messages` took, in 99 of 100 cases.', [10]],
  memory_bytes: ['Memory of the process.', [180_000_000]],
  event_queues: ['How many there were of all users.', [14]],
  waiting_mails: ['Mails that no mail server had accepted.', [0]],
  logins: 'With `with_logins` by what people log in.',
  login_methods:
    'Each method that the server is configured for, or the organization decided about.',
  login_method: ['Its name.', 'Email'],
  is_enabled: 'Whether the organization allows it.',
  is_available: 'Whether the server is configured for it.',
  login_services: ['Providers of single sign-on, by name.', ['Example']],
  active_people: ['People who can log in.', 12],
  people_with_password: ['Those who have a password here.', 10],
  people_with_two_factor: ['Those whose password logins need a second factor.', 3],
});
